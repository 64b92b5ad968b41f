package mmapjfr

import (
	"math"
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// headerScanner are where in a chunk the events lie that a selection may want.
type headerScanner struct {
	ix     *index.Chunk
	blocks *index.Blocks // nil if all of the chunk is to be gone through
	filter index.BlockFilter
	block  int // the one to look at next

	// offset is where the next frame lies, which so many events come before, and
	// limit where to look for other blocks. If nobody asks for ordinals events are
	// not counted.
	offset, ord, limit uint64
	noOrdinals         bool

	// exact is where each event lies, if that is known.
	offsets    []uint32
	hasOffsets bool
}

// noOrdinal stands for the ordinal of an event that nobody has counted to.
const noOrdinal = math.MaxUint64

// headers returns where to look for what the wish wants. Blocks that have not
// been cut yet are, on so many goroutines, if the wish is one that could not
// spare the work anyway, or if the chunk has been gone through before.
func (f *chunkFilter) headers(workers int) headerScanner {
	c := f.c
	hs := headerScanner{ix: c.ix, offset: c.ix.FirstEvent(), limit: math.MaxUint64}
	if f.empty {
		hs.hasOffsets = true
		return hs
	}
	again := c.scanned.Swap(true)
	if !f.isSelective() {
		return hs
	}
	hs.blocks = c.ix.CachedBlocks()
	if hs.blocks == nil && (f.readsEvents() || again) {
		hs.blocks = c.ix.BuildBlocks(workers)
	}
	if hs.blocks == nil {
		return hs
	}
	if hs.offsets, hs.hasOffsets = f.offsetsOfAll(hs.blocks); !hs.hasOffsets {
		hs.filter = f.blockFilter()
		hs.limit = 0
	}
	return hs
}

// offsetsOfAll returns where all events that can be wanted lie; false if that is not
// known.
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

// position returns where the next frame lies that is to be looked at; false if
// there are no more. When blocks are passed over it goes on to the next run of
// those in which there may be wanted events.
func (hs *headerScanner) position() (offset uint64, more bool) {
	switch {
	case hs.hasOffsets && len(hs.offsets) == 0:
		return 0, false
	case hs.hasOffsets:
		return uint64(hs.offsets[0]), true
	case hs.offset < min(hs.limit, uint64(len(hs.ix.Data()))):
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

// seek goes on at an event that begins at an offset.
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

// read reads frames, of events that begin before end, into dst. ord is how many
// events of the chunk come before the first of them, noOrdinal if that is not
// known. An error says why the walk over the chunk cannot go on. None are read
// when all before end have been.
func (hs *headerScanner) read(end uint64, dst []index.EventHeader) (n int, ord uint64, err error) {
	if offset, more := hs.position(); !more || offset >= end {
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

// err tells, when all has been read, what ended the walk over the chunk too
// early, if nothing that was read came upon it.
func (hs *headerScanner) err() error {
	if hs.blocks == nil {
		return nil
	}
	return hs.blocks.Err()
}
