// Package sqltext writes names and texts as SQL has them, so that none of them can end a statement or a line.
package sqltext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Name returns a name in double quotes, after [Plain].
func Name(name string) string { return `"` + strings.ReplaceAll(Plain(name, ""), `"`, `""`) + `"` }

// Text returns an expression of DuckDB for a text: single quotes, or several of them with calls of chr between for control
// characters. What is no UTF-8 becomes U+FFFD.
func Text(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexFunc(text, isControl) < 0 {
		return quoted(text)
	}
	var parts []string
	for text != "" {
		i := strings.IndexFunc(text, isControl)
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			parts = append(parts, quoted(text[:i]))
		}
		if text = text[i:]; text != "" {
			r, size := utf8.DecodeRuneInString(text)
			parts = append(parts, fmt.Sprintf("chr(%d)", r))
			text = text[size:]
		}
	}
	return "(" + strings.Join(parts, " || ") + ")"
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// isControl reports whether a program that reads lines could take a character for the end of one, or of the text.
func isControl(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
}

// Plain returns a name with % and two hexadecimal digits for each byte of control characters, and of what is no UTF-8.
// So are characters of also; with % among them different names stay different.
func Plain(name, also string) string {
	bad := func(r rune) bool { return isControl(r) || strings.ContainsRune(also, r) }
	if utf8.ValidString(name) && strings.IndexFunc(name, bad) < 0 {
		return name
	}
	var b strings.Builder
	for name != "" {
		r, size := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && size == 1 || bad(r) {
			for _, c := range []byte(name[:size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}
