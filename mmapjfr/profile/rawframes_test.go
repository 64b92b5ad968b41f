package profile

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNextRaw compares with numbers that are read one by one.
func TestNextRaw(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		var b []byte
		numbers := 1 + random.IntN(6)
		for range numbers {
			b = binary.AppendUvarint(b, random.Uint64()>>(8+random.IntN(56)))
		}
		size := len(b)
		bytes := append(b, make([]byte, rawBytes)...)
		for i := size; i < len(bytes); i++ {
			bytes[i] = byte(random.Uint32())
		}
		f, got := nextRaw(bytes, numbers)
		if size > rawBytes {
			assert.Zero(t, got)
			continue
		}
		var want [rawBytes]byte
		copy(want[:], bytes[:size])
		assert.Equal(t, size, got)
		assert.Equal(t, rawFrame{binary.LittleEndian.Uint64(want[:]), binary.LittleEndian.Uint64(want[8:])}, f)
	}
}

// TestHasWide has numbers of eight bytes, which end where they seem to, and of nine.
func TestHasWide(t *testing.T) {
	assert.False(t, hasWide(binary.AppendUvarint(nil, 1<<56-1)))
	assert.True(t, hasWide(binary.AppendUvarint([]byte{1}, 1<<56)))
	f, size := nextRaw(make([]byte, rawBytes-1), 1)
	assert.Zero(t, f)
	assert.Zero(t, size)
}
