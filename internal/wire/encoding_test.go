package wire_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

// The value is given as a long, since that holds all others.
func TestFormReadsIntegers(t *testing.T) {
	short := func(f wire.IntEncoding, b []byte) (int64, int) { v, n := f.Short(b); return int64(v), n }
	char := func(f wire.IntEncoding, b []byte) (int64, int) { v, n := f.Char(b); return int64(v), n }
	integer := func(f wire.IntEncoding, b []byte) (int64, int) { v, n := f.Int(b); return int64(v), n }
	long := func(f wire.IntEncoding, b []byte) (int64, int) { return f.Long(b) }
	count := func(f wire.IntEncoding, b []byte) (int64, int) { v, n := f.Count(b); return int64(v), n }

	tests := []struct {
		name string
		read func(wire.IntEncoding, []byte) (int64, int)
		form wire.IntEncoding
		hex  string
		want int64
	}{
		{"short", short, wire.FixedWidth, "7fff", math.MaxInt16},
		{"short, negative", short, wire.FixedWidth, "8000", math.MinInt16},
		{"short", short, wire.Compressed, "ffff01", math.MaxInt16},
		{"short, negative in 16 bits", short, wire.Compressed, "ffff03", -1},
		{"short, negative in 64 bits", short, wire.Compressed, "ffffffffffffffffff", -1},
		{"char", char, wire.FixedWidth, "ffff", 0xffff},
		{"char", char, wire.Compressed, "ffff03", 0xffff},
		{"char, upper bits cut off", char, wire.Compressed, "c18004", 0x41},
		{"int", integer, wire.FixedWidth, "12345678", 0x12345678},
		{"int, negative", integer, wire.FixedWidth, "fffffffe", -2},
		{"int, negative in 32 bits", integer, wire.Compressed, "feffffff0f", -2},
		{"int, negative in 64 bits", integer, wire.Compressed, "feffffffffffffffff", -2},
		{"int, upper bits cut off", integer, wire.Compressed, "8580808010", 5},
		{"long", long, wire.FixedWidth, "0123456789abcdef", 0x0123456789abcdef},
		{"long, negative", long, wire.FixedWidth, "ffffffffffffffff", -1},
		{"long", long, wire.Compressed, "ffffffffffffffff7f", math.MaxInt64},
		{"long, negative", long, wire.Compressed, "808080808080808080", math.MinInt64},
		{"long, 32 bits are not sign-extended", long, wire.Compressed, "ffffffff0f", math.MaxUint32},
		{"count", count, wire.FixedWidth, "00000003", 3},
		{"count, not negative", count, wire.FixedWidth, "ffffffff", math.MaxUint32},
		{"count", count, wire.Compressed, "8380808000", 3},
		{"count, int -1", count, wire.Compressed, "ffffffff0f", math.MaxUint32},
		{"count, keeps all bits", count, wire.Compressed, "858080808080808001", 5 | 1<<56},
	}
	for _, tt := range tests {
		t.Run(forms[tt.form].name+"/"+tt.name, func(t *testing.T) {
			whole := unhex(t, tt.hex)
			for _, s := range surroundings {
				v, n := tt.read(tt.form, cut(append(whole[:len(whole):len(whole)], s.behind...)))
				assert.Equal(t, tt.want, v, s.name)
				assert.Equal(t, len(whole), n, s.name)
			}
			for cutAt := range whole {
				v, n := tt.read(tt.form, cut(whole[:cutAt]))
				assert.Zero(t, n, "%d bytes", cutAt)
				assert.Zero(t, v, "%d bytes", cutAt)
			}
		})
	}
}

func TestFloat(t *testing.T) {
	testReals(t, 4, wire.Float, func(v float32) uint64 { return uint64(math.Float32bits(v)) }, map[string]float32{
		"3fc00000": 1.5,
		"80000000": float32(math.Copysign(0, -1)),
		"00000001": math.SmallestNonzeroFloat32,
		"7f800000": float32(math.Inf(1)),
		"7fc00123": math.Float32frombits(0x7fc00123), // not a number, its bits kept
	})
}

func TestDouble(t *testing.T) {
	testReals(t, 8, wire.Double, math.Float64bits, map[string]float64{
		"c002000000000000": -2.25,
		"8000000000000000": math.Copysign(0, -1),
		"7ff0000000000000": math.Inf(1),
		"7ff8000000000123": math.Float64frombits(0x7ff8000000000123), // not a number, its bits kept
	})
}

func testReals[T float32 | float64](t *testing.T, size int, read func([]byte) (T, int), bits func(T) uint64, tests map[string]T) {
	t.Helper()
	for hex, want := range tests {
		b := unhex(t, hex)
		v, n := read(append(b, 0xff))
		assert.Equal(t, bits(want), bits(v), hex)
		assert.Equal(t, size, n, hex)
		for i := range size {
			_, n := read(cut(b[:i]))
			assert.Zero(t, n, hex)
		}
	}
}
