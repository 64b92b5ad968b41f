package wire

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
	v, n := f.decode(b, ShortLen)
	return int16(v), n
}

// Char decodes a UTF-16 code unit and returns its length; 0 if b is too short.
func (f IntEncoding) Char(b []byte) (uint16, int) {
	v, n := f.decode(b, ShortLen)
	return uint16(v), n
}

// Int decodes an int and returns its length; 0 if b is too short. As every
// reader of the format does, it keeps the low 32 bits of a wider varint.
func (f IntEncoding) Int(b []byte) (int32, int) {
	v, n := f.decode(b, IntLen)
	return int32(v), n
}

// Long decodes a long and returns its length; 0 if b is too short.
func (f IntEncoding) Long(b []byte) (int64, int) {
	v, n := f.decode(b, LongLen)
	return int64(v), n
}

// Count decodes a number of things or bytes, which is an int that FixedWidth writes in four bytes,
// and returns its length; 0 if b is too short. It keeps all bits, so that a caller who compares it,
// unsigned, with the bytes that are left refuses every count that cannot be true.
func (f IntEncoding) Count(b []byte) (uint64, int) { return f.decode(b, IntLen) }

// decode decodes an integer that FixedWidth writes in that many bytes.
func (f IntEncoding) decode(b []byte, width int) (v uint64, n int) {
	if f == Compressed {
		return Varint(b)
	}
	Step()
	if len(b) < width {
		return 0, 0
	}
	for _, c := range b[:width] {
		v = v<<8 | uint64(c)
	}
	return v, width
}
