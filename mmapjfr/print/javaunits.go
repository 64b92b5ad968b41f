package print

import (
	"unicode/utf16"
	"unicode/utf8"
)

// appendJavaUnits appends UTF-16 code units as Java's encoder for UTF-8 does: unpaired
// surrogates become question marks.
func appendJavaUnits(dst []byte, units []uint16) []byte {
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		switch {
		case !utf16.IsSurrogate(c):
			dst = utf8.AppendRune(dst, c)
		case i+1 < len(units) && utf16.DecodeRune(c, rune(units[i+1])) != utf8.RuneError:
			dst = utf8.AppendRune(dst, utf16.DecodeRune(c, rune(units[i+1])))
			i++
		default:
			dst = append(dst, '?')
		}
	}
	return dst
}
