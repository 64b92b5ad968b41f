package javatext

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Compare orders texts by their UTF-16 code units, as Java does. That differs from Go's order
// where characters above U+FFFF are concerned.
func Compare(a, b string) int {
	if !strings.ContainsFunc(a, isPair) && !strings.ContainsFunc(b, isPair) {
		return strings.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// Len returns how many UTF-16 code units a text has.
func Len[T string | []byte](s T) (n int) {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i, n = i+1, n+1
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		i, n = i+size, n+utf16.RuneLen(r)
	}
	return n
}

// Slice returns a part of a text, by its UTF-16 code units. Half of a character is a question
// mark, as where Java encodes it.
func Slice(s string, from, to int) string {
	if isASCII(s) {
		return s[from:to]
	}
	return string(AppendUnits(make([]byte, 0, len(s)), utf16.Encode([]rune(s))[from:to]))
}

// AppendUnits appends UTF-16 code units as Java's encoder for UTF-8 does: unpaired
// surrogates become question marks.
func AppendUnits(dst []byte, units []uint16) []byte {
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

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isPair reports whether a character takes two UTF-16 code units.
func isPair(r rune) bool { return r > 0xffff }
