package jfrtest

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Units is a string by its UTF-16 code units, unpaired surrogates among them.
type Units []uint16

// String returns the text with U+FFFD for unpaired surrogates.
func (u Units) String() string { return string(utf16.Decode(u)) }

// DecodeUnits is [Decode], with [Units] for each value that is a string: what a JDK
// makes of it.
func DecodeUnits(data []byte) (*Recording, error) { return decode(data, true, nil) }

// javaUTF8 decodes bytes as java.lang.String does: U+FFFD stands for a surrogate of
// three bytes, for the longest beginning of a character or a surrogate that does not go
// on, and for each other byte that is wrong.
func javaUTF8(b []byte) (units Units) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = wrongUTF8(b)
		}
		units = utf16.AppendRune(units, r)
		b = b[n:]
	}
	return units
}

// wrongUTF8 returns how many bytes one U+FFFD stands for. It tries.
func wrongUTF8(b []byte) int {
	if len(b) >= 2 && b[0] == 0xed && b[1] >= 0xa0 && b[1] < 0xc0 {
		if len(b) >= 3 && b[2] >= 0x80 && b[2] < 0xc0 {
			return 3
		}
		return 2
	}
	for n := min(3, len(b)); n > 1; n-- {
		for _, more := range []string{"\x80", "\x80\x80", "\x90\x80", "\xa0\x80"} {
			if text := string(b[:n]) + more; utf8.ValidString(text) && utf8.RuneCountInString(text) == 1 {
				return n
			}
		}
	}
	return 1
}
