package index

import (
	"math"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

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
	if b.first[cell] == emptyCell || pos > offset || c.afterGap(offset) > offset {
		return EventHeader{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	ordinal = b.ordinals[cell/blockCells] + uint64(b.nth[cell])
	pos, ordinal, _ = c.skip(pos, ordinal, offset, math.MaxUint64)
	rec, ok := c.eventHeader(pos)
	if pos != offset || !ok || !rec.IsEvent() {
		return EventHeader{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	return rec, ordinal, nil
}

// EventN returns the header of the event with that number, counted from 0 in the chunk. It
// reports false if there are not as many events. It steps through one cell and allocates
// nothing.
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
			if size, typ = wire.ShortEventHeader(w); size == 0 {
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
