package index

import (
	"math"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
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

// Err returns the error that ended the walk over the events before the end of the chunk, or nil.
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

// EventAt returns the header of the event that begins at an offset, and how many events of the
// chunk come before it. It fails if no event begins there. It steps through one cell and
// allocates nothing but the error.
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
	if b.first[cell] != emptyCell && pos <= offset && c.afterGap(offset) == offset {
		ordinal = b.ordinals[cell/blockCells] + uint64(b.nth[cell])
		pos, ordinal, _ = c.skip(pos, ordinal, offset, math.MaxUint64)
		if rec, ok := c.eventHeader(pos); pos == offset && ok && rec.IsEvent() {
			return rec, ordinal, nil
		}
	}
	return EventHeader{}, 0, c.fail("event", offset, ErrNoEvent)
}

// EventN returns the header of the event with that number, counted from 0 in the chunk. It reports
// false if there are not as many events. It steps through one cell and allocates nothing.
func (c *Chunk) EventN(n uint64) (rec EventHeader, ok bool) {
	b := c.Blocks()
	if n >= b.events {
		return EventHeader{}, false
	}
	// The last block that has at most n events before it, and its last such cell.
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
		if at := low*blockCells + i; b.first[at] != emptyCell && uint64(b.nth[at]) <= nth {
			cell = at
			break
		}
	}
	pos := uint64(cell)*cellSize + uint64(b.first[cell])
	// The event begins in this block, unless a saved index is wrong.
	pos, at, ok := c.skip(pos, b.ordinals[low]+uint64(b.nth[cell]), uint64(low+1)*BlockSize, n)
	if !ok || at != n {
		return EventHeader{}, false
	}
	return c.eventHeader(pos)
}

// skip steps from event to event, beginning at pos with the event that has that ordinal. It
// stops at the first one that begins at offset or later, or that is the nth event, and returns
// its place and ordinal. It reports false if it meets a header that cannot be read.
func (c *Chunk) skip(pos, ordinal, offset, nth uint64) (at, before uint64, ok bool) {
	if !prefetch(c.data, pos, min(offset, (pos/cellSize+1)*cellSize)) {
		return pos, ordinal, false
	}
	usual, gap := uint64(0), c.nextGap(pos)
	if c.encoding == wire.Compressed {
		usual = lastWord(c.data)
	}
	for pos < offset {
		if pos >= gap {
			pos = c.afterGap(pos)
			gap = c.nextGap(pos)
			continue
		}
		size, typ, head := uint32(0), uint32(0), 0
		if pos < usual {
			w := wire.Word(c.data, int(pos))
			if size, typ, head = wire.ShortEventHeader(w); size == 0 {
				size, typ, head = wire.EventHeader(w)
			}
		}
		if size == 0 || int(size) < head {
			rec, ok := c.eventHeader(pos)
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

// prefetch reads a byte of every cache line between two offsets. A walk through cold memory
// waits for one line after the other; lines that are read all together arrive at the same
// time. The sum that it returns, as true, keeps the compiler from removing the loop.
func prefetch(data []byte, from, to uint64) bool {
	sum := uint64(0)
	for at := from; at < min(to, uint64(len(data))); at += cacheLine {
		wire.Step()
		sum += uint64(data[at])
	}
	return sum <= cellSize/cacheLine*math.MaxUint8
}

// cacheLine is how many bytes of memory a processor loads at a time.
const cacheLine = 64

// BlockFilter selects blocks by the types, threads and times of their events. The zero
// BlockFilter selects all blocks with events.
type BlockFilter struct {
	// types and threads are sets of bits, as in Blocks; empty for all.
	types   [2]uint64
	threads uint64
	// from and to are the first and the last tick.
	from, to int64
	timed    bool
}

// SetTypes selects events of some types alone, given by ordinal.
func (f *BlockFilter) SetTypes(t *schema.TypeSet, wanted []bool) {
	f.types = [2]uint64{}
	keys := t.BlockKeys()
	for ordinal, ok := range wanted {
		wire.Step()
		if ok && ordinal < len(keys) {
			f.types[0] |= keys[ordinal].Types[0]
			f.types[1] |= keys[ordinal].Types[1]
		}
	}
}

// SetTicks selects events that began between two ticks, these included.
func (f *BlockFilter) SetTicks(from, to int64) { f.from, f.to, f.timed = from, to, true }

// AddThread selects events of that thread, besides those of threads added before.
func (f *BlockFilter) AddThread(key int64) { f.threads |= threadBit(key) }

// Next returns the first block, from a block on, that may hold events that the filter selects;
// [Blocks.Len] if there is no such block. Blocks without events are never selected.
func (b *Blocks) Next(f *BlockFilter, block int) int {
	for ; block < len(b.ordinals); block++ {
		wire.Step()
		types := [2]uint64{b.types[2*block], b.types[2*block+1]}
		if f.types != [2]uint64{} {
			types[0] &= f.types[0]
			types[1] &= f.types[1]
		}
		switch {
		case types == [2]uint64{}:
		case f.threads != 0 && f.threads&b.threads[block] == 0:
		case f.timed && (b.least[block] > f.to || b.greatest[block] < f.from):
		default:
			return block
		}
	}
	return block
}

// threadBit returns the bit of a thread in a set of threads. Threads share bits.
//
//gccheck:inline
func threadBit(key int64) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }
