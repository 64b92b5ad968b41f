package index

import (
	"math"

	"github.com/mmapjfr/jfr/index/schema"
)

// A chunk is divided at fixed offsets:
//
//	sector  4 MiB                                            one worker builds its blocks
//	  block   64 KiB   times, types and threads of events    a filter skips it or not
//	    cell    2 KiB    where its first event begins        a lookup begins here
//
//	        |<------------------ block, 64 KiB ------------------>|
//	        |cell 0   |cell 1   |cell 2   |  ...        |cell 31  |
//	 bytes  |..E--E---|---------|--E-E----|--E  ...     |---E----E|--
//	 first    ^         empty      ^         ^              ^
//	 nth      0                    2         4              ...       events of the block before
//
// An event belongs to the block and cell that it begins in. Package mmapjfr shares the blocks
// of a chunk among workers in parts of four blocks, 256 KiB.
//
// A block is small enough that a range of time or a rare type leaves most blocks out. It is
// large enough that its columns, 176 bytes, are a quarter of a percent of the chunk. A cell is
// so small that a lookup steps over some tens of events, and half of the columns are for cells.
const (
	// BlockSize is how many bytes of a chunk a block covers.
	BlockSize = 64 << 10
	// cellSize is how many bytes a cell covers.
	cellSize = 2 << 10
	// blockCells is how many cells a block has.
	blockCells = BlockSize / cellSize
	// emptyCell stands in first for a cell in which no event begins.
	emptyCell = math.MaxUint16
)

// blocksIn returns how many blocks size bytes take.
func blocksIn(size uint64) int { return int((size + BlockSize - 1) / BlockSize) }

// Blocks divides the events of a chunk into blocks of 64 KiB and cells of 2 KiB, by where they
// begin. What Blocks says of a block holds for all events that begin in it. Metadata events and
// checkpoints count as events only where a doc comment says so.
type Blocks struct {
	// first holds, for each cell, the distance from its beginning to the first event,
	// metadata event or checkpoint; emptyCell if none begins in it.
	first []uint16
	// nth holds how many events of the block come before that one.
	nth []uint16
	// ordinals holds, for each block, how many events of the chunk come before it.
	ordinals []uint64
	// least and greatest are when the events of each block began, in ticks. least is above
	// greatest if none has a time.
	least, greatest []int64
	// types holds two words for each block: the bits of the event types in it.
	types []uint64
	// threads holds the bits of the threads in each block.
	threads []uint64

	// of holds the events of each type, by ordinal; nil for types without events.
	of     []*typeEvents
	events uint64
	end    uint64
	err    error
	// others counts events whose type the newest metadata does not describe as an event type.
	others map[schema.TypeID]EventCount
	// saved reports whether the columns lie in a saved index.
	saved bool
}

// typeEvents is what blocks store of the events of a type.
type typeEvents struct {
	EventCount
	// at holds where each event begins, unless there are too many.
	at []uint32
	// many reports whether there are too many events to store their offsets.
	many bool
}

// typeEventsLen is how many bytes a typeEvents takes.
const typeEventsLen = 48

// add adds an event. limit bounds how many offsets are stored.
func (of *typeEvents) add(offset, size uint64, limit int) {
	of.Events++
	of.Bytes += size
	if !of.many {
		of.addOffset(offset, limit)
	}
}

func (of *typeEvents) addOffset(offset uint64, limit int) {
	if len(of.at) == limit || offset > math.MaxUint32 {
		of.at, of.many = nil, true
		return
	}
	of.at = append(of.at, uint32(offset))
}

// maxOffsets returns how many offsets are stored of a type in a chunk of that size: as many as
// it has blocks. With more events, the blocks find them as fast. Small chunks may store 16.
func maxOffsets(size uint64) int { return max(16, int(size/BlockSize)) }

// Events returns how many events there are, up to the error that [Blocks.Err] returns. It
// counts events whose type is not described, too: older metadata may describe it, and the
// number of an event must not depend on how much metadata has been read.
func (b *Blocks) Events() uint64 { return b.events }

// Err returns the error that ended the walk over the events before the end of the chunk, or
// nil.
func (b *Blocks) Err() error { return b.err }

// Saved reports whether the blocks come from a saved index.
func (b *Blocks) Saved() bool { return b.saved }

// Len returns how many blocks there are.
func (b *Blocks) Len() int { return len(b.ordinals) }

// Count returns how many events of the type there are, and their bytes.
func (b *Blocks) Count(typ *schema.Type) EventCount {
	n := b.others[typ.ID]
	if of := b.ofType(typ.Ordinal()); of != nil {
		n.Add(of.EventCount)
	}
	return n
}

// HasUndescribed reports whether there are events whose type the newest metadata of the chunk
// does not describe as an event type.
func (b *Blocks) HasUndescribed() bool { return len(b.others) > 0 }

// Bytes returns how much memory the blocks take.
func (b *Blocks) Bytes() int {
	n := 2*cap(b.first) + 2*cap(b.nth)
	n += 8 * (cap(b.ordinals) + cap(b.least) + cap(b.greatest) + cap(b.types) + cap(b.threads))
	for _, of := range b.of {
		if of != nil {
			n += typeEventsLen + 4*cap(of.at)
		}
	}
	return n + 8*cap(b.of)
}

// Times returns the ticks at which the first and the last event of a block began. It reports
// false if none of its events has a time.
func (b *Blocks) Times(block int) (least, greatest int64, ok bool) {
	return b.least[block], b.greatest[block], b.least[block] <= b.greatest[block]
}

// Begin returns where the first event, metadata event or checkpoint of a block begins, and how
// many events of the chunk come before it. If none begins in the block, offset is its end.
func (b *Blocks) Begin(block int) (offset, ordinal uint64) {
	for cell := block * blockCells; cell < (block+1)*blockCells; cell++ {
		if first := b.first[cell]; first != emptyCell {
			return uint64(cell)*cellSize + uint64(first), b.ordinals[block]
		}
	}
	return uint64(block+1) * BlockSize, b.ordinals[block]
}

// Offsets returns where each event of the type begins, in ascending order. It reports false if
// there are too many events to store their offsets. The slice is the index's own.
func (b *Blocks) Offsets(typ *schema.Type) (offsets []uint32, ok bool) {
	of := b.ofType(typ.Ordinal())
	if of == nil {
		return nil, true
	}
	return of.at, !of.many
}

// ofType returns the events of a type; nil if it has none.
func (b *Blocks) ofType(ordinal int) *typeEvents {
	if ordinal >= len(b.of) {
		return nil
	}
	return b.of[ordinal]
}

// addOther counts events whose type is not described or is no event type.
func (b *Blocks) addOther(id schema.TypeID, n EventCount) {
	if b.others == nil {
		b.others = make(map[schema.TypeID]EventCount)
	}
	addCount(b.others, id, n)
}

// hasEvents reports whether an event has been found in the block.
func (b *Blocks) hasEvents(block int) bool {
	offset, _ := b.Begin(block)
	return offset < uint64(block+1)*BlockSize
}

// grow makes room for a chunk of that size with these types.
func (b *Blocks) grow(size uint64, types *schema.TypeSet) {
	if types != nil {
		b.of = append(b.of, make([]*typeEvents, len(types.Types)-len(b.of))...)
	}
	before := len(b.ordinals)
	more := blocksIn(size) - before
	if more <= 0 {
		return
	}
	b.first = append(b.first, make([]uint16, more*blockCells)...)
	b.nth = append(b.nth, make([]uint16, more*blockCells)...)
	b.ordinals = append(b.ordinals, make([]uint64, more)...)
	b.types = append(b.types, make([]uint64, 2*more)...)
	b.threads = append(b.threads, make([]uint64, more)...)
	b.least = append(b.least, make([]int64, more)...)
	b.greatest = append(b.greatest, make([]int64, more)...)
	b.clear(uint64(before)*BlockSize, size, 0)
}
