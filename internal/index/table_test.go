package index_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// checked is a table beside a map that holds the same.
type checked struct {
	index.Table
	want map[uint64]uint64
}

func newChecked() *checked { return &checked{want: map[uint64]uint64{}} }

// add enters keys whose offsets are from on, one after the other.
func (c *checked) add(from uint64, keys ...uint64) {
	offsets := make([]uint64, len(keys))
	for i, key := range keys {
		offsets[i] = from + uint64(i)
		if _, known := c.want[key]; !known {
			c.want[key] = offsets[i]
		}
	}
	c.Add(keys, offsets)
}

func (c *checked) check(t testing.TB) {
	t.Helper()
	require.Equal(t, len(c.want), c.Len())
	for key, want := range c.want {
		got, ok := c.Lookup(key)
		if !ok || want != got {
			require.True(t, ok, "%#x", key)
			require.Equal(t, want, got, "%#x", key)
		}
		for _, other := range []uint64{key - 1, key + 1, ^key, key ^ 1<<63, key ^ 1<<32, key * 3} {
			_, there := c.want[other]
			_, ok := c.Lookup(other)
			if there != ok {
				require.Equal(t, there, ok, "%#x", other)
			}
		}
	}
	all := map[uint64]uint64{}
	c.All(func(key, offset uint64) bool {
		all[key] = offset
		return true
	})
	if !maps.Equal(c.want, all) {
		require.Equal(t, c.want, all)
	}
	require.GreaterOrEqual(t, c.Bytes(), 4*c.Room())
}

func seq(from uint64, n int, step int64) (keys []uint64) {
	for i := range n {
		keys = append(keys, from+uint64(int64(i)*step))
	}
	return keys
}

func TestTableMatchesAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range longtest.Cases(150, 300) {
		c := newChecked()
		base := rng.Uint64() >> rng.IntN(64)
		for range rng.IntN(8) {
			keys := make([]uint64, rng.IntN(60))
			spread := 1 + rng.Uint64N(1<<rng.IntN(40))
			for i := range keys {
				keys[i] = base + rng.Uint64N(spread)
				if rng.IntN(50) == 0 {
					keys[i] = rng.Uint64()
				}
			}
			c.add(1+rng.Uint64N(1<<(20+rng.IntN(19))), keys...)
			base += spread
			c.check(t)
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}
