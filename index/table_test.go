package index_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
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

func TestTableForms(t *testing.T) {
	tests := []struct {
		name   string
		keys   []uint64
		hashed bool
	}{
		{"one key", seq(1<<50, 1, 1), false},
		{"ascending", seq(0, 1000, 1), false},
		{"descending", seq(1000, 1000, -1), false},
		{"every fourth", seq(7, 1000, 4), false},
		{"every tenth", seq(7, 1000, 10), true},
		{"as far apart as two may be", []uint64{5, 5 + 71}, false},
		{"one too far apart", []uint64{5, 5 + 72}, true},
		{"the ends", []uint64{0, 1<<64 - 1}, true},
		{"negative", seq(1<<64-100, 100, 1), false},
		{"both signs", seq(1<<64-50, 100, 1), true},
		{"the same again and again", make([]uint64, 100), false},
		{"upper halves", seq(0, 1000, 1<<32), true},
		{"powers of two", []uint64{1, 2, 4, 8, 16, 32, 64, 128, 1 << 20, 1 << 40, 1 << 63}, true},
		{"all in one place", index.Colliding(300), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, from := range []uint64{1, 1 << 31, 1<<32 - 50, 1 << 32, 1<<40 - 2000} {
				c := newChecked()
				c.add(from, tt.keys...)
				assert.Equal(t, tt.hashed, c.Hashed())
				assert.Equal(t, maxOffset(c.want) >= 1<<32, c.High())
				c.check(t)
				c.add(3, tt.keys...)
				c.check(t)
				if !tt.hashed {
					assert.LessOrEqual(t, c.Room(), 4*len(tt.keys)+64, "memory by the file's say")
				} else {
					assert.LessOrEqual(t, c.Room(), max(16, 4*len(tt.keys)))
				}
			}
		})
	}
}

func maxOffset(m map[uint64]uint64) (greatest uint64) {
	for _, offset := range m {
		greatest = max(greatest, offset)
	}
	return greatest
}

func TestEmptyTable(t *testing.T) {
	c := newChecked()
	c.add(1)
	assert.False(t, c.Hashed())
	for _, key := range []uint64{0, 1, 1 << 63} {
		_, ok := c.Lookup(key)
		assert.False(t, ok)
	}
	c.check(t)
	assert.Zero(t, c.Bytes())
}

// A chunk that grows brings one batch after the other.
func TestTableGrows(t *testing.T) {
	const far = 1 << 33 // offsets from here on need the column of upper bytes
	type batch struct {
		from   uint64
		keys   []uint64
		hashed bool
		high   bool
	}
	tests := []struct {
		name    string
		batches []batch
	}{
		{"stays dense", []batch{
			{1, seq(10, 100, 1), false, false},
			{1000, seq(110, 100, 1), false, false},
			{2000, seq(250, 1, 1), false, false},
		}},
		{"stays dense, upper bytes later", []batch{
			{1, seq(10, 100, 1), false, false},
			{far, seq(110, 100, 1), false, true},
			{far << 1, seq(300, 200, 1), false, true},
		}},
		{"a key before the first", []batch{
			{1, seq(10, 100, 1), false, false},
			{1000, []uint64{9}, true, false},
			{2000, seq(110, 500, 1), false, false},
		}},
		{"a key far away", []batch{
			{1, seq(10, 100, 1), false, false},
			{1000, []uint64{1 << 40}, true, false},
			{2000, seq(1<<41, 500, 7), true, false},
		}},
		{"a key as far as dense may be", []batch{
			{1, seq(0, 10, 1), false, false},
			{1000, []uint64{4*11 + 63}, false, false},
			{2000, []uint64{4*12 + 64}, true, false},
		}},
		{"hashed with upper bytes from dense with them", []batch{
			{far, seq(10, 100, 1), false, true},
			{5, []uint64{3}, true, true},
			{far, seq(1<<20, 1000, 1000), true, true},
		}},
		{"upper bytes come to a hashed one", []batch{
			{1, seq(10, 100, 1000), true, false},
			{far, seq(1<<30, 3, 1), true, true},
			{7, seq(1<<31, 1000, 1), true, true},
		}},
		{"one by one, backwards", []batch{
			{1, []uint64{50}, false, false},
			{2, []uint64{49}, true, false},
			{3, []uint64{48}, true, false},
			{4, seq(47, 48, -1), true, false},
		}},
		{"the same keys again, elsewhere", []batch{
			{1, seq(0, 50, 1), false, false},
			{far, seq(0, 50, 1), false, false},
			{far, seq(0, 51, 1), false, true},
		}},
		{"collisions", []batch{
			{1, index.Colliding(20), true, false},
			{100, index.Colliding(200), true, false},
			{far, index.Colliding(1000), true, true},
		}},
		{"nothing in between", []batch{
			{1, nil, false, false},
			{1, []uint64{1 << 63}, false, false},
			{1, nil, false, false},
			{2, []uint64{1<<63 + 1}, false, false},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecked()
			for i, b := range tt.batches {
				c.add(b.from, b.keys...)
				require.Equal(t, b.hashed, c.Hashed(), "batch %d", i)
				require.Equal(t, b.high, c.High(), "batch %d", i)
				c.check(t)
			}
		})
	}
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

func TestAllOfATableStops(t *testing.T) {
	for _, keys := range [][]uint64{seq(0, 10, 1), seq(0, 10, 1000)} {
		c := newChecked()
		c.add(1, keys...)
		n := 0
		c.All(func(_, _ uint64) bool { n++; return n < 4 })
		assert.Equal(t, 4, n)
	}
}
