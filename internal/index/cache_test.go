package index_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// manyChunks joins chunks, each with events and constants.
func manyChunks(n int) []byte {
	var data []byte
	for i := range n {
		b := jfrtest.NewChunk()
		cp := b.Checkpoint(jfrtest.MaskFlush)
		for key := range 50 {
			cp.Add("jdk.types.Symbol", key+1, "symbol")
		}
		event := b.Event("test.E", jfrtest.Of("n", "int"))
		for range 10 + i {
			b.Emit(event, 1_000_000, i)
		}
		data = append(data, b.Bytes()...)
	}
	return data
}

// kept returns how many chunks have constants and blocks in memory.
func kept(x *index.Index) (constants, blocks int) {
	for _, c := range x.Chunks() {
		if c.CachedConstants() != nil {
			constants++
		}
		if c.CachedBlocks() != nil {
			blocks++
		}
	}
	return constants, blocks
}

// TestIndexForgetsWhatItHasTooMuchOf asks for all chunks, whose index may take
// next to nothing, and finds all of them in the end.
func TestIndexForgetsWhatItHasTooMuchOf(t *testing.T) {
	const chunks = 40
	data := manyChunks(chunks)
	for _, workers := range []int{1, 3} {
		x := newIndex(t, data)
		_ = index.Sweep(context.Background(), x.Chunks(), workers, nil)
		for _, c := range x.Chunks() {
			c.BuildBlocks(workers)
		}
		constants, blocks := kept(x)
		require.Equal(t, chunks, constants, "little is kept whole")
		require.Equal(t, chunks, blocks)
	}

	index.SetKept(t, 1, 8)
	for _, workers := range []int{1, 3} {
		x := newIndex(t, data)
		_ = index.Sweep(context.Background(), x.Chunks(), workers, nil)
		constants, blocks := kept(x)
		assert.Equal(t, 8, constants)
		assert.Zero(t, blocks)
		for i, c := range x.Chunks() {
			assert.Equal(t, uint64(10+i), c.BuildBlocks(workers).Events())
		}
		constants, blocks = kept(x)
		assert.Zero(t, constants)
		assert.Equal(t, 8, blocks)
		for i, c := range slices.Backward(x.Chunks()) {
			k, err := c.Constants()
			require.NoError(t, err)
			types, err := c.Types()
			require.NoError(t, err)
			assert.Equal(t, 50, k.Len(types.Named("jdk.types.Symbol")))
			_, ok := c.EventN(uint64(9 + i))
			assert.True(t, ok)
		}
		constants, blocks = kept(x)
		assert.Equal(t, 8, constants+blocks)
	}
}

// TestIndexDoesNotForgetDamage keeps constants that tell what is wrong.
func TestIndexDoesNotForgetDamage(t *testing.T) {
	index.SetKept(t, 1, 2)
	b := jfrtest.NewChunk()
	b.Checkpoint(0).Add("jdk.types.Symbol", 1, "symbol")
	l := func() *jfrtest.Layout { _, l := b.Build(); return l }()
	first := b.Bytes()
	last := len(l.Checkpoints) - 1
	for i := l.Checkpoints[last].Offset + 8; i < l.Checkpoints[last].End(); i++ {
		first[i] = 0xff
	}
	x := newIndex(t, append(first, manyChunks(10)...))
	_ = index.Sweep(context.Background(), x.Chunks(), 1, nil)
	k := x.Chunks()[0].CachedConstants()
	require.NotNil(t, k)
	require.Error(t, k.Err())
	constants, _ := kept(x)
	assert.Equal(t, 3, constants)
}

// TestCacheDropsIdleChunksFirst keeps what chunks at work have, and as much of idle ones as there
// is room for.
func TestCacheDropsIdleChunksFirst(t *testing.T) {
	index.SetKept(t, 1, 8)
	x := newIndex(t, manyChunks(20))
	chunks := x.Chunks()
	cached := func() (numbers []int) {
		for i, c := range chunks {
			if c.CachedConstants() != nil {
				numbers = append(numbers, i)
			}
		}
		return numbers
	}
	get := func(i int) {
		_, err := chunks[i].Constants()
		require.NoError(t, err)
	}
	for i := range 3 {
		get(i)
	}
	chunks[1].SetIdle(true)
	chunks[2].SetIdle(true)
	chunks[2].SetIdle(false)
	chunks[19].SetIdle(true) // it has nothing in the cache yet
	get(3)
	get(19)
	assert.Equal(t, []int{0, 2, 3, 19}, cached())
	for i := range 20 {
		get(i)
		chunks[i].SetIdle(true)
	}
	get(7)
	assert.Equal(t, []int{7}, cached(), "all others are idle")
	k, err := chunks[2].Constants()
	require.NoError(t, err)
	assert.Equal(t, 50, k.Len(k.Named("jdk.types.Symbol")))
	new(index.Chunk).SetIdle(true)
}

// TestCacheSize keeps what idle chunks have where there is room for it.
func TestCacheSize(t *testing.T) {
	index.SetKept(t, 1, 8)
	x := newIndex(t, manyChunks(20))
	x.SetCacheSize(1 << 20)
	for _, c := range x.Chunks() {
		_, err := c.Constants()
		require.NoError(t, err)
		c.SetIdle(true)
	}
	for _, c := range x.Chunks() {
		assert.NotNil(t, c.CachedConstants())
	}
}

// TestSweepOfLargeChunks compares constants that several workers find with those that one finds.
func TestSweepOfLargeChunks(t *testing.T) {
	b := jfrtest.NewChunk()
	for i := range 40 {
		cp := b.Checkpoint(0)
		for key := range 1000 {
			cp.Add("jdk.types.Symbol", 500*i+key+1, strings.Repeat("symbol", i))
		}
	}
	data := b.Bytes()
	require.Greater(t, len(data), 2<<20)
	one := newIndex(t, data)
	want, err := one.Chunks()[0].Constants()
	require.NoError(t, err)
	for _, workers := range []int{0, 1, 2, 8} {
		x := newIndex(t, data)
		x.SetWorkers(workers)
		got, err := x.Chunks()[0].Constants()
		require.NoError(t, err)
		assert.Equal(t, want.Pools(), got.Pools())
		assert.Equal(t, want.Checkpoints(), got.Checkpoints())
		typ := want.Named("jdk.types.Symbol")
		assert.Equal(t, 20500, got.Len(typ))
		want.All(typ, func(key int64, offset uint64) bool {
			at, ok := got.Lookup(typ, key)
			return assert.True(t, ok) && assert.Equal(t, offset, at)
		})
	}
}
