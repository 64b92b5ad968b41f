package wire_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
)

func FuzzVarint(f *testing.F) {
	for _, seed := range []string{
		"", "\x00", "\x7f", "\x80", "\x80\x01", "\xa2\x80\x80\x00", "\xff\xff\xff\xff\x0f",
		"\x80\x80\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80\x80\x80\x80\x80",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		wantV, wantN := referenceVarint(b)
		// Alone the bytes take the narrow path, with more behind the wide one.
		for _, b := range [][]byte{cut(b[:min(len(b), 8)]), b} {
			if len(b) < wantN {
				continue
			}
			v, n := wire.Varint(b)
			require.Equal(t, wantN, n)
			require.Equal(t, wantV, v)
			require.Equal(t, wantN, wire.SkipVarint(b))
			v, n = wire.Compressed.Count(b)
			require.Equal(t, wantN, n)
			require.Equal(t, wantV, v)
		}
	})
}

func FuzzWord(f *testing.F) {
	for _, seed := range []string{
		"\x00\x00\x00\x00\x00\x00\x00\x00", "\x80\x80\x80\x80\x80\x80\x80\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x05\x63\x01\x02\x03\x04\x05\x06", "\x7f\xff\x7f\xff\xff\xff\xff\xff", "\x7f\xff\xff\x7f\xff\xff\xff\xff",
		"\x85\x80\x80\x00\x63\x01\x02\x03", "\xff\xff\xff\x7f\xff\x7f\xff\xff", "\xff\xff\xff\x7f\xff\xff\x7f\xff",
		"\x80\x01\x63\x01\x02\x03\x04\x05", "\x80\x80\x01\x63\x01\x02\x03\x04", "\x80\x80\x80\x80\x01\x63\x01\x02",
		"\xff\xff\xff\xff\xff\xff\xff\x7f", "behind the word",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for pos := range max(len(b)-wire.WordLen+1, 0) {
			require.Equal(t, binary.LittleEndian.Uint64(b[pos:]), wire.Word(b, pos))
		}
		if len(b) < wire.WordLen {
			return
		}
		checkVarintWord(t, b)
		// A head is at most eleven bytes, of which a word shows what matters.
		checkFrame(t, append(b[:len(b):len(b)], make([]byte, 2*wire.MaxVarintLen)...))
	})
}

func FuzzText(f *testing.F) {
	for _, tt := range texts {
		f.Add(unhex(f, tt.hex), tt.form == wire.Raw)
	}
	f.Fuzz(func(t *testing.T, b []byte, raw bool) {
		form := wire.Compressed
		if raw {
			form = wire.Raw
		}
		b = cut(b)
		text, n := wire.ReadText(b, form)
		require.Equal(t, n, wire.SkipText(b, form))
		require.LessOrEqual(t, n, len(b))
		if n == 0 {
			require.Zero(t, text)
			return
		}
		got := text.Append(nil)
		assert.True(t, utf8.Valid(got))
		if view, ok := text.View(); ok {
			require.Equal(t, view, string(got))
		}
		units := text.AppendUTF16(nil)
		require.LessOrEqual(t, len(units), len(text.Bytes))
		// A cursor stands where the text ends, and what is cut off does not fit.
		c := wire.NewCursor(b, 0, form)
		require.Equal(t, text, c.Text())
		require.Equal(t, n, c.Pos())
		_, m := wire.ReadText(cut(b[:n-1]), form)
		require.Zero(t, m)
	})
}
