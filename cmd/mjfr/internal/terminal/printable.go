package terminal

import (
	"unicode"

	"github.com/mmapjfr/jfr/internal/printable"
)

// Printable returns a text from a file as [printable.Text] does.
func Printable(s string) string { return printable.Text(s) }

// oneField returns a value so that it stays one field of a line of fields with tabs
// between them, and can be told from any other: control characters are written as Go
// does, and so is the backslash.
func oneField(s string) string {
	return printable.Escape(s, func(r rune) bool { return r == '\\' || unicode.IsControl(r) })
}
