package wire

import "unicode/utf8"

// appendJavaUTF8 appends malformed UTF-8 with U+FFFD for what is wrong, once
// for each part that java.lang.String's decoder replaces. Virtual machines do
// write such strings: names inside them are modified UTF-8, in which a
// character beyond U+FFFF is a pair of three-byte surrogates. The JDK makes one
// U+FFFD of each of the two, where Go's decoder would make three.
func appendJavaUTF8(dst, b []byte) []byte {
	for len(b) > 0 {
		Step()
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = malformed(b)
		}
		dst = utf8.AppendRune(dst, r)
		b = b[n:]
	}
	return dst
}

// malformed returns how many of the bytes at the head of b one U+FFFD stands
// for: the longest start of a legal sequence, or a whole three-byte surrogate.
func malformed(b []byte) int {
	c := b[0]
	continues := func(i int, low, high byte) bool {
		return len(b) > i && low <= b[i] && b[i] <= high
	}
	switch {
	case c == 0xed && continues(1, 0xa0, 0xbf) && continues(2, 0x80, 0xbf):
		return 3
	case c == 0xe0 && continues(1, 0xa0, 0xbf),
		0xe1 <= c && c <= 0xef && continues(1, 0x80, 0xbf):
		return 2
	case c == 0xf0 && continues(1, 0x90, 0xbf),
		0xf1 <= c && c <= 0xf3 && continues(1, 0x80, 0xbf),
		c == 0xf4 && continues(1, 0x80, 0x8f):
		if continues(2, 0x80, 0xbf) {
			return 3
		}
		return 2
	}
	return 1
}
