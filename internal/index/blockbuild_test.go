package index_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// sameBlocks cuts a chunk again and again, with sectors of all sizes and by crews
// of all sizes, and compares the result.
func sameBlocks(t *testing.T, c *index.Chunk, want *index.Blocks) {
	t.Helper()
	eachSectorSize(t, func(t *testing.T) {
		for _, workers := range crews {
			require.Empty(t, want.Diff(c.Recut(workers)), "with %d workers", workers)
		}
	})
}

// checkCut compares the blocks of a chunk with what is to be found before end,
// for all sizes of sectors and crews.
func checkCut(t *testing.T, c *index.Chunk, all []naiveFrame, end uint64) {
	t.Helper()
	serial := c.Recut(1)
	checkBlocks(t, c, all, end)
	checkEvents(t, c, all, end)
	sameBlocks(t, c, serial)
}

func TestBlocksOfRecordings(t *testing.T) {
	eachRecording(t, func(t *testing.T, data []byte) {
		skipLarge(t, data)
		for _, c := range newIndex(t, data).Chunks() {
			all, end := naive(t, c)
			checkCut(t, c, all, end)
		}
	})
}

// mixtures makes chunks of everything there can be.
func mixtures(t *testing.T, events int, do func(t *testing.T, data []byte)) {
	for seed := range uint64(6) {
		if !longtest.Enabled() && seed%3 > 0 {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			b := jfrtest.NewChunk()
			if seed >= 4 {
				b.Uncompressed()
			}
			do(t, mixed(b, seed, events).Bytes())
		})
	}
}

func TestBlocksOfEveryKind(t *testing.T) {
	mixtures(t, 8000, func(t *testing.T, data []byte) {
		c := onlyChunk(t, data)
		all, end := naive(t, c)
		checkCut(t, c, all, end)
	})
}

// A crowd on one chunk gets the same blocks.
func TestConcurrentCut(t *testing.T) {
	index.SetSectorSize(t, index.BlockSize)
	c := onlyChunk(t, mixed(jfrtest.NewChunk(), 2, 3000).Bytes())
	assert.Nil(t, c.CachedBlocks())
	got := make([]*index.Blocks, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = c.BuildBlocks(i % 3) })
	}
	wg.Wait()
	for _, b := range got {
		assert.Same(t, got[0], b)
	}
	assert.Same(t, got[0], c.CachedBlocks())
	assert.Same(t, got[0], c.Blocks())
	all, end := naive(t, c)
	checkBlocks(t, c, all, end)
}

// Events of the two kinds of frames whose last bytes are the last of the chunk,
// where no eight bytes can be read at once.
func TestEventsAtTheEndOfAChunk(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		b.MetadataFirst, b.ConstantsFirst = true, true
		k := newKinds(b, 1)
		k.some(100)
		long := k.event("test.Long", jfrtest.Of("value", "long"), jfrtest.Of("other", "long"),
			jfrtest.Of("startTime", "long"), jfrtest.EventThread())
		empty := b.Lookup("test.Short")
		for n := range 12 {
			t.Run(fmt.Sprint(n, " events after"), func(t *testing.T) {
				b := *b
				b.Emit(long, -1, -1, k.tick, 5)
				b.Emit(long, 1, 2, int64(math.MaxInt64), int64(math.MinInt64))
				for range n {
					b.Emit(empty)
				}
				c := onlyChunk(t, b.Bytes())
				all, end := naive(t, c)
				checkBlocks(t, c, all, end)
				checkEvents(t, c, all, end)
			})
		}
	})
}

// As many events of a class are kept one by one as are rare.
func TestRareEvents(t *testing.T) {
	const rare = 16
	b := jfrtest.NewChunk()
	k := newKinds(b, 3)
	classes := []*jfrtest.Class{}
	for n := range 4 {
		classes = append(classes, b.Event(fmt.Sprint("test.Rare", n)))
	}
	emit := func(times ...int) { // of each class
		for i, n := range times {
			for range n {
				b.Emit(classes[i], k.time())
			}
		}
	}
	// Spread over sectors in different ways: the limit is met in one, or together.
	emit(rare, rare+1, 1, 0)
	k.some(1500)
	emit(0, 0, rare-1, 1)
	k.some(1500)
	emit(0, 0, 0, rare-1)
	k.some(1500)
	emit(0, 0, 0, 1)
	c := onlyChunk(t, b.Bytes())
	all, end := naive(t, c)
	require.Less(t, len(c.Data()), rare*index.BlockSize)
	checkCut(t, c, all, end)
	for i, want := range []struct {
		kept int
		many bool
	}{{rare, false}, {0, true}, {rare, false}, {0, true}} {
		at, many := c.Blocks().Kept(typesOf(t, c).Named(classes[i].Name))
		assert.Len(t, at, want.kept, classes[i].Name)
		assert.Equal(t, want.many, many, classes[i].Name)
	}
}

// Events whose type was not described when they were counted, count as well.
func TestUndescribedEvents(t *testing.T) {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	gone := b.Event("test.Gone")
	b.Metadata(&jfrtest.Metadata{ID: 1})
	event := b.Event("test.E")
	for i := range 3 {
		b.Emit(gone, i)
	}
	b.Emit(event, 3)
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], event)})
	c := onlyChunk(t, b.Bytes())
	require.True(t, c.Blocks().HasUndescribed())
	all, end := naive(t, c)
	checkBlocks(t, c, all, end)
	facts := c.Blocks().Facts(0)
	assert.Equal(t, [2]uint64{math.MaxUint64, math.MaxUint64}, facts.Types, "nobody must pass it by")
	assert.Equal(t, uint64(math.MaxUint64), facts.Threads)
	assert.Equal(t, int64(math.MinInt64), facts.Least)
	assert.Equal(t, int64(math.MaxInt64), facts.Greatest)

	types, err := c.AllTypes()
	require.NoError(t, err)
	want := c.Blocks().Count(types.Named("test.Gone"))
	assert.Equal(t, uint64(3), want.Events)
	again := c.Recut(1)
	assert.False(t, again.HasUndescribed())
	assert.Equal(t, want, again.Count(types.Named("test.Gone")))
	assert.Equal(t, index.EventCount{}, again.Count(types.Named("long")))
}

// Without types all that can be told is where events are.
func TestBlocksWithoutTypes(t *testing.T) {
	index.SetSectorSize(t, index.BlockSize)
	b := mixed(jfrtest.NewChunk(), 2, 2000)
	b.ForceMetadataOffset = new(int64(1))
	c := onlyChunk(t, b.Bytes())
	_, err := c.Types()
	require.Error(t, err)
	all, end := naiveFrames(c)
	for _, workers := range crews {
		blocks := c.Recut(workers)
		require.NoError(t, blocks.Err())
		assert.True(t, blocks.HasUndescribed())
		checkEvents(t, c, all, end)
	}
}

// Fields that do not lie inside their event have nothing to say, and break nothing.
func TestFieldsOutsideTheirEvents(t *testing.T) {
	for cut := range 12 {
		b := jfrtest.NewChunk()
		b.MetadataFirst, b.ConstantsFirst = true, true
		event := b.Event("test.Near", jfrtest.EventThread())
		b.Emit(event, 1000, 1)
		b.EmitRaw(jfrtest.EventOptions{}, event.ID, []byte(strings.Repeat("\xff", cut)))
		c := onlyChunk(t, b.Bytes())
		blocks := c.Blocks()
		require.NoError(t, blocks.Err())
		assert.Equal(t, uint64(2), blocks.Events())
		facts := blocks.Facts(0)
		assert.LessOrEqual(t, facts.Least, int64(1000))
		assert.GreaterOrEqual(t, facts.Greatest, int64(1000))
		assert.NotZero(t, facts.Threads&index.ThreadBit(1))
	}
}

// cutGrowing lets a chunk grow through snapshots, whose blocks have been built before,
// and compares them with those of the whole.
func cutGrowing(t *testing.T, snapshots [][]byte, every int) {
	t.Helper()
	x := newGrowing(t, snapshots[0], 0)
	c := x.Chunks()[0]
	blocks := c.Blocks()
	for i, data := range snapshots[1:] {
		growTo(t, x, data, len(c.Data()))
		require.Same(t, blocks, c.Blocks())
		if i%every == 0 || i+2 == len(snapshots) {
			at := newIndex(t, data).Chunks()[c.Number()]
			require.Empty(t, at.Blocks().Diff(blocks), "%d bytes, %d of the chunk", len(data), len(c.Data()))
		}
	}
}

// sizesOf returns the file as it was when its only chunk ended at those places.
func sizesOf(data []byte, ends []uint64) (snapshots [][]byte) {
	for _, end := range ends {
		snapshot := put(append([]byte(nil), data[:end]...), sizeAt, end)
		snapshots = append(snapshots, setState(put(snapshot, checkpointAt, 0), 1))
	}
	return append(snapshots, data)
}

// growing makes a chunk that begins with its metadata.
func growing(b *jfrtest.Builder, events int) *jfrtest.Builder {
	b.MetadataFirst = true
	k := newKinds(b, 7)
	for range 5 {
		k.some(events / 5)
		k.long(index.BlockSize + k.rng.IntN(index.BlockSize))
		b.EmitRaw(jfrtest.EventOptions{}, 5000, make([]byte, 3000))
	}
	k.some(10)
	return b
}

func TestCutAGrowingChunk(t *testing.T) {
	for _, size := range sectorSizes {
		if !longtest.Enabled() && size > index.BlockSize {
			continue
		}
		t.Run(fmt.Sprint(size>>10, " KiB"), func(t *testing.T) {
			index.SetSectorSize(t, size)
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				data := growing(b, longtest.Cases(3000, 6000)).Bytes()
				c := onlyChunk(t, data)
				all, _ := naiveFrames(c)
				require.Less(t, len(data), 16*index.BlockSize, "so that as many events are rare at any time")
				require.Greater(t, all[0].End(), uint64(5000), "the metadata")
				var few, many []uint64
				for i, f := range all {
					if i%longtest.Cases(113, 29) == 0 {
						many = append(many, f.End())
					}
					if i%1000 == 0 {
						few = append(few, f.End())
					}
				}
				cutGrowing(t, sizesOf(data, many), 10)
				cutGrowing(t, sizesOf(data, few), 1)
				x := newGrowing(t, sizesOf(data, few)[0], 0)
				x.Chunks()[0].Blocks()
				growTo(t, x, data, len(x.Chunks()[0].Data()))
				all, end := naive(t, c)
				checkBlocks(t, x.Chunks()[0], all, end)
				checkEvents(t, x.Chunks()[0], all, end)
			})
		})
	}
}

// What cannot be read yet is a long event, over which sectors then begin: the
// blocks inside of it have columns from before, and get new ones.
func TestCutGoesOnBehindALongEvent(t *testing.T) {
	longtest.Long(t, "it cuts a large chunk many times")
	const block = index.BlockSize
	index.SetSectorSize(t, block)
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		b.MetadataFirst, b.ConstantsFirst = true, true
		l := newLiar(b)
		l.some(300)
		l.long(2*block - 5000 - l.end())
		begin := l.end()
		require.Less(t, 2*block-begin, 10_000)
		b.Emit(l.lie, l.time(), jfrtest.UTF8(string(make([]byte, 3*block))))
		l.some(8000)
		for _, lies := range []bool{false, true} {
			data := b.Bytes()
			all, end := naiveFrames(onlyChunk(t, data))
			_, i := firstFrom(all, uint64(begin))
			require.Equal(t, uint64(begin), all[i].Offset)
			if lies {
				// Copies of what follows the event, before and after a place inside of it.
				for at := 3*block - 3000; at < 3*block+3000; {
					next := all[i+1+at%100]
					at += copy(data[at:], data[next.Offset:next.End()])
				}
			}
			c := onlyChunk(t, data)
			first, ok := c.Guess(2 * block)
			require.True(t, ok)
			require.Equal(t, all[i].End(), first, "far after the place")
			_, ok = c.Guess(3 * block)
			require.Equal(t, lies, ok)
			for _, cut := range []int{begin + 10, 2*block + 1, 3*block + 1, 4*block + 1, int(all[i].End()) + 20, int(end) - 1} {
				cutGrowing(t, [][]byte{data[:cut], data}, 1)
				cutGrowing(t, [][]byte{data[:begin-1000], data[:cut], data}, 1)
			}
			all, end = naive(t, c)
			checkCut(t, c, all, end)
		}
	})
}

// A chunk may end with a block, and with a cell.
func TestBlocksThatAreFull(t *testing.T) {
	for _, size := range []int{2 * index.BlockSize, 2*index.BlockSize + index.CellSize} {
		for _, more := range []int{-1, 0, 1} {
			b := jfrtest.NewChunk()
			b.MetadataFirst, b.ConstantsFirst = true, true
			k := newKinds(b, 9)
			k.some(500)
			k.long(1000)
			body := make([]byte, size+more-k.end()-6) // a size of four bytes, a type of two
			b.EmitRaw(jfrtest.EventOptions{SizeWidth: 4}, k.rare[0].ID, append([]byte{1}, body[1:]...))
			c := onlyChunk(t, b.Bytes())
			require.Len(t, c.Data(), size+more)
			all, end := naive(t, c)
			checkCut(t, c, all, end)
		}
	}
}

// The types that come with what has been added are those of its events, which
// must not lie in blocks that are always looked at.
func TestCutKnowsNewTypes(t *testing.T) {
	x := newGrowing(t, onlyChunk(t, testdata(t, "jdk25-live-1")).Data(), 0)
	c := x.Chunks()[0]
	require.False(t, c.Blocks().HasUndescribed())
	for _, name := range []string{"jdk25-live-2", "jdk25-live-3"} {
		data := onlyChunk(t, testdata(t, name)).Data()
		growTo(t, x, data, len(c.Data()))
		require.False(t, onlyChunk(t, data).Blocks().HasUndescribed())
		assert.False(t, c.Blocks().HasUndescribed(), name)
	}
}
