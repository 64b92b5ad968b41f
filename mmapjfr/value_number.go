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
			return fixedWidth(k, b)
		}
		n := uint64(b[0])
		if n >= 0x80 {
			n, _ = wire.Varint(b)
		}
		return narrow(k, int64(n), false)
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
	case unsigned && k >= KindByte && k <= KindLong:
		return narrow(k, n, true)
	}
	return n
}

// floatOf returns a number of the kind as a double.
func floatOf(k Kind, n int64, unsigned bool) float64 {
	switch {
	case k == KindFloat || k == KindDouble:
		return math.Float64frombits(uint64(n))
	case unsigned:
		return float64(uint64(integerOf(k, n, true)))
	}
	return float64(n)
}

// widths is how many bits the integers of a kind have.
var widths = [...]uint8{KindByte: 8, KindChar: 16, KindShort: 16, KindInt: 32, KindLong: 64}

// narrow keeps as many bits of a number as its kind has, with their sign unless it is unsigned.
func narrow(k Kind, n int64, unsigned bool) int64 {
	shift := (64 - widths[k]) & 63
	if unsigned || k == KindChar {
		return int64(uint64(n) << shift >> shift)
	}
	return n << shift >> shift
}

// fixedWidth reads an integer of the kind that takes as many bytes as the kind has.
func fixedWidth(k Kind, b []byte) (n int64) {
	size := int(widths[k] / 8)
	if len(b) < size {
		return 0
	}
	for _, x := range b[:size] {
		n = n<<8 | int64(x)
	}
	return narrow(k, n, false)
}
