package wire_test

import (
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
