package index

import (
	"math"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

const (
	// blockSize is how many bytes of a chunk a block covers.
	blockSize = 64 << 10
	// cellSize is how many bytes a cell covers: so far, on average and a half
	// more, an event is stepped to.
	cellSize = 2 << 10
	// blockCells is how many cells a block has.
	blockCells = blockSize / cellSize
	// noFrame stands for the place of the first frame of a cell in which none
	// begins.
	noFrame = math.MaxUint16
)

// Blocks cuts the events of a chunk into blocks, and these into cells, by where
// they begin: a block covers 64 KiB, a cell 2 KiB. So the place of an event tells
// its block and cell, and each of these where its first event begins. What is
// told of a block holds for all events that begin in it.
type Blocks struct {
	// first holds, for each cell, how far behind its beginning the first frame
	// begins; noFrame if none does.
	first []uint16
	// nth holds how many events of the block come before that frame.
	nth []uint16
	// ordinals holds, for each block, how many events of the chunk come before it.
	ordinals []uint64
	// least and greatest are when the events of each block began, in ticks. least
	// is above greatest if none has a time.
	least, greatest []int64
	// types holds two words for each block: the bits of the event types in it.
	types []uint64
	// threads holds the bits of the threads in each block.
	threads []uint64

	// of holds what there is of each class, by ordinal; nil if there is nothing.
	of     []*kept
	events uint64
	end    uint64
	err    error
	// others counts events whose class the newest metadata does not describe as an
	// event type.
	others map[schema.TypeID]EventCount
	// saved tells that the columns lie in a saved index.
	saved bool
}

// kept is what blocks keep of a class.
type kept struct {
	EventCount
	// at holds where each event of the class begins, if there are not many.
	at []uint32
	// many tells that at has been given up.
	many bool
}

// rareMin is how many events of a class may be kept one by one in a chunk of any
// size; in a large one it is as many as it has blocks.
const rareMin = 16

// rare is how many events of a class are kept one by one in a chunk of that size.
func rare(size uint64) int { return max(rareMin, int(size/blockSize)) }

// Events returns how many events there are, as far as they can be read. Those whose
// class is not described, or no event type, are counted: older metadata may describe
// them, and the number of an event must not depend on how much metadata has been read.
func (b *Blocks) Events() uint64 { return b.events }

// Err returns what ended the walk over the events too early, or nil.
func (b *Blocks) Err() error { return b.err }

// Saved tells whether the blocks come from a saved index.
func (b *Blocks) Saved() bool { return b.saved }

// Len returns how many blocks there are.
func (b *Blocks) Len() int { return len(b.ordinals) }

// Count returns how many events of the class there are.
func (b *Blocks) Count(class *schema.Type) EventCount {
	n := b.others[class.ID]
	if of := b.kept(class.Ordinal()); of != nil {
		n.Add(of.EventCount)
	}
	return n
}

// HasUndescribed tells whether there are events whose class the newest metadata of
// the chunk does not describe as an event type.
func (b *Blocks) HasUndescribed() bool { return len(b.others) > 0 }

// Bytes returns how much memory the blocks take.
func (b *Blocks) Bytes() int {
	n := 2*cap(b.first) + 2*cap(b.nth)
	n += 8 * (cap(b.ordinals) + cap(b.least) + cap(b.greatest) + cap(b.types) + cap(b.threads))
	for _, of := range b.of {
		if of != nil {
			n += keptSize + 4*cap(of.at)
		}
	}
	return n + 8*cap(b.of)
}

// kept returns what there is of a class; nil if there is nothing.
func (b *Blocks) kept(ordinal int) *kept {
	if ordinal >= len(b.of) {
		return nil
	}
	return b.of[ordinal]
}

// keptSize is the size of what is kept of a class, in bytes.
const keptSize = 48

// grow makes room for a chunk of that size with these types.
func (b *Blocks) grow(size uint64, types *schema.TypeSet) {
	if types != nil {
		b.of = append(b.of, make([]*kept, len(types.Types)-len(b.of))...)
	}
	blocks := int((size + blockSize - 1) / blockSize)
	more := blocks - len(b.ordinals)
	if more <= 0 {
		return
	}
	cells := make([]uint16, more*blockCells)
	for i := range cells {
		cells[i] = noFrame
	}
	b.first = append(b.first, cells...)
	b.nth = append(b.nth, make([]uint16, len(cells))...)
	b.ordinals = append(b.ordinals, make([]uint64, more)...)
	b.types = append(b.types, make([]uint64, 2*more)...)
	b.threads = append(b.threads, make([]uint64, more)...)
	for range more {
		wire.Step()
		b.least = append(b.least, math.MaxInt64)
		b.greatest = append(b.greatest, math.MinInt64)
	}
}

// EventAt returns the frame of the event that begins at offset, and how many
// events of the chunk come before it. It fails if no event begins there. It
// goes through one cell and allocates nothing but the error.
func (c *Chunk) EventAt(offset uint64) (rec EventHeader, ordinal uint64, err error) {
	b := c.Blocks()
	if offset >= b.end {
		if b.err != nil {
			return EventHeader{}, 0, b.err
		}
		return EventHeader{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	cell := offset / cellSize
	pos := cell*cellSize + uint64(b.first[cell])
	if b.first[cell] == noFrame || pos > offset || c.past(offset) > offset {
		return EventHeader{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	ordinal = b.ordinals[cell/blockCells] + uint64(b.nth[cell])
	pos, ordinal, _ = c.skip(pos, ordinal, offset, math.MaxUint64)
	rec, ok := c.frame(pos)
	if pos != offset || !ok || !rec.IsEvent() {
		return EventHeader{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	return rec, ordinal, nil
}

// EventN returns the frame of the event that so many events of the chunk come
// before. It is false if there are no more than that. It goes through one cell
// and allocates nothing.
func (c *Chunk) EventN(n uint64) (rec EventHeader, ok bool) {
	b := c.Blocks()
	if n >= b.events {
		return EventHeader{}, false
	}
	// The last block that no more than n events come before, and its last such cell.
	low, high := 0, len(b.ordinals)
	for low+1 < high {
		if mid := int(uint(low+high) / 2); b.ordinals[mid] <= n {
			low = mid
		} else {
			high = mid
		}
	}
	cell, nth := low*blockCells, n-b.ordinals[low]
	for i := blockCells - 1; i > 0; i-- {
		if at := low*blockCells + i; b.first[at] != noFrame && uint64(b.nth[at]) <= nth {
			cell = at
			break
		}
	}
	pos := uint64(cell)*cellSize + uint64(b.first[cell])
	// The event begins in this block, unless a saved index is wrong.
	pos, at, ok := c.skip(pos, b.ordinals[low]+uint64(b.nth[cell]), uint64(low+1)*blockSize, n)
	if !ok || at != n {
		return EventHeader{}, false
	}
	return c.frame(pos)
}

// skip goes from the frame at pos, which so many events come before, to the
// first one that begins at offset or behind it, or that is an event and the nth.
// It is false if there is a frame on the way that cannot be read.
func (c *Chunk) skip(pos, ordinal, offset, nth uint64) (at, before uint64, ok bool) {
	if !ahead(c.data, pos, min(offset, (pos/cellSize+1)*cellSize)) {
		return pos, ordinal, false
	}
	usual, solid := uint64(0), c.solid(pos)
	if c.form == wire.Compressed {
		usual = lastWord(c.data)
	}
	for pos < offset {
		if pos >= solid {
			pos = c.past(pos)
			solid = c.solid(pos)
			continue
		}
		size, typ, head := uint32(0), uint32(0), 0
		if pos < usual {
			w := wire.Word(c.data, int(pos))
			if size, typ = shortFrame(w); size == 0 {
				size, typ, head = wire.Frame(w)
			}
		}
		if size == 0 || int(size) < head {
			rec, ok := c.frame(pos)
			if !ok {
				return pos, ordinal, false
			}
			size, typ = rec.Size, 2
			if !rec.IsEvent() {
				typ = uint32(rec.Type)
			}
		}
		if schema.TypeID(typ) != schema.MetadataID && schema.TypeID(typ) != schema.CheckpointID {
			if ordinal == nth {
				return pos, ordinal, true
			}
			ordinal++
		}
		pos += uint64(size)
	}
	return pos, ordinal, true
}

// ahead looks at a byte of every cache line between two places, and is true. A
// walk through cold memory waits for one line after the other; asked for all
// together they come at the same time.
func ahead(data []byte, from, to uint64) bool {
	sum := uint64(0)
	for at := from; at < min(to, uint64(len(data))); at += cacheLine {
		wire.Step()
		sum += uint64(data[at])
	}
	return sum <= cellSize/cacheLine*math.MaxUint8
}

// cacheLine is how many bytes of memory come at a time.
const cacheLine = 64
