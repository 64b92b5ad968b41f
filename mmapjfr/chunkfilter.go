package mmapjfr

import (
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// chunkFilter is the filters of a selection, compiled for one chunk. It does not change, so
// goroutines share it.
type chunkFilter struct {
	c     *chunk
	types *schema.TypeSet
	// classes is set for the types that are selected, by ordinal; nil if all are.
	wanted []bool
	// first and last are the ticks between which selected events begin.
	first, last int64
	byTime      bool
	// threads holds the keys of the selected threads.
	threads  map[int64]struct{}
	byThread bool
	// inside is set if a type that is wanted has the threads of its events in these, where they have
	// no keys, and judges say which of such are wanted.
	inside bool
	judges []func(Thread) bool
	// slowStart is set if blocks do not know when events of a type that is wanted begin.
	slowStart bool
	// tests are asked about each event that passes all else.
	tests []func(*scratch, *schema.Type) bool
	empty bool // no event of the chunk can be selected
}

// chunkFilter compiles the selection for a chunk with these types.
func (s *Selection) chunkFilter(c *chunk, types *schema.TypeSet) (*chunkFilter, error) {
	cf := &chunkFilter{c: c, types: types, wanted: s.wanted(types), first: math.MinInt64, last: math.MaxInt64, empty: c.repeats != nil && !s.repeats}
	cf.inside = cf.wants(func(typ *schema.Type) bool { return threadInside(typ) != nil })
	cf.slowStart = cf.wants(hasSlowStart)
	for _, f := range s.filters {
		if n, ok := f.(compiledFilter); ok {
			if err := n.compile(cf); err != nil {
				return nil, err
			}
		}
	}
	return cf, nil
}

// limitTicks leaves out events that begin outside of these ticks.
func (f *chunkFilter) limitTicks(first, last int64) {
	f.first, f.last, f.byTime = max(f.first, first), min(f.last, last), true
	f.empty = f.empty || f.first > f.last
}

// limitThreads leaves out events of other threads. Inside judges those that lie in events; several
// goroutines call it at once.
func (f *chunkFilter) limitThreads(wanted, inside func(Thread) bool) error {
	f.judges = append(f.judges, inside)
	k, err := f.c.ix.Constants()
	if err != nil {
		return err
	}
	keys := make(map[int64]struct{})
	if typ := k.Named(jdktypes.Thread); typ != nil {
		k.All(typ, func(key int64, offset uint64) bool {
			_, before := f.threads[key]
			if (before || !f.byThread) && wanted(f.c.payload(typ.ValueField(), typ, int(offset), key, 0).Thread()) {
				keys[key] = struct{}{}
			}
			return true
		})
	}
	f.threads, f.byThread = keys, true
	f.empty = f.empty || len(keys) == 0 && !f.inside
	return nil
}

// blockFilter returns the filter of the blocks that may hold selected events.
func (f *chunkFilter) blockFilter() index.BlockFilter {
	var bf index.BlockFilter
	bf.SetTypes(f.types, f.wanted)
	if f.byTime && !f.slowStart {
		bf.SetTicks(f.first, f.last)
	}
	if !f.inside { // blocks know nothing of these
		for key := range f.threads {
			bf.AddThread(key)
		}
	}
	return bf
}

// wants reports whether a type of events that is wanted is such.
func (f *chunkFilter) wants(isSuch func(*schema.Type) bool) bool {
	for i, typ := range f.types.Types {
		if typ.IsEvent() && (f.wanted == nil || f.wanted[i]) && isSuch(typ) {
			return true
		}
	}
	return false
}

// threadInside returns the field of the thread that lies in the events of a type; nil if they refer
// to it, or have none.
func threadInside(typ *schema.Type) *schema.Field {
	if f := typ.Thread(); f != nil && !f.Constant {
		return f
	}
	return nil
}

// readsEvents reports whether the filter depends on fields of an event.
func (f *chunkFilter) readsEvents() bool {
	return f.byTime || f.byThread || len(f.tests) > 0
}

// isSelective reports whether some events may be left out.
func (f *chunkFilter) isSelective() bool { return f.readsEvents() || f.wanted != nil }

// matchesEvent reports whether an event that has been laid out, of a class that is
// wanted, began at the right time and in the right thread.
func (f *chunkFilter) matchesEvent(s *scratch, typ *schema.Type) bool {
	time, thread := f.types.TimeAndThreadSlots(typ)
	if f.byTime {
		ticks, ok := s.long(time)
		if f.slowStart && hasSlowStart(typ) {
			ticks, ok = Event{c: f.c, s: s, typ: typ, pos: s.pos}.ticks(pathStartTime)
		}
		if !ok || ticks < f.first || ticks > f.last {
			return false
		}
	}
	if f.byThread {
		var inside *schema.Field
		if f.inside && thread < 0 {
			inside = threadInside(typ)
		}
		key, ok := s.long(thread)
		if _, wanted := f.threads[key]; inside == nil && !(ok && wanted) || inside != nil && !f.judge(s, inside) {
			return false
		}
	}
	for _, test := range f.tests {
		if !test(s, typ) {
			return false
		}
	}
	return true
}

// selects reports whether the filter of part of a [junction] selects an event that has been laid out.
func (f *chunkFilter) selects(s *scratch, typ *schema.Type) bool {
	return !f.empty && (f.wanted == nil || f.wanted[typ.Ordinal()]) && f.matchesEvent(s, typ)
}

// judge reports whether the thread that lies in an event is wanted.
func (f *chunkFilter) judge(s *scratch, inside *schema.Field) bool {
	var t Thread
	if slot := inside.Slot(); slot < s.slots {
		t = Thread{object{f.c, inside.Type, s.pos + int(s.offs[slot]), 0}}
	}
	for _, wanted := range f.judges {
		if !wanted(t) {
			return false
		}
	}
	return true
}

// headerScanner yields the headers of the events of a chunk that a selection may match.
type headerScanner struct {
	ix     *index.Chunk
	blocks *index.Blocks // nil if all headers of the chunk are read
	filter index.BlockFilter
	block  int // the next one to look at

	// offset is where the next header lies, ord how many events come before it, and limit
	// where the next block is looked for. Events are not counted if ordinals are not
	// needed.
	offset, ord, limit uint64
	noOrdinals         bool
	passed             uint64 // see [index.Chunk.Pass]

	// exact are those of all events that may match, if hasOffsets.
	offsets    []uint32
	hasOffsets bool
}

// noOrdinal is the ordinal of an event that has not been counted.
const noOrdinal = math.MaxUint64

// fewReadings is how often a chunk is read without blocks. To build them takes as long as three
// readings of all headers, and many commands read a recording twice.
const fewReadings = 2

// headers returns a scanner of the headers of events that may match. If the chunk has no
// blocks yet it builds them, on that number of goroutines, where that pays: if the filter
// is by time or thread, if the chunk is read often, or if
// they are saved and make the next time faster.
func (f *chunkFilter) headers(workers int) headerScanner {
	c := f.c
	hs := headerScanner{ix: c.ix, offset: c.ix.FirstEvent(), limit: math.MaxUint64}
	if f.empty {
		hs.hasOffsets = true
		return hs
	}
	often := c.readings.Add(1) > fewReadings
	if !f.isSelective() {
		return hs
	}
	hs.blocks = c.ix.CachedBlocks()
	if hs.blocks == nil && (f.byTime || f.byThread || often || f.paysNextTime()) {
		hs.blocks = c.ix.BuildBlocks(workers)
	}
	if hs.blocks == nil {
		return hs
	}
	// Another reader may have read older metadata and built blocks with more types than the
	// filter knows: then events of these types are found by their headers.
	if types, err := c.ix.Types(); err != nil || types != f.types {
		hs.blocks = nil
		return hs
	}
	if hs.offsets, hs.hasOffsets = f.offsetsOfAll(hs.blocks); !hs.hasOffsets {
		hs.filter = f.blockFilter()
		hs.limit = 0
	}
	return hs
}

// Blocks are built to be saved alone if a reading wants few types, which blocks without them can
// spare, of a chunk with many blocks.
const (
	fewTypes   = 8
	manyBlocks = 1 << 20
)

// paysNextTime reports whether blocks that are saved make the same reading faster the next time.
func (f *chunkFilter) paysNextTime() bool {
	if f.c.rec.kept == nil || f.wanted == nil || f.c.ix.Size() < min(manyBlocks, leastKept) {
		return false
	}
	n := 0
	for _, wanted := range f.wanted {
		if wanted {
			n++
		}
	}
	return n <= fewTypes
}

// offsetsOfAll returns where all events that may match lie; false if that is not known. It is
// known of rare types.
func (f *chunkFilter) offsetsOfAll(b *index.Blocks) (offsets []uint32, known bool) {
	if f.wanted == nil || b.HasUndescribed() {
		return nil, false
	}
	for ordinal, wanted := range f.wanted {
		wire.Step()
		if !wanted {
			continue
		}
		more, known := b.Offsets(f.types.Types[ordinal])
		if !known {
			return nil, false
		}
		offsets = append(offsets, more...)
	}
	slices.Sort(offsets)
	return offsets, true
}

// position returns where the next header to be read lies; false if none is left. Where the
// block filter leaves out blocks it moves on to the next blocks that may hold a match.
func (hs *headerScanner) position() (offset uint64, more bool) {
	switch {
	case hs.hasOffsets && len(hs.offsets) == 0:
		return 0, false
	case hs.hasOffsets:
		return uint64(hs.offsets[0]), true
	case hs.offset < min(hs.limit, hs.ix.Size()):
		return hs.offset, true
	case hs.blocks == nil:
		return 0, false
	}
	hs.block = hs.blocks.Next(&hs.filter, hs.block)
	if hs.block == hs.blocks.Len() {
		return 0, false
	}
	hs.offset, hs.ord = hs.blocks.Begin(hs.block)
	for hs.block++; hs.block < hs.blocks.Len() && hs.blocks.Next(&hs.filter, hs.block) == hs.block; hs.block++ {
	}
	hs.limit = uint64(hs.block) * index.BlockSize
	return hs.offset, true
}

// seek moves to the event that begins at an offset.
func (hs *headerScanner) seek(offset uint64) {
	hs.noOrdinals, hs.ord = true, noOrdinal
	if hs.hasOffsets {
		for len(hs.offsets) > 0 && uint64(hs.offsets[0]) < offset {
			hs.offsets = hs.offsets[1:]
		}
		return
	}
	hs.offset = offset
	if hs.blocks != nil {
		hs.block = int(offset/index.BlockSize) + 1
		hs.limit = uint64(hs.block) * index.BlockSize
	}
}

// read reads headers of events that begin before end into dst, and returns their number;
// 0 if none is left before end. ord is how many events of the chunk come before the first of
// them, or noOrdinal. An error says why no more headers of the chunk can be read.
func (hs *headerScanner) read(end uint64, dst []index.EventHeader) (n int, ord uint64, err error) {
	offset, more := hs.position()
	if !more {
		offset = hs.ix.Size()
	}
	hs.passed = hs.ix.Pass(hs.passed, offset)
	if !more || offset >= end {
		return 0, hs.ord, nil
	}
	if hs.hasOffsets {
		for n < len(dst) && len(hs.offsets) > 0 && uint64(hs.offsets[0]) < end {
			at := uint64(hs.offsets[0])
			if _, _, err := hs.ix.ReadHeaders(at, at+1, dst[n:n+1]); err != nil {
				return n, noOrdinal, err
			}
			n++
			hs.offsets = hs.offsets[1:]
		}
		return n, noOrdinal, nil
	}
	ord = hs.ord
	n, hs.offset, err = hs.ix.ReadHeaders(hs.offset, min(hs.limit, end), dst)
	if hs.noOrdinals {
		return n, noOrdinal, err
	}
	for i := range dst[:n] {
		wire.Step()
		if dst[i].IsEvent() {
			hs.ord++
		}
	}
	return n, ord, err
}

// err returns, when all has been read, what ended the blocks of the chunk too early, if
// reading headers has not met it.
func (hs *headerScanner) err() error {
	if hs.blocks == nil {
		return nil
	}
	return hs.blocks.Err()
}
