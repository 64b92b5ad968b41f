package javatext

import (
	"slices"
	"strings"
	"unicode/utf16"
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
func Len(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// isPair reports whether a character takes two UTF-16 code units.
func isPair(r rune) bool { return r > 0xffff }
