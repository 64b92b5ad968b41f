package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// naiveFrame is a frame with what blocks tell of its event.
type naiveFrame struct {
	index.EventHeader
	// class is nil if the metadata does not describe it.
	class            *schema.Type
	time, thread     int64
	timed, inAThread bool
}

// naiveFrames goes from frame to frame, in the plainest way there is, up to the
// first that cannot be right.
func naiveFrames(c *index.Chunk) (all []naiveFrame, end uint64) {
	data, pos := c.Data(), uint64(wire.HeaderLen)
	for pos < uint64(len(data)) {
		size, n := c.IntEncoding().Count(data[pos:])
		typ, m := c.IntEncoding().Long(data[pos+uint64(n):])
		if n == 0 || m == 0 || size < uint64(n+m) || size > uint64(len(data))-pos {
			break
		}
		rec := index.EventHeader{Offset: pos, Type: schema.TypeID(typ), Size: uint32(size), HeaderLen: uint32(n + m)}
		all = append(all, naiveFrame{EventHeader: rec})
		pos += size
	}
	return all, pos
}

// naive is naiveFrames with what the reference decoder says of times and threads.
func naive(t testing.TB, c *index.Chunk) (all []naiveFrame, end uint64) {
	t.Helper()
	all, end = naiveFrames(c)
	require.Equal(t, uint64(len(c.Data())), end)
	types, ref := typesOf(t, c), reference(t, c)
	next := 0
	for i := range all {
		f := &all[i]
		if !f.IsEvent() {
			continue
		}
		e := &ref.Events[next]
		next++
		require.Equal(t, uint64(e.Offset), f.Offset)
		if f.class = types.ByID(f.Type); f.class == nil {
			continue
		}
		f.time, f.timed = e.Field("startTime").(int64)
		names := []string{"thread", "sampledThread", "eventThread"} // the latter count more
		for i := range f.class.Fields {
			if name := f.class.Fields[i].Name; name != "" && !strings.ContainsAny(name, "[]") {
				names = append([]string{name}, names...) // as does the first of them
			}
		}
		for _, name := range names {
			if k, ok := e.Field(name).(jfrtest.Constant); ok && ref.Classes[k.Class].Name == "java.lang.Thread" {
				f.thread, f.inAThread = k.Key, true
			}
		}
	}
	require.Equal(t, len(ref.Events), next)
	return all, end
}

// naiveBlocks is what the blocks of a chunk of that size should tell of the
// frames that begin before end.
func naiveBlocks(types *schema.TypeSet, size int, all []naiveFrame, end uint64) []index.BlockFacts {
	blocks := make([]index.BlockFacts, (size+index.BlockSize-1)/index.BlockSize)
	for i := range blocks {
		blocks[i].Least, blocks[i].Greatest = math.MaxInt64, math.MinInt64
		for cell := range blocks[i].First {
			blocks[i].First[cell] = -1
		}
	}
	events, next := uint64(0), 0
	for _, f := range all {
		if f.Offset >= end {
			break
		}
		at := int(f.Offset / index.BlockSize)
		for ; next <= at; next++ {
			blocks[next].Ordinal = events
		}
		b := &blocks[at]
		if cell := f.Offset % index.BlockSize / index.CellSize; b.First[cell] < 0 {
			b.First[cell] = int(f.Offset % index.CellSize)
			b.Nth[cell] = int(events - b.Ordinal)
		}
		if !f.IsEvent() {
			continue
		}
		events++
		if f.class == nil {
			b.Types = [2]uint64{math.MaxUint64, math.MaxUint64}
			b.Threads, b.Least, b.Greatest = math.MaxUint64, math.MinInt64, math.MaxInt64
			continue
		}
		bits := types.BlockKeys()[types.ByID(f.Type).Ordinal()].Types
		b.Types[0] |= bits[0]
		b.Types[1] |= bits[1]
		if f.timed {
			b.Least, b.Greatest = min(b.Least, f.time), max(b.Greatest, f.time)
		}
		if f.inAThread {
			b.Threads |= index.ThreadBit(f.thread)
		}
	}
	for ; next < len(blocks); next++ {
		blocks[next].Ordinal = events
	}
	return blocks
}

// checkBlocks compares the blocks of a chunk with the frames that begin before
// end, all there are to be found.
func checkBlocks(t testing.TB, c *index.Chunk, all []naiveFrame, end uint64) {
	t.Helper()
	b, types := c.Blocks(), typesOf(t, c)
	want := naiveBlocks(types, len(c.Data()), all, end)
	require.Equal(t, len(want), b.Len())
	for i := range want {
		if got := b.Facts(i); got != want[i] {
			require.Equal(t, fmt.Sprintf("%+v", want[i]), fmt.Sprintf("%+v", got), "block %d of %d", i, len(want))
		}
	}
	events, undescribed := uint64(0), false
	counts := map[schema.TypeID]index.EventCount{}
	at := map[schema.TypeID][]uint32{}
	for _, f := range all {
		if f.Offset < end && f.IsEvent() {
			events++
			undescribed = undescribed || f.class == nil
			n := counts[f.Type]
			n.Add(index.EventCount{Events: 1, Bytes: uint64(f.Size)})
			counts[f.Type] = n
			at[f.Type] = append(at[f.Type], uint32(f.Offset))
		}
	}
	require.Equal(t, events, b.Events())
	require.Equal(t, undescribed, b.HasUndescribed())
	limit := max(16, len(c.Data())/index.BlockSize)
	for _, class := range types.Types {
		require.Equal(t, counts[class.ID], b.Count(class), class.Name)
		list := at[class.ID]
		kept, many := b.Kept(class)
		require.Equal(t, len(list) > limit, many, "%d of %s", len(list), class.Name)
		if many {
			list = nil
		}
		require.True(t, slices.Equal(list, kept), "%s: %v, not %v", class.Name, kept, list)
	}
}

// checkEvents asks for all events by place and by number, and for places next to them.
func checkEvents(t testing.TB, c *index.Chunk, all []naiveFrame, end uint64) {
	t.Helper()
	n := uint64(0)
	for _, f := range all {
		rec, ordinal, err := c.EventAt(f.Offset)
		switch {
		case f.Offset >= end:
			require.Equal(t, c.Blocks().Err(), err)
			continue
		case !f.IsEvent():
			require.ErrorIs(t, err, index.ErrNoEvent)
		case err != nil || rec != f.EventHeader || ordinal != n:
			require.NoError(t, err)
			require.Equal(t, f.EventHeader, rec)
			require.Equal(t, n, ordinal)
		}
		_, _, err = c.EventAt(f.Offset + 1) // no frame is as short as that
		if err == nil {
			require.Error(t, err)
		}
		if !f.IsEvent() {
			continue
		}
		if rec, ok := c.EventN(n); !ok || rec != f.EventHeader {
			require.True(t, ok, "event %d", n)
			require.Equal(t, f.EventHeader, rec, "event %d", n)
		}
		n++
	}
	for _, n := range []uint64{n, n + 1, 1 << 40, math.MaxUint64} {
		_, ok := c.EventN(n)
		require.False(t, ok, "event %d", n)
	}
}

// skipLarge leaves out recordings that take long when time is short.
func skipLarge(t *testing.T, data []byte) {
	t.Helper()
	if !longtest.Enabled() && len(data) > 400<<10 {
		t.Skip("a large recording")
	}
}

// naiveCensus counts the frames that begin before end.
func naiveCensus(all []naiveFrame, end uint64) (census index.TypeCounts) {
	counts := map[schema.TypeID]index.EventCount{}
	for _, f := range all {
		if f.Offset < end {
			n := counts[f.Type]
			n.Add(index.EventCount{Events: 1, Bytes: uint64(f.Size)})
			counts[f.Type] = n
			if n.Events == 1 {
				census.IDs = append(census.IDs, f.Type)
			}
		}
	}
	slices.Sort(census.IDs)
	for _, id := range census.IDs {
		census.Counts = append(census.Counts, counts[id])
	}
	return census
}

// crews are numbers of workers.
var crews = []int{1, 5, 2}[:longtest.Cases(2, 3)]

// sectorSizes are sizes of sectors; the last is that of real life.
var sectorSizes = []uint64{index.BlockSize, 2 * index.BlockSize, index.DefaultSectorSize}

// eachSectorSize runs a test with sectors of all sizes. Its name is short, for there are many.
func eachSectorSize(t *testing.T, do func(t *testing.T)) {
	t.Helper()
	for i, size := range sectorSizes {
		if !longtest.Enabled() && i == 1 {
			continue
		}
		t.Run(fmt.Sprint(size>>10, " KiB"), func(t *testing.T) {
			index.SetSectorSize(t, size)
			do(t)
		})
	}
}

// kinds are event classes that differ in where their times and threads are, and
// in what their frames look like.
type kinds struct {
	b       *jfrtest.Builder
	rng     *rand.Rand
	tick    int
	emit    []func()
	text    *jfrtest.Class
	short   *jfrtest.Class // without any field, so that no guess takes its frames for right
	rare    []*jfrtest.Class
	options jfrtest.EventOptions
}

const threadClass = "java.lang.Thread"

// event adds an event class whose startTime, if it has one, is not the first field.
func (k *kinds) event(name string, fields ...jfrtest.Field) *jfrtest.Class {
	class := k.b.Class(name, fields...)
	class.SuperType = jfrtest.EventSuperType
	return class
}

// id adds an event class with that id.
func (k *kinds) id(id int64, name string, fields ...jfrtest.Field) *jfrtest.Class {
	class := &jfrtest.Class{ID: id, Name: name, SuperType: jfrtest.EventSuperType, Fields: fields}
	k.b.Add(class)
	return class
}

// time returns a point in time. Most lie near one another; some are written in
// all nine bytes, or padded.
func (k *kinds) time() any {
	k.tick++
	switch k.rng.IntN(60) {
	case 0:
		return jfrtest.Padded{Value: k.tick, Width: 9}
	case 1:
		return -k.tick
	case 2:
		return int64(1) << k.rng.IntN(63)
	}
	return k.tick + k.rng.IntN(100) - 50
}

// thread returns the key of a thread. Few threads are at work at a time.
func (k *kinds) thread() any {
	switch k.rng.IntN(40) {
	case 0:
		return -k.rng.IntN(10)
	case 1:
		return int64(k.rng.Uint64())
	case 2:
		return jfrtest.Padded{Value: 3, Width: 8}
	}
	return k.tick/1000*7 + k.rng.IntN(3)
}

// newKinds adds all the classes to a chunk.
func newKinds(b *jfrtest.Builder, seed uint64) *kinds {
	k := &kinds{b: b, rng: rand.New(rand.NewPCG(seed, 17))}
	long, integer, text := jfrtest.Of("value", "long"), jfrtest.Of("i", "int"), jfrtest.Of("text", jfrtest.StringClass)
	start := jfrtest.Of("startTime", "long")
	sampled := jfrtest.Const("sampledThread", threadClass)
	emitted := func(class *jfrtest.Class, values func() []any) {
		k.emit = append(k.emit, func() { k.b.EmitWith(k.options, class, values()...) })
	}
	near := b.Event("test.Near", jfrtest.EventThread(), long)
	for range 5 { // the most common
		emitted(near, func() []any { return []any{k.time(), k.thread(), k.rng.IntN(1 << 20)} })
	}
	emitted(b.Event("test.Sampled", integer, sampled),
		func() []any { return []any{k.time(), k.rng.IntN(1 << 20), k.thread()} })
	emitted(k.event("test.Later", long, integer, sampled, start),
		func() []any { return []any{k.rng.Uint64(), -1, k.thread(), k.time()} })
	emitted(k.event("test.Far", text, start, jfrtest.EventThread()),
		func() []any { return []any{strings.Repeat("text", k.rng.IntN(20)), k.time(), k.thread()} })
	emitted(k.event("test.Middle", long, jfrtest.Of("flag", "boolean"), jfrtest.EventThread(), start),
		func() []any { return []any{k.rng.IntN(1 << 30), k.rng.IntN(2), k.thread(), k.time()} })
	emitted(k.event("test.Array", long.Array(), jfrtest.EventThread(), start),
		func() []any { return []any{make([]int, k.rng.IntN(10)), k.thread(), k.time()} })
	emitted(b.Event("test.Both", sampled, jfrtest.EventThread()),
		func() []any { return []any{k.time(), k.thread(), k.thread()} })
	emitted(b.Event("test.Threadless"), func() []any { return []any{k.time()} })
	emitted(k.event("test.Timeless", jfrtest.EventThread()), func() []any { return []any{k.thread()} })
	emitted(k.event("test.Neither", integer), func() []any { return []any{k.rng.IntN(100)} })
	emitted(k.event("test.Others", jfrtest.Of("startTime", "int"), jfrtest.Const("eventThread", "java.lang.Class")),
		func() []any { return []any{k.rng.IntN(100), 7} })
	k.short = k.id(50, "test.Short")
	emitted(k.id(1<<14-1, "test.TwoBytes", start), func() []any { return []any{k.time()} })
	emitted(k.id(1<<14, "test.ThreeBytes", start, sampled), func() []any { return []any{k.time(), k.thread()} })
	emitted(k.id(1<<40, "test.SixBytes", start), func() []any { return []any{k.time()} })
	emitted(k.id(-5, "test.NineBytes", start), func() []any { return []any{k.time()} })
	for i := range 140 { // more than there are bits, and rare
		class := b.Event(fmt.Sprint("test.Many", i))
		k.rare = append(k.rare, class)
	}
	k.text = b.Event("test.Text", text, jfrtest.EventThread())
	emitted(k.text, func() []any {
		return []any{k.time(), strings.Repeat("0123456789", k.rng.IntN(40)), k.thread()}
	})
	return k
}

// some emits that many events, some of them in unusual frames.
func (k *kinds) some(n int) {
	for range n {
		k.options = jfrtest.EventOptions{}
		switch k.rng.IntN(12) {
		case 0, 1, 2:
			k.options.SizeWidth = 4
		case 3:
			k.options.SizeWidth = []int{2, 3, 5, 9}[k.rng.IntN(4)]
			if k.options.SizeWidth == 2 {
				k.options.SizeWidth = 0
			}
		case 4:
			k.options.TypeWidth = 9
		case 5:
			if k.rng.IntN(20) == 0 { // no guess takes such events for right
				k.options.Trailing = make([]byte, k.rng.IntN(20))
			}
		}
		k.emit[k.rng.IntN(len(k.emit))]()
		if k.rng.IntN(15) == 0 {
			k.b.Emit(k.rare[k.rng.IntN(k.rng.IntN(len(k.rare))+1)], k.time())
		}
	}
}

// long emits an event of that many bytes, nearly. What is in it looks like nothing.
func (k *kinds) long(bytes int) {
	k.b.Emit(k.text, k.time(), jfrtest.UTF8(string(make([]byte, bytes))), k.thread())
}

// end returns where the last event ends.
func (k *kinds) end() int {
	_, layout := k.b.Build()
	return int(layout.Events[len(layout.Events)-1].End())
}

// checkpoint adds a checkpoint of that many bytes, nearly.
func (k *kinds) checkpoint(bytes int) {
	k.b.Checkpoint(0).Add("jdk.types.Symbol", k.tick, strings.Repeat("s", bytes))
}

// unknown emits an event of no known class.
func (k *kinds) unknown() {
	k.b.EmitRaw(jfrtest.EventOptions{}, 5000+int64(k.rng.IntN(3)), make([]byte, k.rng.IntN(10)))
}

// mixed makes a chunk of everything that events can be: about as many as asked
// for, and long ones between.
func mixed(b *jfrtest.Builder, seed uint64, events int) *jfrtest.Builder {
	k := newKinds(b, seed)
	b.MetadataFirst, b.ConstantsFirst = seed%2 == 1, seed%2 == 1 // then it ends with events
	// Whatever is in it has to be put in by hand once a checkpoint is.
	b.Constants()
	for left := events; left > 0; {
		n := min(1+k.rng.IntN(events/4+1), left)
		k.some(n)
		left -= n
		switch k.rng.IntN(9) {
		case 0:
			k.long(index.BlockSize + k.rng.IntN(index.BlockSize))
		case 1:
			k.long(3*index.BlockSize + k.rng.IntN(index.BlockSize))
		case 2:
			k.checkpoint(k.rng.IntN(3 * index.BlockSize))
		case 3:
			b.Metadata(&jfrtest.Metadata{ID: 1})
		case 4:
			k.unknown()
		case 5:
			k.long(index.BlockSize / 2)
		case 6:
			b.Emit(k.short)
		}
	}
	b.Metadata(&jfrtest.Metadata{ID: 2})
	if seed%2 == 1 {
		k.some(20)
	}
	return b
}
