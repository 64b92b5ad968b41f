package internal_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/saturate"
)

func TestSaturate(t *testing.T) {
	numbers := []int64{math.MinInt64, math.MinInt64 + 1, -3, -1, 0, 1, 2, 1 << 31, 1<<32 + 1, math.MaxInt64 / 2, math.MaxInt64/2 + 1, math.MaxInt64 - 1, math.MaxInt64}
	least, most := big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	for _, a := range numbers {
		for _, b := range numbers {
			sum, product := new(big.Int).Add(big.NewInt(a), big.NewInt(b)), new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
			switch {
			case sum.Cmp(least) < 0:
				sum = least
			case sum.Cmp(most) > 0:
				sum = most
			}
			if product.Cmp(most) > 0 {
				product = most
			}
			require.Equal(t, sum.Int64(), saturate.Add(a, b))
			if a < 0 || b < 0 {
				product = new(big.Int)
			}
			require.Equal(t, product.Int64(), saturate.Mul(a, b))
		}
	}
	for f, want := range map[float64]int64{0.4: 0, 0.5: 1, -7: 0, math.Inf(-1): 0, math.Inf(1): math.MaxInt64, 1e19: math.MaxInt64, 1e18: 1e18} {
		require.Equal(t, want, saturate.Int(f))
	}
	require.Zero(t, saturate.Int(math.NaN()))
}
