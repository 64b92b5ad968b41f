package wire_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/internal/wire/wirefuzz"
)

// surroundings are ways for the same bytes to lie in a file: alone, so that the decoder meets the
// end of the slice, or with more bytes after them, so that it may read nine bytes at once.
var surroundings = []struct {
	name   string
	behind []byte
}{
	{"alone", nil},
	{"before one byte", []byte{0xff}},
	{"before zeros", make([]byte, 16)},
	{"before ones", []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
}

func TestVarint(t *testing.T) {
	tests := []struct {
		name string
		hex  string
		want uint64
	}{
		{"zero", "00", 0},
		{"one byte", "7f", 1<<7 - 1},
		{"two bytes, least", "8001", 1 << 7},
		{"two bytes, greatest", "ff7f", 1<<14 - 1},
		{"three bytes, least", "808001", 1 << 14},
		{"three bytes, greatest", "ffff7f", 1<<21 - 1},
		{"four bytes, least", "80808001", 1 << 21},
		{"four bytes, greatest", "ffffff7f", 1<<28 - 1},
		{"five bytes, least", "8080808001", 1 << 28},
		{"five bytes, greatest", "ffffffff7f", 1<<35 - 1},
		{"six bytes, least", "808080808001", 1 << 35},
		{"six bytes, greatest", "ffffffffff7f", 1<<42 - 1},
		{"seven bytes, least", "80808080808001", 1 << 42},
		{"seven bytes, greatest", "ffffffffffff7f", 1<<49 - 1},
		{"eight bytes, least", "8080808080808001", 1 << 49},
		{"eight bytes, greatest", "ffffffffffffff7f", 1<<56 - 1},
		{"nine bytes, least", "808080808080808001", 1 << 56},
		{"ninth byte has no stop bit", "808080808080808080", 1 << 63},
		{"ninth byte has eight bits", "8080808080808080ff", 0xff << 56},
		{"all bits", "ffffffffffffffffff", 1<<64 - 1},
		{"int -1 as the JVM writes it", "ffffffff0f", 1<<32 - 1},
		{"each byte its own", "8182838485868788f9", 1 | 2<<7 | 3<<14 | 4<<21 | 5<<28 | 6<<35 | 7<<42 | 8<<49 | 0xf9<<56},
		{"zero padded to two", "8000", 0},
		{"zero padded to nine", "808080808080808000", 0},
		{"34 padded to four", "a2808000", 34},
		{"one padded to eight", "8180808080808000", 1},
	}
	for _, tt := range tests {
		for _, s := range surroundings {
			t.Run(tt.name+"/"+s.name, func(t *testing.T) {
				head := unhex(t, tt.hex)
				b := cut(append(head, s.behind...))
				v, n := wire.Varint(b)
				assert.Equal(t, tt.want, v)
				assert.Equal(t, len(head), n)
				assert.Equal(t, len(head), wire.SkipVarint(b))
			})
		}
	}
}

func TestVarintOfEveryLengthAndPadding(t *testing.T) {
	for bits := range 65 {
		v := uint64(1)<<bits - 1
		for width := 1; width <= 9; width++ {
			b := appendVarint(nil, v, width)
			for _, s := range surroundings {
				got, n := wire.Varint(cut(append(b[:len(b):len(b)], s.behind...)))
				require.Equal(t, v, got, "%d bits in %d bytes %s", bits, width, s.name)
				require.Equal(t, len(b), n, "%d bits in %d bytes %s", bits, width, s.name)
			}
		}
	}
}

func TestVarintRejectsEveryTruncation(t *testing.T) {
	for width := 1; width <= 9; width++ {
		whole := appendVarint(nil, 5, width)
		require.Len(t, whole, width)
		for n := range whole {
			t.Run(fmt.Sprintf("%d of %d bytes", n, width), func(t *testing.T) {
				v, got := wire.Varint(cut(whole[:n]))
				assert.Zero(t, got)
				assert.Zero(t, v)
				assert.Zero(t, wire.SkipVarint(cut(whole[:n])))
			})
		}
	}
	_, n := wire.Varint(nil)
	assert.Zero(t, n)
	assert.Zero(t, wire.SkipVarint(nil))
}

func TestVarintMatchesReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		// Stop bits come early in even mixtures; these reach all lengths alike.
		b := make([]byte, rng.IntN(21))
		stop := rng.IntN(12)
		for i := range b {
			b[i] = byte(rng.Uint32()) | 0x80
			if i >= stop && rng.IntN(2) == 0 {
				b[i] &= 0x7f
			}
		}
		v, n := wire.Varint(b)
		wantV, wantN := wirefuzz.ReferenceVarint(b)
		require.Equal(t, wantN, n, "% x", b)
		require.Equal(t, wantV, v, "% x", b)
		require.Equal(t, wantN, wire.SkipVarint(b), "% x", b)
	}
}
