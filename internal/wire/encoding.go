package wire

import "encoding/binary"

// IntEncoding is how a chunk writes its integers: bit 0 of the header's flags says
// which of the two it is (FORMAT.md, section 2).
type IntEncoding uint8

const (
	// Compressed writes short, char, int and long as varints.
	Compressed IntEncoding = iota
	// FixedWidth writes them big-endian, in their full width.
	FixedWidth
)

// Widths, in bytes, of integers that FixedWidth writes.
const (
	ShortLen = 2
	IntLen   = 4
	LongLen  = 8
)

// Short decodes a short, sign-extended, and returns its length; 0 if b is too short.
func (f IntEncoding) Short(b []byte) (int16, int) {
	if f == Compressed {
		v, n := Varint(b)
		return int16(v), n
	}
	Step()
	if len(b) < ShortLen {
		return 0, 0
	}
	return int16(binary.BigEndian.Uint16(b)), ShortLen
}

// Char decodes a UTF-16 code unit and returns its length; 0 if b is too short.
func (f IntEncoding) Char(b []byte) (uint16, int) {
	v, n := f.Short(b)
	return uint16(v), n
}

// Int decodes an int and returns its length; 0 if b is too short. As every
// reader of the format does, it keeps the low 32 bits of a wider varint.
func (f IntEncoding) Int(b []byte) (int32, int) {
	if f == Compressed {
		v, n := Varint(b)
		return int32(v), n
	}
	Step()
	if len(b) < IntLen {
		return 0, 0
	}
	return int32(binary.BigEndian.Uint32(b)), IntLen
}

// Long decodes a long and returns its length; 0 if b is too short.
func (f IntEncoding) Long(b []byte) (int64, int) {
	if f == Compressed {
		v, n := Varint(b)
		return int64(v), n
	}
	Step()
	if len(b) < LongLen {
		return 0, 0
	}
	return int64(binary.BigEndian.Uint64(b)), LongLen
}

// Count decodes a number of things or bytes, which is an int that FixedWidth
// writes in four bytes, and returns its length; 0 if b is too short. It keeps
// all bits, so that a caller who compares it, unsigned, with the bytes that are
// left refuses every count that cannot be true.
func (f IntEncoding) Count(b []byte) (uint64, int) {
	if f == Compressed {
		return Varint(b)
	}
	Step()
	if len(b) < IntLen {
		return 0, 0
	}
	return uint64(binary.BigEndian.Uint32(b)), IntLen
}
