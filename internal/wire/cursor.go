package wire

import (
	"encoding/binary"
	"math"
)

// Cursor reads values one after the other. At the first value that does not
// fit it goes inert: from then on every read returns zero, and [Cursor.OK]
// returns false. So one check after several reads is enough.
type Cursor struct {
	data     []byte
	pos      int
	encoding IntEncoding
	bad      bool
}

// NewCursor returns a cursor over data that begins to read at pos. A pos
// outside data makes a cursor that is inert from the start.
func NewCursor(data []byte, pos int, encoding IntEncoding) Cursor {
	return Cursor{data: data, pos: pos, encoding: encoding, bad: uint(pos) > uint(len(data))}
}

// OK reports whether all values read so far were there.
func (c *Cursor) OK() bool { return !c.bad }

// Pos returns the position of the next byte in the data; after a failure, the
// position of the value that did not fit.
func (c *Cursor) Pos() int { return c.pos }

// Len returns how many bytes are left.
func (c *Cursor) Len() int { return len(c.data) - c.pos }

// Seek moves the cursor to pos, for callers that have stepped over bytes by
// themselves. A pos outside the data makes it inert.
func (c *Cursor) Seek(pos int) {
	if uint(pos) > uint(len(c.data)) {
		c.bad = true
		return
	}
	c.pos = pos
}

func (c *Cursor) rest() []byte {
	if c.bad {
		return nil
	}
	return c.data[c.pos:]
}

// step moves n bytes on; zero, which is how decoders say that they failed, makes the cursor inert.
func (c *Cursor) step(n int) {
	if n == 0 {
		c.bad = true
	}
	c.pos += n
}

// Byte reads one byte.
func (c *Cursor) Byte() byte {
	Step()
	b := c.rest()
	if len(b) == 0 {
		c.bad = true
		return 0
	}
	c.pos++
	return b[0]
}

// Int reads an int.
func (c *Cursor) Int() int32 {
	v, n := c.encoding.Int(c.rest())
	c.step(n)
	return v
}

// Long reads a long.
func (c *Cursor) Long() int64 {
	v, n := c.encoding.Long(c.rest())
	c.step(n)
	return v
}

// Count reads a number of elements, each of which takes at least one byte. It fails
// if the number is larger than that of the bytes left.
func (c *Cursor) Count() int {
	v, n := c.encoding.Count(c.rest())
	if n == 0 || v > uint64(c.Len()-n) {
		c.bad = true
		return 0
	}
	c.pos += n
	return int(v)
}

// Text reads a string in any of its encodings. The result aliases the data.
func (c *Cursor) Text() Text {
	t, n := ReadText(c.rest(), c.encoding)
	c.step(n)
	return t
}

// Float decodes a big-endian float and returns its length; 0 if b is too short.
func Float(b []byte) (float32, int) {
	Step()
	if len(b) < 4 {
		return 0, 0
	}
	return math.Float32frombits(binary.BigEndian.Uint32(b)), 4
}

// Double decodes a big-endian double and returns its length; 0 if b is too short.
func Double(b []byte) (float64, int) {
	Step()
	if len(b) < 8 {
		return 0, 0
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), 8
}
