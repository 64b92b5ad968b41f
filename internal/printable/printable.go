// Package printable escapes text of a recording, so that people can read it and it does no
// harm to a terminal.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text with all invisible characters escaped as in Go, such as \n, \x1b or
// \u202e, so that it can neither harm a terminal nor hide what it is. It allocates only if
// there are such characters.
func Text(s string) string {
	return Escape(s, func(r rune) bool { return !unicode.IsGraphic(r) })
}

// Directions returns a text with the characters escaped that change the direction in which text is
// read: a name with them can look like another one. All other characters stay.
func Directions(s string) string {
	turns := func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }
	if strings.IndexFunc(s, turns) < 0 {
		return s
	}
	return Escape(s, turns)
}

// Escape returns a text with all bad characters, and bytes that are no UTF-8, escaped as in
// Go. It allocates only if there are any.
func Escape(s string, bad func(rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, bad) < 0 {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		out = AppendRune(out, s[:n], r, bad)
		s = s[n:]
	}
	return string(out)
}

// AppendRune appends a character, whose bytes are text, as Escape does.
func AppendRune(out []byte, text string, r rune, bad func(rune) bool) []byte {
	switch {
	case r == utf8.RuneError && len(text) == 1:
		return fmt.Appendf(out, `\x%02x`, text[0])
	case bad(r):
		quoted := strconv.QuoteRuneToASCII(r)
		return append(out, quoted[1:len(quoted)-1]...)
	}
	return append(out, text...)
}
