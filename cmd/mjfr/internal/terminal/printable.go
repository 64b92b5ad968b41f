package terminal

import (
	"unicode"

	"github.com/mmapjfr/jfr/internal/printable"
)

// Printable replaces control characters as [printable.Text] does.
func Printable(s string) string { return printable.Text(s) }

// oneField makes a value one field of a line with tabs between fields. It writes control characters
// and backslashes as Go does, so that different values stay different.
func oneField(s string) string {
	return printable.Escape(s, func(r rune) bool { return r == '\\' || unicode.IsControl(r) })
}
