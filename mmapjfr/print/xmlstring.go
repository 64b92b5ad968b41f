package print

import (
	"strconv"
	"unicode/utf8"
)

// xmlPlain tells which bytes stand for themselves. Ends of lines do, as in jfr's
// documents, although programs that read XML take a carriage return for a newline.
var xmlPlain = func() (plain [256]bool) {
	for c := byte(' '); c <= 0x7f; c++ {
		plain[c] = true
	}
	for _, c := range []byte("\t\n\r") {
		plain[c] = true
	}
	for c := range xmlEntities {
		plain[c] = false
	}
	return plain
}()

var xmlEntities = map[byte]string{'"': "&quot;", '&': "&amp;", '\'': "&apos;", '<': "&lt;", '>': "&gt;"}

// appendXMLString appends a string as it stands between tags, or in quotes.
func appendXMLString(dst []byte, s string) []byte {
	at := 0
	for i := 0; i < len(s); {
		if xmlPlain[s[i]] {
			i++
			continue
		}
		dst = append(dst, s[at:i]...)
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendXMLRune(dst, r)
		i += n
		at = i
	}
	return append(dst, s[at:]...)
}

// appendXMLRune appends a character. XML has no way to write control characters
// and halves of surrogate pairs: they become U+FFFD. There jfr writes what no
// program can read, and so it does for characters beyond U+FFFF.
func appendXMLRune(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf && xmlPlain[r]:
		return append(dst, byte(r))
	case r < ' ' || r >= 0xd800 && r < 0xe000 || r == 0xfffe || r == 0xffff:
		r = utf8.RuneError
	case r < utf8.RuneSelf:
		return append(dst, xmlEntities[byte(r)]...)
	}
	dst = append(dst, "&#"...)
	return append(strconv.AppendInt(dst, int64(r), 10), ';')
}
