package index_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// flushed returns what the header of a state vouches for, as a file of its own that is
// finished: the index of such a file has nothing to complain of.
func flushed(state []byte) []byte {
	h := headerOf(state)
	return setState(state[:min(h.Size, uint64(len(state)))], 0)
}

func headerOf(data []byte) wire.Header {
	h, _ := wire.ReadHeader(data)
	return h
}

func newGrowing(t testing.TB, data []byte, at uint64) *index.Index {
	t.Helper()
	x, err := index.NewGrowing(headerOf(data), data, at)
	require.NoError(t, err)
	require.Len(t, x.Chunks(), 1)
	return x
}

// growTo is Grow to the bytes of a file.
func growTo(t testing.TB, x *index.Index, data []byte, same int) {
	t.Helper()
	require.NoError(t, x.Grow(headerOf(data), data, uint64(same), x.Chunks()[0].Offset()))
}

// growThrough lets a chunk grow through states, with more and more asked for before, by
// itself and as a fork.
func growThrough(t *testing.T, states [][]byte) {
	t.Helper()
	for _, l := range loads {
		if l.name != "nothing" && l.name != "everything" && !longtest.Enabled() {
			continue
		}
		for _, fork := range []bool{false, true} {
			t.Run(fmt.Sprint(l.name, "/fork ", fork), func(t *testing.T) {
				for from := 0; from < len(states); from += longtest.Cases(3, 1) {
					for _, each := range []bool{false, true}[:1+max(0, 1-from)] {
						x := newGrowing(t, flushed(states[from]), 0)
						l.load(x)
						for i, state := range states[from:] {
							data := flushed(state)
							before := len(x.Chunks()[0].Data())
							if fork {
								x = x.Clone()
							}
							growTo(t, x, data, before)
							if each || i+1+from == len(states) {
								sameChunk(t, newIndex(t, data).Chunks()[0], x.Chunks()[0])
							}
						}
					}
				}
			})
		}
	}
}

func TestGrowByRecordedFlushes(t *testing.T) {
	growThrough(t, [][]byte{
		testdata(t, "jdk25-live-1"), testdata(t, "jdk25-live-2"), testdata(t, "jdk25-live-3"),
	})
	t.Run("jdk17", func(t *testing.T) {
		longtest.Long(t, "there are many flushes")
		states := statesOf(t, testdata(t, "jdk17-live"), func(r index.EventHeader, c index.Checkpoint) bool { return c.Mask&index.CheckpointFlush != 0 })
		require.NotEmpty(t, states)
		growThrough(t, states)
	})
}

// statesOf returns what a chunk was like when its header told of the frames up to those
// that are chosen, and of no more. c is the checkpoint that a frame is, if it is one.
func statesOf(t testing.TB, data []byte, chosen func(r index.EventHeader, c index.Checkpoint) bool) (states [][]byte) {
	t.Helper()
	data = flushed(data)
	c := newIndex(t, data).Chunks()[0]
	checkpoints := map[uint64]index.Checkpoint{}
	for _, cp := range constantsOf(t, c).Checkpoints() {
		checkpoints[cp.Offset] = cp
	}
	checkpoint, metadata := uint64(0), uint64(0)
	for _, r := range records(t, c) {
		if _, ok := checkpoints[r.Offset]; ok {
			checkpoint = r.Offset
		}
		if r.Type == schema.MetadataID {
			metadata = r.Offset
		}
		if chosen(r, checkpoints[r.Offset]) {
			state := put(put(data[:r.End()], sizeAt, r.End()), checkpointAt, checkpoint)
			states = append(states, put(state, metadataAt, metadata))
		}
	}
	return states
}

func TestGrowInEveryWay(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		g := grow(b)
		l := g.layout
		begun := put(put(put(setState(g.data[:68], 1), sizeAt, 68), checkpointAt, 0), metadataAt, 0)
		g.states = append(g.states, begun)
		g.flush(l.Checkpoints[0].End(), 0, 0, 2)
		g.flush(l.Checkpoints[1].End(), 1, 0, 3)
		g.flush(l.Checkpoints[3].End(), 3, 1, 4)
		g.states = append(g.states, g.data)
		growThrough(t, g.states)
	})
}

// What lies after the bytes of the chunk belongs to nobody.
func TestGrowingLooksAtNothingBehind(t *testing.T) {
	file := testdata(t, "jdk25-live")
	h := headerOf(file)
	require.Less(t, h.Size, uint64(len(file)))
	for i := range file[h.Size:] {
		file[int(h.Size)+i] = 0xff
	}
	x, err := index.NewGrowing(h, file[:h.Size], 0)
	require.NoError(t, err)
	c := x.Chunks()[0]
	assert.Len(t, c.Data(), int(h.Size))
	assert.Equal(t, len(c.Data()), cap(c.Data()))
	records(t, c)
	assert.NoError(t, constantsOf(t, c).Err())
	assert.NoError(t, c.Blocks().Err())
}

// tail is a chunk whose events and constants after a certain place are of a choice.
type tail struct {
	data []byte
	same int // where what is of a choice begins
}

func newTail(b *jfrtest.Builder, n, key int, text string) tail {
	const symbol = "jdk.types.Symbol"
	class := b.Event("test.First", jfrtest.Const("name", symbol))
	b.Metadata(&jfrtest.Metadata{ID: 1})
	b.Emit(class, 1, 1)
	b.Checkpoint(0).Add(symbol, 1, "always")
	for i := range n {
		b.Emit(class, 100+i, key+i)
	}
	cp := b.Checkpoint(0)
	for i := range n {
		cp.Add(symbol, key+i, text)
	}
	data, l := b.Build()
	return tail{data, int(l.Checkpoints[0].End())}
}

// TestGrowWhereOtherBytesLieNow replaces events, and checkpoints, of which the index knows.
func TestGrowWhereOtherBytesLieNow(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		raw := b.Header.Flags&jfrtest.FlagCompressed == 0
		make := func(n, key int, text string) tail {
			b := jfrtest.NewChunk()
			if raw {
				b.Uncompressed()
			}
			return newTail(b, n, key, text)
		}
		tails := map[string]tail{
			"longer": make(9000, 5, "a text"), "shorter": make(3, 7, "another text"), "as long": make(100, 20, "same"),
			"none": make(0, 0, ""),
		}
		old := make(100, 10, "text")
		for i, l := range loads {
			if !longtest.Every(i, 2) {
				continue
			}
			for name, now := range tails {
				t.Run(l.name+"/"+name, func(t *testing.T) {
					require.Equal(t, old.same, now.same)
					x := newGrowing(t, old.data, 0)
					l.load(x)
					growTo(t, x, now.data, now.same)
					sameChunk(t, newIndex(t, now.data).Chunks()[0], x.Chunks()[0])
					growTo(t, x, old.data, old.same)
					sameChunk(t, newIndex(t, old.data).Chunks()[0], x.Chunks()[0])
				})
			}
		}
	})
}

// An older metadata event among the bytes that are others now is read, too.
func TestGrowWhereOlderMetadataLiesNow(t *testing.T) {
	make := func(name string) (data []byte, same int) {
		b := jfrtest.NewChunk()
		basic := slices.Clone(b.Classes())
		b.Metadata(&jfrtest.Metadata{ID: 1, Classes: basic})
		c := &jfrtest.Class{ID: 5000 + int64(len(name)), Name: name, Fields: []jfrtest.Field{jfrtest.Of("n", "int")}}
		b.Add(c)
		b.Metadata(&jfrtest.Metadata{ID: 2, Classes: []*jfrtest.Class{c, basic[0]}})
		b.Metadata(&jfrtest.Metadata{ID: 3, Classes: basic})
		data, l := b.Build()
		return data, int(l.Metadata[1].Offset)
	}
	one, _ := make("test.One")
	two, same := make("test.Second")
	x := newGrowing(t, one, 0)
	types, err := x.Chunks()[0].AllTypes()
	require.NoError(t, err)
	require.NotNil(t, types.Named("test.One"))
	growTo(t, x, two, same)
	types, err = x.Chunks()[0].AllTypes()
	require.NoError(t, err)
	assert.NotNil(t, types.Named("test.Second"))

	// What one fork has read is not read by the other one.
	x = newGrowing(t, one, 0)
	typesOf(t, x.Chunks()[0])
	y := x.Clone()
	for _, f := range []*index.Index{x, y} {
		types, err = f.Chunks()[0].AllTypes()
		require.NoError(t, err)
		assert.NotNil(t, types.Named("test.One"))
	}
}

func TestGrowingTellsWhereItsChunkLies(t *testing.T) {
	b := small(3)
	data, l := b.Build()
	const at, moved uint64 = 1 << 33, 1<<33 + 4096
	bad := slices.Clone(data)
	bad[l.Events[1].Offset] = 0x01 // a size that is less than its head
	x, err := index.NewGrowing(headerOf(bad), bad, at)
	require.NoError(t, err)
	c := x.Chunks()[0]
	assert.EqualValues(t, at, c.Offset())
	_, _, err = walk(c)
	wantFault(t, err, index.ErrCorrupt, 0, at+uint64(l.Events[1].Offset))
	require.NoError(t, x.Grow(headerOf(data), data, 68, moved))
	assert.EqualValues(t, moved, c.Offset())
	require.EqualValues(t, moved, x.Clone().Chunks()[0].Offset())
	_, _, err = c.EventAt(uint64(l.Events[1].Offset) + 1)
	wantFault(t, err, index.ErrNoEvent, 0, moved+uint64(l.Events[1].Offset)+1)

	h := headerOf(data)
	h.Metadata = uint64(l.Events[0].Offset)
	x, err = index.NewGrowing(h, data, at)
	require.NoError(t, err)
	_, err = x.Chunks()[0].Types()
	wantFault(t, err, index.ErrCorrupt, 0, at+h.Metadata)
	h.Major = 3
	_, err = index.NewGrowing(h, data, at)
	wantFault(t, err, index.ErrUnsupported, 0, at)
}

// A header may say anything.
func TestGrowingWithHostileHeaders(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		g := grow(b)
		l := g.layout
		offsets := []uint64{
			0, 1, 67, 68, 69, uint64(l.Events[3].Offset), uint64(l.Checkpoints[1].Offset), uint64(l.Metadata[1].Offset),
			uint64(len(g.data)) - 1, uint64(len(g.data)), uint64(len(g.data)) + 1, 1 << 31, 1 << 40, 1 << 63, math.MaxUint64,
		}
		states := [][]byte{nil, g.data[:1], g.data[:68], g.data[:l.Checkpoints[0].End()], g.data[:l.Checkpoints[1].Offset+20], g.data}
		for i, checkpoint := range offsets {
			for j, metadata := range offsets {
				if (i+j)%longtest.Cases(5, 1) > 0 {
					continue
				}
				h := headerOf(g.data)
				h.Checkpoint, h.Metadata, h.Size = checkpoint, metadata, metadata
				x, err := index.NewGrowing(h, nil, math.MaxUint64-10)
				require.NoError(t, err)
				for i, data := range states {
					before := len(x.Chunks()[0].Data())
					require.NoError(t, x.Grow(h, data, uint64(before), 0))
					if i%2 == 1 {
						x = x.Clone()
						driveTypesAndFrames(t, x.Chunks()[0])
					}
				}
				require.NoError(t, x.Grow(headerOf(g.data), g.data, 68, 0))
				c := x.Chunks()[0]
				require.NotNil(t, typesOf(t, c).Named("test.Late"))
				require.NoError(t, constantsOf(t, c).Err())
				require.Equal(t, newIndex(t, g.data).Chunks()[0].Blocks().Events(), c.Blocks().Events())
			}
		}
	})
}

// driveTypesAndFrames asks for what there is, which may be nothing.
func driveTypesAndFrames(t testing.TB, c *index.Chunk) {
	_, _, err := walk(c)
	wantSentinel(t, err)
	_, err = c.Types()
	wantSentinel(t, err)
	_, err = c.AllTypes()
	wantSentinel(t, err)
	_, err = c.NewestTypes()
	wantSentinel(t, err)
	k, err := c.Constants()
	wantSentinel(t, err)
	if err == nil {
		wantSentinel(t, k.Err())
	}
	wantSentinel(t, c.Blocks().Err())
}

// steady makes a chunk of flushes that are all alike, with their ends.
func steady(flushes int) (data []byte, states []wire.Header) {
	b := jfrtest.NewChunk()
	class := b.Event("test.First", jfrtest.Const("name", "jdk.types.Symbol"))
	b.Metadata(&jfrtest.Metadata{ID: 1})
	for i := range flushes {
		for j := range 50 {
			b.Emit(class, j, i*10)
		}
		cp := b.Checkpoint(jfrtest.MaskFlush)
		for j := range 10 {
			cp.Add("jdk.types.Symbol", i*10+j, "symbol")
		}
	}
	data, l := b.Build()
	for _, cp := range l.Checkpoints {
		h := headerOf(data)
		h.Checkpoint, h.Size, h.State = uint64(cp.Offset), uint64(cp.End()), 1
		states = append(states, h)
	}
	return data, states
}

// TestGrowingCostsWhatIsNew lets a chunk grow by equal parts: the last ones must not take
// more memory than the first, but for the tables that are made twice as large now and then.
func TestGrowingCostsWhatIsNew(t *testing.T) {
	data, states := steady(1000)
	x, err := index.NewGrowing(states[0], data[:states[0].Size], 0)
	require.NoError(t, err)
	constantsOf(t, x.Chunks()[0])
	x.Chunks()[0].Blocks()
	took := func(states []wire.Header) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, h := range states {
			require.NoError(t, x.Grow(h, data[:h.Size], uint64(len(x.Chunks()[0].Data())), 0))
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	first := took(states[1:300])
	last := took(states[700:])
	assert.Less(t, last, 3*first)
	assert.Equal(t, uint64(50*1000), x.Chunks()[0].Blocks().Events())
	k := x.Chunks()[0].CachedConstants()
	assert.Equal(t, 10*1000, k.Len(k.Named("jdk.types.Symbol")))
}

// digest tells all that a chunk has, whatever the order of its classes.
func digest(c *index.Chunk) string {
	var b strings.Builder
	all, next, err := walk(c)
	fmt.Fprintln(&b, len(all), next, err, c.Blocks().Events(), c.Header(), c.Offset(), len(c.Data()))
	complete, err := c.AllTypes()
	fmt.Fprintln(&b, err)
	if err != nil {
		return b.String()
	}
	k, err := c.Constants()
	fmt.Fprintln(&b, err, k.Err(), k)
	classes := slices.SortedFunc(slices.Values(complete.Types), func(a, b *schema.Type) int { return cmp.Compare(a.ID, b.ID) })
	for _, class := range classes {
		places := map[int64]uint64{}
		k.All(class, func(key int64, offset uint64) bool { places[key] = offset; return true })
		_, err := class.Plan()
		fmt.Fprint(&b, class.ID, class.Name, err, len(class.Fields))
		for i := range class.Fields {
			fmt.Fprint(&b, class.Fields[i].Type != nil)
		}
		for _, key := range slices.Sorted(maps.Keys(places)) {
			fmt.Fprint(&b, " ", key, "@", places[key])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// unlinked is a chunk whose second metadata event describes what a class of the first one
// refers to, with its states.
func unlinked() (states [][]byte) {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	late := &jfrtest.Class{ID: 7000, Name: "test.Late", Fields: []jfrtest.Field{jfrtest.Of("n", "int")}}
	event := b.Event("test.Event", jfrtest.Field{Name: "late", ClassID: 7000, Class: "test.Late"})
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(slices.Clone(basic), event)})
	b.Checkpoint(jfrtest.MaskFlush).Add("jdk.types.Symbol", 1, "symbol")
	b.Add(late)
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(slices.Clone(basic), event, late)})
	b.Emit(event, 1, jfrtest.Inline{2})
	b.Checkpoint(jfrtest.MaskFlush).Add("jdk.types.Symbol", 2, "symbol")
	g := &growth{}
	g.data, g.layout = b.Build()
	g.flush(g.layout.Checkpoints[0].End(), 0, 0, 1)
	g.flush(g.layout.Checkpoints[1].End(), 1, 1, 2)
	return g.states
}

// TestForksAreReadByOthersWhileOneGrows reads all forks again and again while the next one
// grows. The race detector looks on.
func TestForksAreReadByOthersWhileOneGrows(t *testing.T) {
	g := grow(jfrtest.NewChunk())
	l := g.layout
	g.flush(l.Checkpoints[0].End(), 0, 0, 2)
	g.flush(l.Checkpoints[1].End(), 1, 0, 3)
	g.flush(l.Checkpoints[3].End(), 3, 1, 4)
	for name, states := range map[string][][]byte{
		"recorded": {testdata(t, "jdk25-live-1"), testdata(t, "jdk25-live-2"), testdata(t, "jdk25-live-3")},
		"built":    append(g.states, g.data),
		"unlinked": unlinked(),
	} {
		for _, l := range loads {
			t.Run(name+"/"+l.name, func(t *testing.T) {
				var wg sync.WaitGroup
				defer wg.Wait()
				x := newGrowing(t, flushed(states[0]), 0)
				l.load(x)
				for i, state := range states {
					want := digest(newIndex(t, flushed(state)).Chunks()[0])
					if i > 0 {
						x = x.Clone()
						growTo(t, x, flushed(state), len(x.Chunks()[0].Data()))
					}
					c := x.Chunks()[0]
					wg.Go(func() {
						for range 3 {
							assert.True(t, want == digest(c), "another chunk")
						}
					})
				}
			})
		}
	}
}
