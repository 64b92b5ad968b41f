package jfrtest

import (
	"errors"
	"fmt"
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
	numbers    *[]Number // takes each number that is read; can be nil
}

// Number is where a number stands in a recording.
type Number struct {
	// What is its meaning, such as "event size".
	What string
	// Offset is absolute.
	Offset, Size int64
	// Varint is set for a compressed integer; else it is a big-endian one.
	Varint bool
	Value  uint64
}

// note adds the number that has just been read to the list.
func (r *refReader) note(what string, from int, varint bool, v uint64) {
	if r.numbers != nil && r.err == nil {
		*r.numbers = append(*r.numbers, Number{what, int64(from), int64(r.pos - from), varint, v})
	}
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
func (r *refReader) raw(what string, n int64) uint64 {
	from := r.pos
	var v uint64
	for _, b := range r.take(n, "integer") {
		v = v<<8 | uint64(b)
	}
	r.note(what, from, false, v)
	return v
}

// varint reads seven bits per byte, lowest first. A ninth byte, if there is one,
// carries eight bits and has no stop bit.
func (r *refReader) varint(what string) uint64 {
	from := r.pos
	var v uint64
	for i := range 9 {
		b := r.take(1, "varint")
		if b == nil {
			return 0
		}
		if i == 8 {
			v |= uint64(b[0]) << 56
			break
		}
		v |= uint64(b[0]&0x7f) << (7 * i)
		if b[0] < 0x80 {
			break
		}
	}
	r.note(what, from, true, v)
	return v
}

// integer reads an integer of a type with n bytes in either form. Varints carry
// more bits than the type has room for only as sign extension: they are cut off.
func (r *refReader) integer(what string, n int64) uint64 {
	if r.compressed {
		return r.varint(what)
	}
	return r.raw(what, n)
}

func (r *refReader) byte(what string) byte  { return byte(r.raw(what, 1)) }
func (r *refReader) long(what string) int64 { return int64(r.integer(what, 8)) }

// count reads the number of things that follow, with all the bits that are written.
// None of them is smaller than a byte, so a count above what is left is a lie; believing
// it would cost the program its memory.
func (r *refReader) count(what string) int {
	n := r.integer(what, 4)
	if r.err != nil {
		return 0
	}
	if n > uint64(r.left()) {
		r.fail("%d %s, but only %d bytes are left", n, what, r.left())
		return 0
	}
	return int(n)
}

// chars reads a string of chars, which are no numbers to be noted.
func (r *refReader) chars() []uint16 {
	units := make([]uint16, r.count("chars of a string"))
	numbers := r.numbers
	r.numbers = nil
	for i := range units {
		units[i] = uint16(r.integer("char", 2))
	}
	r.numbers = numbers
	return units
}

// str reads a string. stringClass is the class whose pool encoding 2 refers to.
func (r *refReader) str(stringClass int64) any {
	switch enc := r.byte("encoding"); enc {
	case 0:
		return Null{}
	case 1:
		return ""
	case 2:
		return Constant{Class: stringClass, Key: r.long("key of a string")}
	case 3:
		return string(r.take(int64(r.count("bytes of a string")), "string"))
	case 4:
		return string(utf16.Decode(r.chars())) // U+FFFD stands for unpaired surrogates
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
