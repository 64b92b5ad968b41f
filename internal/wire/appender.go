package wire

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// Appender appends values as a chunk writes them: it is the reverse of a [Cursor].
type Appender struct {
	// Bytes is what has been appended so far.
	Bytes []byte
	// Encoding is how the chunk writes its integers.
	Encoding IntEncoding
}

// SizeLen is how many bytes the size of an event takes where it is written before it is known; a
// size has at most five bytes as a varint. async-profiler pads sizes to as many.
const SizeLen = 5

// AppendVarint appends a compressed integer in as few bytes as it takes, but no fewer than least.
func AppendVarint(dst []byte, v uint64, least int) []byte {
	for n := 1; n < MaxVarintLen && (v >= 0x80 || n < least); n++ {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v)) // the ninth carries eight bits
}

// Byte appends a byte or a truth value.
func (a *Appender) Byte(v uint8) { a.Bytes = append(a.Bytes, v) }

// Raw appends bytes as they are.
func (a *Appender) Raw(b []byte) { a.Bytes = append(a.Bytes, b...) }

// Short appends a short or a char.
func (a *Appender) Short(v uint16) { a.Integer(uint64(v), ShortLen, 0) }

// Int appends an int. Like a virtual machine it writes the 32 bits of a negative one.
func (a *Appender) Int(v int32) { a.Integer(uint64(uint32(v)), IntLen, 0) }

// Long appends a long.
func (a *Appender) Long(v int64) { a.Integer(uint64(v), LongLen, 0) }

// Count appends a number of things.
func (a *Appender) Count(n int) { a.Int(int32(n)) }

// Float appends a float.
func (a *Appender) Float(v float32) {
	a.Bytes = binary.BigEndian.AppendUint32(a.Bytes, math.Float32bits(v))
}

// Double appends a double.
func (a *Appender) Double(v float64) {
	a.Bytes = binary.BigEndian.AppendUint64(a.Bytes, math.Float64bits(v))
}

// Integer appends an integer in width bytes, or as a varint of at least that many bytes.
func (a *Appender) Integer(v uint64, width, least int) {
	if a.Encoding == Compressed {
		a.Bytes = AppendVarint(a.Bytes, v, least)
		return
	}
	for width > 0 {
		width--
		a.Bytes = append(a.Bytes, byte(v>>(8*width)))
	}
}

// Text appends a string as UTF-8; what is not UTF-8 in it becomes U+FFFD.
func (a *Appender) Text(s string) {
	if s == "" {
		a.Byte(uint8(Empty))
		return
	}
	a.Byte(uint8(UTF8))
	if utf8.ValidString(s) {
		a.Count(len(s))
		a.Bytes = append(a.Bytes, s...)
		return
	}
	valid := []byte(string([]rune(s)))
	a.Count(len(valid))
	a.Raw(valid)
}

// BeginEvent appends room for the size of an event, which [Appender.EndEvent] fills in. It returns
// where the event begins.
func (a *Appender) BeginEvent() int {
	at := len(a.Bytes)
	a.Integer(0, IntLen, SizeLen)
	return at
}

// EndEvent writes the size of the event that begins there and ends at the end.
func (a *Appender) EndEvent(at int) { a.SetSize(at, uint32(len(a.Bytes)-at)) }

// SetSize writes the size of the event that begins there.
func (a *Appender) SetSize(at int, size uint32) {
	room := Appender{Bytes: a.Bytes[:at], Encoding: a.Encoding}
	room.Integer(uint64(size), IntLen, SizeLen)
}

// Header appends a chunk header (FORMAT.md, section 1).
func (a *Appender) Header(h Header) {
	b := append(a.Bytes, Magic...)
	b = binary.BigEndian.AppendUint16(b, h.Major)
	b = binary.BigEndian.AppendUint16(b, h.Minor)
	for _, v := range []uint64{
		h.Size, h.Checkpoint, h.Metadata,
		uint64(h.StartNanos), uint64(h.DurationNanos), uint64(h.StartTicks), uint64(h.TicksPerSecond),
	} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	a.Bytes = append(b, h.State, 0, 0, h.Flags)
}

// CheckpointHead appends the head of a checkpoint, after its event header. Every delta takes the
// same number of bytes.
func (a *Appender) CheckpointHead(h CheckpointHead) {
	a.Long(h.Start)
	a.Long(h.Duration)
	a.Integer(uint64(h.Delta), LongLen, MaxVarintLen)
	a.Byte(h.Mask)
	a.Count(h.Pools)
}
