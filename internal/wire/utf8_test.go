package wire_test

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
)

// What java.lang.String makes of bytes as UTF-8, the same in JDK 17 and 25, as
// testdata/JavaUTF8.java has printed it. That file says what the lines mean.
//
//go:embed testdata/java-utf8.txt
var javaUTF8 string

func decodeUTF8(b []byte) wire.Text { return wire.Text{Encoding: wire.UTF8, Bytes: b} }

func TestMalformedUTF8AsJavaReadsIt(t *testing.T) {
	n := 0
	for line := range strings.Lines(javaUTF8) {
		words := strings.Fields(line)
		if len(words) != 2 {
			continue
		}
		n++
		t.Run(words[0], func(t *testing.T) {
			b := unhex(t, strings.Trim(words[0], "-"))
			want := strings.Trim(words[1], "-")
			text := decodeUTF8(b)
			var got strings.Builder
			for _, u := range text.AppendUTF16(nil) {
				fmt.Fprintf(&got, "%04x", u)
			}
			assert.Equal(t, want, got.String())
			s := string(text.Append(nil))
			assert.True(t, utf8.ValidString(s))
			got.Reset()
			for _, u := range utf16.Encode([]rune(s)) {
				fmt.Fprintf(&got, "%04x", u)
			}
			assert.Equal(t, want, got.String())
			view, ok := text.View()
			assert.Equal(t, utf8.Valid(b), ok)
			assert.Equal(t, ok, text.Plain())
			if ok {
				assert.Equal(t, string(b), view)
			}
		})
	}
	assert.Equal(t, 91, n)
}

// edges are the bytes at which the rules of UTF-8 change; JavaUTF8.java has the same.
var edges = []byte{
	0x00, 0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xa1, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf,
	0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfc, 0xfe, 0xff,
}

// allBytes are all bytes, of which all sequences of two are made.
var allBytes = func() (all []byte) {
	for c := range 256 {
		all = append(all, byte(c))
	}
	return all
}()

// sequences calls f with all sequences that continue b[:n] to all of b.
func sequences(b []byte, n int, alphabet []byte, f func()) {
	if n == len(b) {
		f()
		return
	}
	for _, c := range alphabet {
		b[n] = c
		sequences(b, n+1, alphabet, f)
	}
}

func TestAllShortSequencesAsJavaReadsThem(t *testing.T) {
	sums := 0
	for line := range strings.Lines(javaUTF8) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		sums++
		first, err := hex.DecodeString(words[1])
		require.NoError(t, err)
		b := make([]byte, words[0][0]-'0')
		b[0] = first[0]
		alphabet := edges
		if len(b) == 2 {
			alphabet = allBytes
		}
		var utf8Buf, unitBuf []byte
		sum := uint32(0)
		sequences(b, 1, alphabet, func() {
			utf8Buf = decodeUTF8(b).Append(utf8Buf[:0])
			unitBuf = unitBuf[:0]
			for rest := utf8Buf; len(rest) > 0; {
				r, n := utf8.DecodeRune(rest)
				rest = rest[n:]
				if high, low := utf16.EncodeRune(r); r > 0xffff {
					unitBuf = append(unitBuf, byte(high>>8), byte(high), byte(low>>8), byte(low))
				} else {
					unitBuf = append(unitBuf, byte(r>>8), byte(r))
				}
			}
			sum = crc32.Update(sum, crc32.IEEETable, append(unitBuf, 0xd8, 0))
		})
		assert.Equal(t, words[2], fmt.Sprintf("%08x", sum), "some sequence of %s bytes from %s on", words[0], words[1])
	}
	assert.Equal(t, 256+32+32, sums)
}

// HotSpot writes names as modified UTF-8.
func TestModifiedUTF8(t *testing.T) {
	for _, tt := range []struct{ name, bytes, want string }{
		{"a character beyond U+FFFF", "a\xed\xa0\xbd\xed\xb8\x80b", "a\ufffd\ufffdb"},
		{"NUL", "a\xc0\x80b", "a\ufffd\ufffdb"},
		{"half a pair", "\xed\xb8\x80", "\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(decodeUTF8([]byte(tt.bytes)).Append(nil)))
		})
	}
}
