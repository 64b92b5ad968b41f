package index

import (
	"math"
	"sort"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// EventHeader is the header of an event: where the event lies and of which type it is. Offsets
// count from the start of the chunk.
type EventHeader struct {
	// Offset is where the event begins, with its size.
	Offset uint64
	// Type is the number of the event's type.
	Type schema.TypeID
	// Size is the number of bytes, those of the header included.
	Size uint32
	// HeaderLen is the number of bytes that size and type take.
	HeaderLen uint32
}

// Body returns where the first field begins.
func (r EventHeader) Body() uint64 { return r.Offset + uint64(r.HeaderLen) }

// End returns the position after the event.
func (r EventHeader) End() uint64 { return r.Offset + uint64(r.Size) }

// IsEvent reports whether the header is that of an event, and not of a metadata event or a
// checkpoint, which have the same headers.
func (r EventHeader) IsEvent() bool {
	return r.Type != schema.MetadataID && r.Type != schema.CheckpointID
}

// FirstEvent returns where the first event of the chunk begins.
func (c *Chunk) FirstEvent() uint64 { return c.afterGap(wire.HeaderLen) }

// eventHeader decodes the event header at an offset (FORMAT.md, section 5.1). It reports false
// if there is no valid header; readEventHeader returns why.
func (c *Chunk) eventHeader(offset uint64) (EventHeader, bool) {
	if offset >= uint64(len(c.data)) {
		return EventHeader{}, false
	}
	b := c.data[offset:]
	size, n := c.encoding.Count(b)
	typ, m := c.encoding.Long(b[n:])
	head := uint64(n + m)
	if n == 0 || m == 0 || size < head || size > uint64(len(b)) || size > math.MaxUint32 {
		return EventHeader{}, false
	}
	return EventHeader{Offset: offset, Type: schema.TypeID(typ), Size: uint32(size), HeaderLen: uint32(head)}, true
}

// readEventHeader decodes the event header at an offset, or returns what is wrong with it.
func (c *Chunk) readEventHeader(offset uint64) (EventHeader, error) {
	if offset >= wire.HeaderLen {
		if rec, ok := c.eventHeader(offset); ok {
			return rec, nil
		}
	}
	return EventHeader{}, c.eventHeaderError(offset)
}

// eventHeaderError returns why there is no event header at an offset.
func (c *Chunk) eventHeaderError(offset uint64) error {
	if offset > math.MaxUint64-c.offset {
		// Added to the offset of the chunk it wraps around, so the error names the chunk.
		return c.fail("chunk header", 0, corrupt("offset %#x is outside the chunk of %d bytes", offset, len(c.data)))
	}
	if offset < wire.HeaderLen || offset >= uint64(len(c.data)) {
		return c.fail("event", offset, corrupt("offset is outside the chunk of %d bytes", len(c.data)))
	}
	b := c.data[offset:]
	size, n := c.encoding.Count(b)
	_, m := c.encoding.Long(b[n:])
	switch {
	case n == 0 || m == 0:
		return c.fail("event", offset, corrupt("the chunk ends inside the event's size and type"))
	case size < uint64(n+m):
		return c.fail("event", offset, corrupt("event size %d is less than its head", size))
	case size > uint64(len(b)):
		return c.fail("event", offset, corrupt("event size %d exceeds the %d bytes left in the chunk", size, len(b)))
	}
	return c.fail("event", offset, errtree.Detailf(ErrUnsupported, "event of %d bytes", size))
}

// ReadHeaders decodes the headers of the events that begin from offset on and before end, into
// dst. Metadata events and checkpoints are among them. It returns how many headers it decoded
// and where the next event begins; next is end or larger when there are no more. An error says
// why the event at next cannot be read. ReadHeaders allocates nothing but the error.
func (c *Chunk) ReadHeaders(offset, end uint64, dst []EventHeader) (n int, next uint64, err error) {
	c.Need()
	end = min(end, uint64(len(c.data)))
	if offset < wire.HeaderLen && len(dst) > 0 {
		return 0, offset, c.eventHeaderError(offset)
	}
	offset = c.afterGap(offset)
	for n < len(dst) && offset < end {
		if c.encoding == wire.Compressed {
			m, next := usualHeaders(c.data, offset, min(end, c.nextGap(offset)), dst[n:])
			if n, offset = n+m, c.afterGap(next); n == len(dst) || offset >= end {
				break
			}
		}
		rec, err := c.readEventHeader(offset)
		if err != nil {
			return n, offset, err
		}
		dst[n] = rec
		n++
		offset = c.afterGap(rec.End())
	}
	return n, offset, nil
}

// usualHeaders decodes event headers of a chunk, up to the first one that has not one of the forms
// that virtual machines write, or whose event does not lie in the chunk.
//
//gccheck:nobounds
func usualHeaders(data []byte, pos, end uint64, dst []EventHeader) (n int, next uint64) {
	end, left := min(end, lastWord(data)), uint64(len(data))
	for n < len(dst) && pos < end {
		w := wire.Word(data, int(pos))
		size, typ, head := wire.ShortEventHeader(w)
		if size == 0 {
			if size, typ, head = wire.EventHeader(w); head == 0 || size < uint32(head) {
				break
			}
		}
		if uint64(size) > left-pos {
			break
		}
		dst[n] = EventHeader{pos, schema.TypeID(typ), size, uint32(head)}
		n++
		pos += uint64(size)
	}
	return n, pos
}

// lastWord returns the first offset from which fewer than eight bytes are left.
func lastWord(data []byte) uint64 {
	return uint64(max(len(data)-wire.WordLen+1, 0))
}

// gap is a range of a chunk in which no event can be found, see [Salvage]. The event before a
// gap ends where the gap begins, and an event begins where it ends. Only chunks that were
// salvaged have gaps.
type gap struct{ from, to uint64 }

// afterGap returns the end of the gap that an offset lies in, or the offset if it lies in none.
//
//gccheck:inline
func (c *Chunk) afterGap(offset uint64) uint64 {
	if len(c.gaps) == 0 {
		return offset
	}
	return c.skipGap(offset)
}

func (c *Chunk) skipGap(offset uint64) uint64 {
	if i := c.gapAfter(offset); i < len(c.gaps) && c.gaps[i].from <= offset {
		return c.gaps[i].to
	}
	return offset
}

// nextGap returns where the first gap after an offset begins that lies in no gap. Up to there
// events follow one another.
//
//gccheck:inline
func (c *Chunk) nextGap(offset uint64) uint64 {
	if len(c.gaps) == 0 {
		return math.MaxUint64
	}
	return c.findGap(offset)
}

func (c *Chunk) findGap(offset uint64) uint64 {
	if i := c.gapAfter(offset); i < len(c.gaps) {
		return c.gaps[i].from
	}
	return math.MaxUint64
}

// gapAfter returns the number of the first gap that ends after an offset.
func (c *Chunk) gapAfter(offset uint64) int {
	return sort.Search(len(c.gaps), func(i int) bool { return c.gaps[i].to > offset })
}
