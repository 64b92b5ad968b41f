package wire

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is the first byte of a string and says how the rest is written (FORMAT.md, section 3).
type Encoding uint8

// The encodings, with the numbers the format gives them.
const (
	// Null is a string that is not there; nothing follows.
	Null Encoding = 0
	// Empty is the string of no characters; nothing follows.
	Empty Encoding = 1
	// Constant is the key of a constant of type java.lang.String, a long.
	Constant Encoding = 2
	// UTF8 is a number of bytes and the bytes.
	UTF8 Encoding = 3
	// Chars is a number of UTF-16 code units and each unit, a char.
	Chars Encoding = 4
	// Latin1 is a number of bytes and the bytes, one character each.
	Latin1 Encoding = 5
)

// Text is a string as it lies in a file. It aliases the bytes it was read from.
type Text struct {
	// Bytes are the encoded characters, without the count before them.
	Bytes []byte
	// Key is the key of the constant that holds the characters, if Encoding is Constant.
	Key int64
	// Encoding says how Bytes is to be read.
	Encoding Encoding
	// IntEncoding is that of Bytes, if Encoding is Chars.
	IntEncoding IntEncoding
	// ascii tells, if Encoding is Chars, that each code unit took one byte.
	ascii bool
}

// ReadText decodes the string at the head of b and returns it with its length;
// 0 if b ends inside it or the encoding is none of the six. It allocates nothing.
func ReadText(b []byte, encoding IntEncoding) (t Text, n int) {
	Step()
	if len(b) == 0 {
		return Text{}, 0
	}
	t.Encoding, t.IntEncoding = Encoding(b[0]), encoding
	n = 1
	switch t.Encoding {
	case Null, Empty:
		return t, n
	case Constant:
		key, m := encoding.Long(b[n:])
		if m == 0 {
			return Text{}, 0
		}
		t.Key = key
		return t, n + m
	case UTF8, Latin1, Chars:
		count, m := encoding.Count(b[n:])
		n += m
		if m == 0 || count > uint64(len(b)-n) {
			return Text{}, 0
		}
		size := int(count)
		if t.Encoding == Chars {
			var ok bool
			if size, ok = skipChars(b[n:], int(count), encoding); !ok {
				return Text{}, 0
			}
			t.ascii = encoding == Compressed && size == int(count)
		}
		t.Bytes = b[n : n+size : n+size]
		return t, n + size
	}
	return Text{}, 0
}

// SkipText returns the length of the string at the head of b; 0 if b ends
// inside it or the encoding is none of the six.
func SkipText(b []byte, encoding IntEncoding) int {
	Step()
	// Most strings by far are constants, or short and a byte a character.
	if encoding == Compressed && len(b) >= 2 {
		n := 2 + int(b[1])
		switch Encoding(b[0]) {
		case Null, Empty:
			return 1
		case Constant:
			if m := SkipVarint(b[1:]); m > 0 {
				return 1 + m
			}
			return 0
		case UTF8, Latin1:
			if b[1] < 0x80 && n <= len(b) {
				return n
			}
		case Chars:
			if b[1] < 0x80 && n <= len(b) && isASCII(b[2:n]) {
				return n
			}
		}
	}
	_, n := ReadText(b, encoding)
	return n
}

// skipChars returns the bytes that count code units take. There are at least as many bytes.
func skipChars(b []byte, count int, encoding IntEncoding) (size int, ok bool) {
	if encoding == FixedWidth {
		return count * ShortLen, count <= len(b)/ShortLen
	}
	if isASCII(b[:count]) {
		return count, true // as most are
	}
	for range count {
		n := SkipVarint(b[size:])
		if n == 0 {
			return 0, false
		}
		size += n
	}
	return size, true
}

// Plain reports whether the bytes are the text as they are: UTF-8 that is well-formed,
// Latin-1 and code units that are ASCII. Where they are not, [Text.Append] converts them.
func (t Text) Plain() bool {
	switch t.Encoding {
	case Null, Empty:
		return true
	case UTF8:
		StepBytes(len(t.Bytes))
		return utf8.Valid(t.Bytes)
	case Latin1:
		return isASCII(t.Bytes)
	case Chars:
		return t.ascii
	}
	return false
}

// View returns the string as a view of the file's bytes; false where they are not
// [Text.Plain]. The view is valid as long as the bytes are. It allocates nothing.
func (t Text) View() (s string, ok bool) {
	if !t.Plain() {
		return "", false
	}
	return View(t.Bytes), true
}

// Append appends the string, converted to UTF-8, to dst. What is no character in the encoding
// becomes U+FFFD, just where the JDK puts it: an unpaired surrogate gives one, a malformed UTF-8
// sequence as many as java.lang.String's decoder makes of it.
func (t Text) Append(dst []byte) []byte {
	if s, ok := t.View(); ok {
		StepBytes(len(s))
		return append(dst, s...)
	}
	switch t.Encoding {
	case UTF8:
		return appendJavaUTF8(dst, t.Bytes)
	case Latin1:
		for _, c := range t.Bytes {
			Step()
			dst = utf8.AppendRune(dst, rune(c))
		}
	case Chars:
		for b := t.Bytes; len(b) > 0; {
			c, n := t.IntEncoding.Char(b)
			if n == 0 {
				break
			}
			b = b[n:]
			r := rune(c)
			if utf16.IsSurrogate(r) {
				low, m := t.IntEncoding.Char(b)
				if r = utf16.DecodeRune(r, rune(low)); m > 0 && r != utf8.RuneError {
					b = b[m:]
				} else {
					r = utf8.RuneError
				}
			}
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// AppendUTF16 appends the string's UTF-16 code units to dst. Unlike
// [Text.Append] it keeps unpaired surrogates, which virtual machines do write.
func (t Text) AppendUTF16(dst []uint16) []uint16 {
	switch t.Encoding {
	case UTF8:
		for _, r := range string(t.Append(nil)) {
			Step()
			dst = utf16.AppendRune(dst, r)
		}
	case Latin1: // without memory for a string
		for _, c := range t.Bytes {
			Step()
			dst = append(dst, uint16(c))
		}
	case Chars:
		for b := t.Bytes; len(b) > 0; {
			c, n := t.IntEncoding.Char(b)
			if n == 0 {
				break
			}
			dst = append(dst, c)
			b = b[n:]
		}
	}
	return dst
}

// isASCII reports whether no byte has its highest bit set.
func isASCII(b []byte) bool {
	for len(b) >= 8 {
		Step()
		if binary.LittleEndian.Uint64(b)&VarintEnds != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ShortText returns the bytes of the string at pos, if it is one of at most 127
// characters, each a byte, that stands there itself, in the compressed form, and
// not at the very end of b. They are plain text.
func ShortText(b []byte, pos int) (text []byte, ok bool) {
	if pos < 0 || pos > len(b)-shortTextRoom {
		return nil, false
	}
	w := Word(b, pos)
	switch n := int(w >> 8 & 0xff); Encoding(w) {
	case Null, Empty:
		return nil, true
	case UTF8, Latin1, Chars:
		if n <= 2*WordLen && ShortASCII(b, pos+2, n) {
			return b[pos+2 : pos+2+n], true
		}
		if n > 2*WordLen && n < 0x80 && n <= len(b)-pos-2 && isASCII(b[pos+2:pos+2+n]) {
			return b[pos+2 : pos+2+n], true
		}
	}
	return nil, false
}

// shortTextRoom is how many bytes ShortText looks at.
const shortTextRoom = 2 + 2*WordLen

// appendJavaUTF8 appends malformed UTF-8 with U+FFFD for what is wrong, once for each part that
// java.lang.String's decoder replaces. Virtual machines do write such strings: names inside them
// are modified UTF-8, in which a character beyond U+FFFF is a pair of three-byte surrogates. The
// JDK makes one U+FFFD of each of the two, where Go's decoder would make three.
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
