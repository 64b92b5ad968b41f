package jvmstats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
)

const someSecond = 1_700_000_000

func TestRanking(t *testing.T) {
	var k jvmstats.Ranking
	k.Add(someSecond, "a", 5)
	k.Add(someSecond, "b", 7)
	k.Add(someSecond+1, "a", 4)
	k.Add(someSecond+59, "c", 9)
	names, counts, weights := k.Top(someSecond + 59)
	assert.Equal(t, []string{"a", "c", "b"}, names, "the same weight: by count")
	assert.Equal(t, []int64{2, 1, 1}, counts)
	assert.Equal(t, []int64{9, 9, 7}, weights)
	names, _, weights = k.Top(someSecond + 60)
	assert.Equal(t, []string{"c", "a"}, names, "a minute later")
	assert.Equal(t, []int64{9, 4}, weights)
}

// TestRankingOfTooMany has thousands of names that come once, and some that come all
// the time, which are first seen when all places are taken.
func TestRankingOfTooMany(t *testing.T) {
	var k jvmstats.Ranking
	for second := int64(someSecond); second < someSecond+120; second++ {
		for i := range 1000 {
			k.Add(second, fmt.Sprintf("once %d %d", second, i), 1)
		}
		if second >= someSecond+60 {
			for i := range 20 {
				k.Add(second, fmt.Sprintf("b%02d", i), int64(100-i))
			}
		}
	}
	assert.LessOrEqual(t, k.Len(), 512)
	names, counts, weights := k.Top(someSecond + 119)
	require.Len(t, names, 50)
	kept := int64(0)
	for i, name := range names[:20] {
		assert.Equal(t, i, number(name), "in the order of their weights")
		assert.LessOrEqual(t, counts[i], int64(60))
		assert.GreaterOrEqual(t, counts[i], int64(59), "at most the first second is lost")
		assert.LessOrEqual(t, weights[i], int64(60*(100-i)))
	}
	for i := range 20 {
		kept += 60 * int64(100-i)
	}
	assert.Equal(t, kept+60*1000, k.All(someSecond+119), "the sum of all is right")
}

func TestRankingCutsNames(t *testing.T) {
	var k jvmstats.Ranking
	k.Add(someSecond, strings.Repeat("ü", 5000), 1)
	k.Add(someSecond, "a\xff", 1)
	names, _, _ := k.Top(someSecond)
	assert.Equal(t, []string{"a\uFFFD", strings.Repeat("ü", 256)}, names)
}
