package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBucketsAtTheEnds has null for what is beyond 64 bits.
func TestBucketsAtTheEnds(t *testing.T) {
	of := func(kind Kind, n uint64, width int64) Value {
		return bucket([]Value{{kind: kind, num: n}, {kind: Int, num: uint64(width)}})
	}
	least := int64(math.MinInt64)
	assert.Equal(t, Null, of(Int, uint64(least), 4e18).kind)
	assert.Equal(t, int64(-8e18), of(Int, uint64(least+2e18), 4e18).Int())
	assert.Equal(t, least, of(Int, uint64(least), 2).Int())
	assert.Equal(t, int64(-7), of(Int, math.MaxUint64, 7).Int())
	assert.Equal(t, int64(0), of(Int, 6, 7).Int())
	assert.Equal(t, uint64(15e18), of(Unsigned, math.MaxUint64, 5e18).num)
}
