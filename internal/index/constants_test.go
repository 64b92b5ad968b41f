package index_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// places returns where the value of each constant lies, after its key. Of those
// with one key that in the oldest checkpoint counts, and there the last; so each
// takes the place of the one before, since the checkpoints come newest first.
func places(c *index.Chunk, want *jfrtest.Chunk) map[int64]map[int64]uint64 {
	all := map[int64]map[int64]uint64{}
	for _, cp := range want.Checkpoints {
		for _, p := range cp.Pools {
			if all[p.Class] == nil {
				all[p.Class] = map[int64]uint64{}
			}
			for j, key := range p.Keys {
				_, n := c.IntEncoding().Long(c.Data()[p.Offsets[j]:])
				all[p.Class][key] = uint64(p.Offsets[j]) + uint64(n)
			}
		}
	}
	return all
}

// checkConstants compares all that is known of the constants of a chunk.
func checkConstants(t testing.TB, c *index.Chunk, want *jfrtest.Chunk) {
	t.Helper()
	k := constantsOf(t, c)
	require.NoError(t, k.Err())
	types, err := c.AllTypes()
	require.NoError(t, err)
	lie := places(c, want)
	for i := range types.Types {
		class := types.Types[i]
		if class != types.ByID(class.ID) {
			continue // another class of the same number counts
		}
		checkPool(t, k, class, lie[int64(class.ID)])
	}

	checkpoints := k.Checkpoints()
	require.Len(t, checkpoints, len(want.Checkpoints))
	pools := k.Pools()
	n := 0
	for i, cp := range checkpoints {
		w := want.Checkpoints[len(checkpoints)-1-i]
		require.Equal(t, index.Checkpoint{
			Offset: uint64(w.Offset), Size: uint32(w.Size), FirstPool: uint32(n), Pools: uint32(len(w.Pools)), Mask: w.Mask,
		}, cp)
		for j, wp := range w.Pools {
			p := pools[n+j]
			require.Equal(t, wp.Class, int64(p.Type))
			require.Equal(t, len(wp.Keys), int(p.Count))
			if len(wp.Offsets) > 0 {
				require.Equal(t, wp.Offsets[0], int64(p.Offset))
			}
			if j+1 == len(w.Pools) {
				require.Equal(t, uint64(w.Offset+w.Size), p.Offset+p.Size)
			}
		}
		n += len(w.Pools)
	}
	require.Len(t, pools, n)
}

// checkPool compares the constants of one class with where they should be.
func checkPool(t testing.TB, k *index.Constants, class *schema.Type, want map[int64]uint64) {
	t.Helper()
	for key, offset := range want {
		got, ok := k.Lookup(class, key)
		if !ok || got != offset {
			require.True(t, ok, "%s %d", class.Name, key)
			require.Equal(t, offset, got, "%s %d", class.Name, key)
		}
		for _, other := range []int64{key - 1, key + 1, -key, key ^ -1<<63, key ^ 1<<32} {
			if _, there := want[other]; !there {
				if _, ok := k.Lookup(class, other); ok {
					require.Fail(t, "a constant that is not there", "%s %d", class.Name, other)
				}
			}
		}
	}
	_, there := want[0]
	_, ok := k.Lookup(class, 0)
	require.Equal(t, there, ok)
	require.Equal(t, len(want), k.Len(class), class.Name)
	got := map[int64]uint64{}
	k.All(class, func(key int64, offset uint64) bool {
		got[key] = offset
		return true
	})
	require.True(t, maps.Equal(want, got), "All of %s", class.Name)
	n := 0
	k.All(class, func(int64, uint64) bool { n++; return n < 3 })
	require.Equal(t, min(3, len(want)), n, "All stops when told to")
}

func TestConstantsOfRecordings(t *testing.T) {
	eachRecording(t, func(t *testing.T, data []byte) {
		for _, c := range newIndex(t, data).Chunks() {
			assert.Nil(t, c.CachedConstants())
			checkConstants(t, c, reference(t, c))
			assert.Same(t, constantsOf(t, c), c.CachedConstants())
			assert.Positive(t, c.CachedConstants().Bytes())
		}
	})
}

func TestConstants(t *testing.T) {
	keys := map[string][]int64{
		"ascending":            {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		"from zero":            {0, 1, 2, 3},
		"only zero":            {0},
		"descending":           {9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
		"far from zero":        {1 << 40, 1<<40 + 1, 1<<40 + 2},
		"negative":             {-1, -2, -3, -40},
		"both signs":           {-2, -1, 0, 1, 2},
		"sparse":               {1, 1000, 1_000_000, 1_000_000_000},
		"64 bits":              {-1 << 63, 1<<63 - 1, 0x7fff_ffff_0000_0000, -0x1234_5678_9abc_def0},
		"upper halves":         {1 << 32, 2 << 32, 3 << 32, 4 << 32, 5 << 32},
		"as wide as dense may": {0, 67},
		"wider than dense may": {0, 200},
	}
	for name, list := range keys {
		t.Run(name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				b.Class("test.Other", jfrtest.Of("a", "int"))
				for i, key := range list {
					b.Constant("jdk.types.Symbol", key, "symbol")
					b.Constant("test.Other", key^5, i)
				}
				c := onlyChunk(t, b.Bytes())
				checkConstants(t, c, reference(t, c))
				k := constantsOf(t, c)
				assert.Equal(t, len(list), k.Len(k.Named("jdk.types.Symbol")))
				assert.Equal(t, len(list), k.Len(k.Named("test.Other")))
				assert.Zero(t, k.Len(k.Named("int")))
			})
		})
	}
}

// lateClass returns a class that the constants of c cannot know yet.
func lateClass(t *testing.T) *schema.Type {
	b := jfrtest.NewChunk()
	for range 50 {
		b.Class("test.Late")
	}
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	return types.Types[len(types.Types)-1]
}

func TestConstantsOfAClassThatIsNewerThanThey(t *testing.T) {
	k := constantsOf(t, onlyChunk(t, small(0).Bytes()))
	class := lateClass(t)
	_, ok := k.Lookup(class, 0)
	assert.False(t, ok)
	assert.Zero(t, k.Len(class))
	k.All(class, func(int64, uint64) bool { t.Error("no constant"); return false })
}

// As for the JDK, the oldest checkpoint counts, and in it the last of a key.
func TestOldestConstantWins(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		oldest := b.Checkpoint(jfrtest.MaskStatics)
		oldest.Pool("jdk.types.Symbol").
			Add(1, "first of the oldest checkpoint").
			Add(1, "second").
			Add(int64(1)<<50, "oldest, sparse")
		oldest.Pool("jdk.types.FrameType").Add(1, "another class")
		oldest.Pool("jdk.types.Symbol").Add(1, "third, in another pool")
		b.Checkpoint(0).Add("jdk.types.Symbol", 1, "newer")
		last := b.Checkpoint(jfrtest.MaskFlush)
		last.Pool("jdk.types.Symbol").Add(1, "newest").Add(2, "only here").Add(int64(1)<<50, "newest, sparse")
		data, layout := b.Build()
		c := onlyChunk(t, data)
		k := constantsOf(t, c)
		require.NoError(t, k.Err())
		class := k.Named("jdk.types.Symbol")
		pools := layout.Checkpoint(oldest).Pools
		for key, want := range map[int64]int64{
			1: pools[2].Constants[0].Value.Offset, 1 << 50: pools[0].Constants[2].Value.Offset, 2: layout.Checkpoint(last).Pools[0].Constants[1].Value.Offset,
		} {
			got, ok := k.Lookup(class, key)
			assert.True(t, ok)
			assert.Equal(t, uint64(want), got)
		}
		assert.Equal(t, 3, k.Len(class))
		assert.Equal(t, uint64(3), k.Pools()[0].Count, "the pool has them all")
		assert.Equal(t, "3 checkpoints, 5 pools, 4 constants", k.String())
		checkConstants(t, c, reference(t, c))
	})
}

func TestNoConstants(t *testing.T) {
	data := put(small(3).Bytes(), checkpointAt, 0)
	k := constantsOf(t, onlyChunk(t, data))
	assert.NoError(t, k.Err())
	assert.Empty(t, k.Checkpoints())
	assert.Empty(t, k.Pools())
	assert.Equal(t, "0 checkpoints, 0 pools, 0 constants", k.String())
}

// A pool of a class that only an older metadata event describes.
func TestPoolOfAForgottenClass(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		basic := b.Classes()
		old := b.Class("test.Old", jfrtest.Of("value", "int"))
		b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], old)})
		cp := b.Checkpoint(0)
		cp.Add("jdk.types.Symbol", 1, "before")
		cp.Add("test.Old", 7, 8)
		cp.Add("jdk.types.FrameType", 2, "after")
		b.Metadata(&jfrtest.Metadata{ID: 2, Classes: basic})
		c := onlyChunk(t, b.Bytes())
		before := typesOf(t, c)
		require.Nil(t, before.Named("test.Old"))
		checkConstants(t, c, reference(t, c))
		k := constantsOf(t, c)
		require.NotNil(t, k.Named("test.Old"))
		assert.Same(t, k.Named("test.Old"), k.Type(schema.TypeID(old.ID)))
		_, ok := k.Lookup(k.Named("test.Old"), 7)
		assert.True(t, ok)
		_, ok = k.Lookup(before.Named("jdk.types.Symbol"), 1)
		assert.True(t, ok, "classes of the first types are good for lookups")
	})
}

// TestFlushes compares flushes with the masks of all checkpoints, whichever way the chain leads.
func TestFlushes(t *testing.T) {
	b, cps := linked(jfrtest.NewChunk())
	cps[0].Mask = index.CheckpointFlush | index.CheckpointThread
	cps[1].Mask = index.CheckpointStatics
	cps[2].Mask = index.CheckpointFlush
	for name, data := range map[string][]byte{"made": b.Bytes(), "recorded": testdata(t, "jdk25-flushed")} {
		t.Run(name, func(t *testing.T) {
			c := newIndex(t, data).Chunks()[0]
			flushes := c.Flushes()
			var want []uint64
			for _, cp := range reference(t, c).Checkpoints {
				if cp.Mask&index.CheckpointFlush != 0 {
					want = append(want, uint64(cp.Offset))
				}
			}
			slices.Sort(want)
			assert.Equal(t, want, flushes)
			assert.NotEmpty(t, want)
			assert.Less(t, len(want), len(constantsOf(t, c).Checkpoints()))
		})
	}
}
