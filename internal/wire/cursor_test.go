package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

func TestCursorReadsOneAfterTheOther(t *testing.T) {
	tests := []struct {
		name string
		form wire.IntEncoding
		hex  string
	}{
		{"compressed", wire.Compressed, "ee 07 feffffff0f ffffffffffffffffff 01 03 02 c3a4"},
		{"raw", wire.FixedWidth, "ee 07 fffffffe ffffffffffffffff 00000001 03 00000002 c3a4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := unhex(t, tt.hex)
			c := wire.NewCursor(b, 1, tt.form)
			assert.Equal(t, len(b)-1, c.Len())
			assert.Equal(t, byte(7), c.Byte())
			assert.Equal(t, int32(-2), c.Int())
			assert.Equal(t, int64(-1), c.Long())
			assert.Equal(t, 1, c.Count())
			text, ok := c.Text().View()
			assert.True(t, ok)
			assert.Equal(t, "ä", text)
			assert.True(t, c.OK())
			assert.Equal(t, len(b), c.Pos())
			assert.Zero(t, c.Len())
		})
	}
}

// reads are all that a cursor can read, and the bytes that make it fail.
var reads = []struct {
	name   string
	before string
	read   func(*wire.Cursor) any
	zero   any
}{
	{"byte", "", func(c *wire.Cursor) any { return c.Byte() }, byte(0)},
	{"int", "ff", func(c *wire.Cursor) any { return c.Int() }, int32(0)},
	{"long", "ff", func(c *wire.Cursor) any { return c.Long() }, int64(0)},
	{"count", "ff", func(c *wire.Cursor) any { return c.Count() }, 0},
	{"text", "03024142ff03", func(c *wire.Cursor) any { _ = c.Text(); return c.Text() }, wire.Text{}},
}

func TestCursorGoesInert(t *testing.T) {
	for _, f := range forms {
		for _, tt := range reads[:4] {
			t.Run(f.name+"/"+tt.name, func(t *testing.T) {
				b := cut(append([]byte{0x11}, unhex(t, tt.before)...))
				c := wire.NewCursor(b, 1, f.form)
				assert.Equal(t, tt.zero, tt.read(&c))
				assert.False(t, c.OK())
				assert.Equal(t, 1, c.Pos(), "where the value begins that did not fit")

				// Nothing wakes it up.
				for _, other := range reads {
					assert.Equal(t, other.zero, other.read(&c), other.name)
				}
				assert.Equal(t, 1, c.Pos())
				c.Seek(0)
				assert.Zero(t, c.Byte())
				assert.False(t, c.OK())
			})
		}
	}
}

func TestCursorTextGoesInertAtTheTextThatDoesNotFit(t *testing.T) {
	c := wire.NewCursor(unhex(t, "0302414203054142"), 0, wire.Compressed)
	first, ok := c.Text().View()
	assert.True(t, ok)
	assert.Equal(t, "AB", first)
	assert.Zero(t, c.Text())
	assert.False(t, c.OK())
	assert.Equal(t, 4, c.Pos())
}

func TestCursorAtTheEndOfTheData(t *testing.T) {
	c := wire.NewCursor([]byte{1, 2}, 2, wire.Compressed)
	assert.True(t, c.OK(), "nothing has failed yet")
	assert.Zero(t, c.Len())
	assert.Zero(t, c.Byte())
	assert.False(t, c.OK())
}

func TestCursorRejectsPositionsOutside(t *testing.T) {
	for name, pos := range map[string]int{"at the end": 3, "far beyond": 1 << 30, "before": -1} {
		t.Run(name, func(t *testing.T) {
			c := wire.NewCursor([]byte{1, 2}, pos, wire.Compressed)
			assert.False(t, c.OK())
			assert.Zero(t, c.Long())

			c = wire.NewCursor([]byte{1, 2}, 0, wire.Compressed)
			c.Seek(pos)
			assert.False(t, c.OK())
			assert.Zero(t, c.Pos())
			assert.Zero(t, c.Byte())
		})
	}
}

func TestCursorSeek(t *testing.T) {
	c := wire.NewCursor([]byte{1, 2, 3}, 0, wire.Compressed)
	c.Seek(2)
	assert.Equal(t, byte(3), c.Byte())
	c.Seek(1)
	assert.Equal(t, byte(2), c.Byte())
	c.Seek(3)
	assert.True(t, c.OK())
	assert.Zero(t, c.Len())
}

func TestCursorCount(t *testing.T) {
	tests := []struct {
		name string
		form wire.IntEncoding
		hex  string
		want int
		ok   bool
	}{
		{"none", wire.Compressed, "00", 0, true},
		{"as many as bytes", wire.Compressed, "02aaaa", 2, true},
		{"one more than bytes", wire.Compressed, "03aaaa", 0, false},
		{"padded, its own bytes do not count", wire.Compressed, "83808000aaaa", 0, false},
		{"int -1", wire.Compressed, "ffffffff0faaaa", 0, false},
		{"negative as a long", wire.Compressed, "ffffffffffffffffffaaaa", 0, false},
		{"low bits alone would do", wire.Compressed, "8180808010aaaa", 0, false},
		{"as many as bytes", wire.FixedWidth, "00000002aaaa", 2, true},
		{"one more than bytes", wire.FixedWidth, "00000003aaaa", 0, false},
		{"negative", wire.FixedWidth, "80000000aaaa", 0, false},
		{"cut off", wire.FixedWidth, "000000", 0, false},
	}
	for _, tt := range tests {
		t.Run(forms[tt.form].name+"/"+tt.name, func(t *testing.T) {
			b := unhex(t, tt.hex)
			c := wire.NewCursor(b, 0, tt.form)
			assert.Equal(t, tt.want, c.Count())
			assert.Equal(t, tt.ok, c.OK())
			if !tt.ok {
				assert.Zero(t, c.Pos())
			}
		})
	}
}
