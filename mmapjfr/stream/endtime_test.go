package stream

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSorter compares with the library, on lists of any runs.
func TestSorter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s sorter
	for n := range 400 {
		longest := 1 + rng.IntN(1+n/4)
		var list []pending
		for len(list) < n {
			end := rng.Int64N(50) - 25
			for range 1 + rng.IntN(longest) {
				list = append(list, pending{end, uint64(len(list))})
				end += rng.Int64N(3)
			}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b pending) int { return cmp.Compare(a.end, b.end) })
		s.sort(list)
		require.Equal(t, want, list)
	}
}
