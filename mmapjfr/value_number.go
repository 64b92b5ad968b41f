package mmapjfr

import (
	"math"

	"github.com/mmapjfr/jfr/internal/wire"
)

// number reads a number of the kind at pos: an integer with its sign, and the bits of a
// float or double as a double.
func (c *chunk) number(k Kind, b []byte, pos int) int64 {
	if uint(pos) >= uint(len(b)) {
		return 0
	}
	b = b[pos:]
	switch k {
	case KindBool:
		return int64(min(b[0], 1))
	case KindByte:
		return int64(int8(b[0]))
	case KindChar, KindShort, KindInt, KindLong:
		if c.form == wire.FixedWidth {
			return rawInteger(k, b)
		}
		n := uint64(b[0])
		if n >= 0x80 {
			n, _ = wire.Varint(b)
		}
		return narrow(k, n)
	case KindFloat:
		f, _ := wire.Float(b)
		return int64(math.Float64bits(float64(f)))
	case KindDouble:
		f, _ := wire.Double(b)
		return int64(math.Float64bits(f))
	}
	return 0
}

// integerOf returns a number of the kind as an integer.
func integerOf(k Kind, n int64, unsigned bool) int64 {
	switch {
	case k == KindFloat || k == KindDouble:
		return javaLong(math.Float64frombits(uint64(n)))
	case unsigned:
		return zeroExtend(k, n)
	}
	return n
}

// floatOf returns a number of the kind as a double.
func floatOf(k Kind, n int64, unsigned bool) float64 {
	switch {
	case k == KindFloat || k == KindDouble:
		return math.Float64frombits(uint64(n))
	case unsigned:
		return float64(uint64(zeroExtend(k, n)))
	}
	return float64(n)
}

// narrow keeps as many bits of a number as its kind has, with their sign.
func narrow(k Kind, n uint64) int64 {
	switch k {
	case KindChar:
		return int64(uint16(n))
	case KindShort:
		return int64(int16(n))
	case KindInt:
		return int64(int32(n))
	}
	return int64(n)
}

func rawInteger(k Kind, b []byte) int64 {
	switch k {
	case KindChar:
		n, _ := wire.FixedWidth.Char(b)
		return int64(n)
	case KindShort:
		n, _ := wire.FixedWidth.Short(b)
		return int64(n)
	case KindInt:
		n, _ := wire.FixedWidth.Int(b)
		return int64(n)
	}
	n, _ := wire.FixedWidth.Long(b)
	return n
}

func zeroExtend(k Kind, n int64) int64 {
	switch k {
	case KindByte:
		return int64(uint8(n))
	case KindShort:
		return int64(uint16(n))
	case KindInt:
		return int64(uint32(n))
	}
	return n
}
