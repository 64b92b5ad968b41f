package asprof

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// unquote returns the text in single quotes at the beginning, and what follows it.
func unquote(text []byte) (s string, rest []byte, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte("'"))
	if !ok {
		return "", nil, false
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			return string(b), text[i+1:], true
		case c == '\\' && i+1 < len(text):
			i++
			b = append(b, text[i])
		default:
			b = append(b, c)
		}
	}
	return "", nil, false
}

// unpack makes whole names of those that begin with how much they have in common with the name
// before: a character, less a blank.
func (d *page) unpack() (reason string) {
	for i := 1; i < len(d.names); i++ {
		packed := d.names[i]
		if packed == "" || packed[0] < ' ' || packed[0] > 127 {
			return "a name in the list before it is damaged"
		}
		end, ok := prefix(d.names[i-1], int(packed[0]-' '))
		if !ok {
			return "a name in the list before it has more in common with the one before than there is"
		}
		if d.text += end; d.text > profile.MaxText {
			return profile.TooMuchText
		}
		d.names[i] = d.names[i-1][:end] + packed[1:]
	}
	return ""
}

// prefix returns where a number of UTF-16 units of a text end in bytes. It is false if there are not
// as many.
func prefix(text string, units int) (end int, ok bool) {
	for units > 0 && end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		units -= max(utf16.RuneLen(r), 1)
		end += size
	}
	return end, units <= 0
}
