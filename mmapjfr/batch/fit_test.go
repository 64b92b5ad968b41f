package batch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// TestFitsMergeInAnyOrder merges fits of recordings in any order and grouping.
func TestFitsMergeInAnyOrder(t *testing.T) {
	lack := func(of, text string, near ...string) []batch.Fit {
		return []batch.Fit{batch.NewFit(of, fmt.Errorf("%s%w", text, suggest.Hint{Word: "FileRaed", Near: near}))}
	}
	has := func(of string) []batch.Fit { return []batch.Fit{batch.NewFit(of, nil)} }
	for _, c := range []struct {
		lists [][]batch.Fit
		want  []string // what is wrong
	}{
		{[][]batch.Fit{lack("a", "there is no FileRaed"), lack("a", "there is no FileRaed", "FileRead"), lack("a", "there is no FileRaed", "FileRaid", "FileRbed")},
			[]string{"there is no FileRaed; did you mean FileRaid or FileRbed or FileRead?"}},
		{[][]batch.Fit{lack("a", "no x"), has("a"), lack("a", "no x"), has("b"), lack("b", "no y")}, nil},
		{[][]batch.Fit{lack("a", "no x"), has("b"), lack("a", "no x")}, []string{"no x"}},
		{[][]batch.Fit{lack("a", "no x"), lack("a", "no y"), lack("a", "no x")}, nil}, // each has what the other lacks
		{[][]batch.Fit{lack("b", "no y"), lack("a", "no x")}, []string{"no x", "no y"}},
	} {
		for seed := range 50 {
			random := rand.New(rand.NewPCG(1, uint64(seed)))
			lists := make([][]batch.Fit, len(c.lists))
			for i, j := range random.Perm(len(lists)) {
				lists[i] = c.lists[j]
			}
			for len(lists) > 1 {
				i := random.IntN(len(lists) - 1)
				lists[i] = batch.MergeFits(lists[i], lists[i+1])
				lists = append(lists[:i+1], lists[i+2:]...)
			}
			var got []string
			for _, f := range lists[0] {
				if err := f.Err(); err != nil {
					got = append(got, err.Error())
				}
			}
			assert.Equal(t, c.want, got)
		}
	}
}
