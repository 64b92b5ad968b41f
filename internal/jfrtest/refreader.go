package jfrtest

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf16"
)

// ErrBad is what every error of [Decode] wraps.
var ErrBad = errors.New("jfrtest: bad recording")

// refReader reads values from data[pos:end]. Its first error stays: from then on
// it gives zero values, so that code can read a whole structure and ask once.
type refReader struct {
	data       []byte
	pos, end   int
	compressed bool
	err        error
}

func (r *refReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: at 0x%x: %s", ErrBad, r.pos, fmt.Sprintf(format, args...))
	}
}

func (r *refReader) left() int { return r.end - r.pos }

// take returns the next n bytes, or nil.
func (r *refReader) take(n int64, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > int64(r.left()) {
		r.fail("%s wants %d bytes, %d are left", what, n, r.left())
		return nil
	}
	b := r.data[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// raw reads a big-endian number of n bytes.
func (r *refReader) raw(n int64) uint64 {
	var v uint64
	for _, b := range r.take(n, "integer") {
		v = v<<8 | uint64(b)
	}
	return v
}

// varint reads seven bits per byte, lowest first. A ninth byte, if there is one,
// carries eight bits and has no stop bit.
func (r *refReader) varint() uint64 {
	var v uint64
	for i := range 9 {
		b := r.take(1, "varint")
		if b == nil {
			return 0
		}
		if i == 8 {
			return v | uint64(b[0])<<56
		}
		v |= uint64(b[0]&0x7f) << (7 * i)
		if b[0] < 0x80 {
			break
		}
	}
	return v
}

// integer reads an integer of a type with n bytes in either form. Varints carry
// more bits than the type has room for only as sign extension: they are cut off.
func (r *refReader) integer(n int64) uint64 {
	if r.compressed {
		return r.varint()
	}
	return r.raw(n)
}

func (r *refReader) byte() byte     { return byte(r.raw(1)) }
func (r *refReader) short() int16   { return int16(r.integer(2)) }
func (r *refReader) char() uint16   { return uint16(r.integer(2)) }
func (r *refReader) int() int32     { return int32(r.integer(4)) }
func (r *refReader) long() int64    { return int64(r.integer(8)) }
func (r *refReader) float() float32 { return math.Float32frombits(uint32(r.raw(4))) }
func (r *refReader) double() float64 {
	return math.Float64frombits(r.raw(8))
}

// count reads the number of things that follow, with all the bits that are written.
// None of them is smaller than a byte, so a count above what is left is a lie; believing
// it would cost the program its memory.
func (r *refReader) count(what string) int {
	n := r.integer(4)
	if r.err != nil {
		return 0
	}
	if n > uint64(r.left()) {
		r.fail("%d %s, but only %d bytes are left", n, what, r.left())
		return 0
	}
	return int(n)
}

// str reads a string. stringClass is the class whose pool encoding 2 refers to.
func (r *refReader) str(stringClass int64) any {
	switch enc := r.byte(); enc {
	case 0:
		return Null{}
	case 1:
		return ""
	case 2:
		return Constant{Class: stringClass, Key: r.long()}
	case 3:
		return string(r.take(int64(r.count("bytes of a string")), "string"))
	case 4:
		units := make([]uint16, r.count("chars of a string"))
		for i := range units {
			units[i] = r.char()
		}
		return string(utf16.Decode(units))
	case 5:
		bytes := r.take(int64(r.count("bytes of a string")), "string")
		runes := make([]rune, len(bytes))
		for i, b := range bytes {
			runes[i] = rune(b)
		}
		return string(runes)
	default:
		r.fail("string encoding %d", enc)
		return Null{}
	}
}
