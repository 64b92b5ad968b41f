package mmapjfr

import (
	"math"
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// places are where in a chunk the events lie that a selection may want.
type places struct {
	ix     *index.Chunk
	blocks *index.Blocks // nil if all of the chunk is to be gone through
	probe  index.BlockFilter
	block  int // the one to look at next

	// offset is where the next frame lies, which so many events come before, and
	// limit where to look for other blocks. If nobody asks for ordinals events are
	// not counted.
	offset, ord, limit uint64
	uncounted          bool

	// exact is where each event lies, if that is known.
	exact []uint32
	known bool
}

// noOrdinal stands for the ordinal of an event that nobody has counted to.
const noOrdinal = math.MaxUint64

// places returns where to look for what the wish wants. Blocks that have not
// been cut yet are, on so many goroutines, if the wish is one that could not
// spare the work anyway, or if the chunk has been gone through before.
func (w *wish) places(workers int) places {
	c := w.c
	p := places{ix: c.ix, offset: c.ix.FirstEvent(), limit: math.MaxUint64}
	if w.nothing {
		p.known = true
		return p
	}
	again := c.walked.Swap(true)
	if !w.selects() {
		return p
	}
	p.blocks = c.ix.CachedBlocks()
	if p.blocks == nil && (w.judges() || again) {
		p.blocks = c.ix.BuildBlocks(workers)
	}
	if p.blocks == nil {
		return p
	}
	if p.exact, p.known = w.rare(p.blocks); !p.known {
		p.probe = w.probe()
		p.limit = 0
	}
	return p
}

// rare returns where all events that can be wanted lie; false if that is not
// known.
func (w *wish) rare(b *index.Blocks) (offsets []uint32, known bool) {
	if w.classes == nil || b.HasUndescribed() {
		return nil, false
	}
	for ordinal, wanted := range w.classes {
		wire.Step()
		if !wanted {
			continue
		}
		more, known := b.Offsets(w.types.Types[ordinal])
		if !known {
			return nil, false
		}
		offsets = append(offsets, more...)
	}
	slices.Sort(offsets)
	return offsets, true
}

// where returns where the next frame lies that is to be looked at; false if
// there are no more. When blocks are passed over it goes on to the next run of
// those in which there may be wanted events.
func (p *places) where() (offset uint64, more bool) {
	switch {
	case p.known && len(p.exact) == 0:
		return 0, false
	case p.known:
		return uint64(p.exact[0]), true
	case p.offset < min(p.limit, uint64(len(p.ix.Data()))):
		return p.offset, true
	case p.blocks == nil:
		return 0, false
	}
	p.block = p.blocks.Next(&p.probe, p.block)
	if p.block == p.blocks.Len() {
		return 0, false
	}
	p.offset, p.ord = p.blocks.Begin(p.block)
	for p.block++; p.block < p.blocks.Len() && p.blocks.Next(&p.probe, p.block) == p.block; p.block++ {
	}
	p.limit = uint64(p.block) * index.BlockSize
	return p.offset, true
}

// read reads frames, of events that begin before end, into dst. ord is how many
// events of the chunk come before the first of them, noOrdinal if that is not
// known. An error says why the walk over the chunk cannot go on. None are read
// when all before end have been.
func (p *places) read(end uint64, dst []index.EventHeader) (n int, ord uint64, err error) {
	if offset, more := p.where(); !more || offset >= end {
		return 0, p.ord, nil
	}
	if p.known {
		for n < len(dst) && len(p.exact) > 0 && uint64(p.exact[0]) < end {
			at := uint64(p.exact[0])
			if _, _, err := p.ix.ReadHeaders(at, at+1, dst[n:n+1]); err != nil {
				return n, noOrdinal, err
			}
			n++
			p.exact = p.exact[1:]
		}
		return n, noOrdinal, nil
	}
	ord = p.ord
	n, p.offset, err = p.ix.ReadHeaders(p.offset, min(p.limit, end), dst)
	if p.uncounted {
		return n, noOrdinal, err
	}
	for i := range dst[:n] {
		wire.Step()
		if dst[i].IsEvent() {
			p.ord++
		}
	}
	return n, ord, err
}

// err tells, when all has been read, what ended the walk over the chunk too
// early, if nothing that was read came upon it.
func (p *places) err() error {
	if p.blocks == nil {
		return nil
	}
	return p.blocks.Err()
}
