package index

import (
	"fmt"
	"math"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// EventHeader is the frame of an event: where it lies and of what class it is.
// Offsets count from the start of the chunk.
type EventHeader struct {
	// Offset is where the event begins, with its size.
	Offset uint64
	// Type is the number of the event's class.
	Type schema.TypeID
	// Size is the number of bytes, those of the size itself included.
	Size uint32
	// Head is the number of bytes that size and type take.
	HeaderLen uint32
}

// Body returns where the first field begins.
func (r EventHeader) Body() uint64 { return r.Offset + uint64(r.HeaderLen) }

// End returns the position behind the event.
func (r EventHeader) End() uint64 { return r.Offset + uint64(r.Size) }

// IsEvent tells whether the frame is that of an event, and not of one of the two
// structures of the format that are framed like events.
func (r EventHeader) IsEvent() bool {
	return r.Type != schema.MetadataID && r.Type != schema.CheckpointID
}

// FirstEvent returns where the first event of the chunk begins.
func (c *Chunk) FirstEvent() uint64 { return c.past(wire.HeaderLen) }

// frame reads the frame of the event at offset (FORMAT.md, section 5.1). It is
// false if there is none; record tells why.
func (c *Chunk) frame(offset uint64) (EventHeader, bool) {
	if offset >= uint64(len(c.data)) {
		return EventHeader{}, false
	}
	b := c.data[offset:]
	size, n := c.form.Count(b)
	typ, m := c.form.Long(b[n:])
	head := uint64(n + m)
	if n == 0 || m == 0 || size < head || size > uint64(len(b)) || size > math.MaxUint32 {
		return EventHeader{}, false
	}
	return EventHeader{Offset: offset, Type: schema.TypeID(typ), Size: uint32(size), HeaderLen: uint32(head)}, true
}

// record reads the frame of the event at offset, and tells what is wrong with it.
func (c *Chunk) record(offset uint64) (EventHeader, error) {
	if offset >= wire.HeaderLen {
		if rec, ok := c.frame(offset); ok {
			return rec, nil
		}
	}
	return EventHeader{}, c.frameError(offset)
}

// frameError tells why there is no frame at offset.
func (c *Chunk) frameError(offset uint64) error {
	if offset > math.MaxUint64-c.offset {
		// It is no place of the file: added to that of the chunk it wraps around.
		return c.fail("chunk header", 0, corrupt("offset %#x is outside the chunk of %d bytes", offset, len(c.data)))
	}
	if offset < wire.HeaderLen || offset >= uint64(len(c.data)) {
		return c.fail("event", offset, corrupt("offset is outside the chunk of %d bytes", len(c.data)))
	}
	b := c.data[offset:]
	size, n := c.form.Count(b)
	_, m := c.form.Long(b[n:])
	switch {
	case n == 0 || m == 0:
		return c.fail("event", offset, corrupt("the chunk ends inside the event's size and type"))
	case size < uint64(n+m):
		return c.fail("event", offset, corrupt("event size %d is less than its head", size))
	case size > uint64(len(b)):
		return c.fail("event", offset, corrupt("event size %d exceeds the %d bytes left in the chunk", size, len(b)))
	}
	return c.fail("event", offset, fmt.Errorf("%w: event of %d bytes", ErrUnsupported, size))
}

// ReadHeaders reads the frames of the events that begin from offset on, and before
// end, into dst, metadata events and checkpoints among them. It returns how many
// it read and where the next event begins; that is at end or behind it when there
// are no more. An error says why the event at next cannot be read. It allocates
// nothing but the error.
func (c *Chunk) ReadHeaders(offset, end uint64, dst []EventHeader) (n int, next uint64, err error) {
	end = min(end, uint64(len(c.data)))
	if offset < wire.HeaderLen && len(dst) > 0 {
		return 0, offset, c.frameError(offset)
	}
	offset = c.past(offset)
	for n < len(dst) && offset < end {
		if c.form == wire.Compressed {
			m, next := usualFrames(c.data, offset, min(end, c.solid(offset)), dst[n:])
			if n, offset = n+m, c.past(next); n == len(dst) || offset >= end {
				break
			}
		}
		rec, err := c.record(offset)
		if err != nil {
			return n, offset, err
		}
		dst[n] = rec
		n++
		offset = c.past(rec.End())
	}
	return n, offset, nil
}

// usualFrames reads frames up to the first that has not one of the forms that
// virtual machines write, or does not lie in data.
//
//gccheck:nobounds
func usualFrames(data []byte, offset, end uint64, dst []EventHeader) (n int, next uint64) {
	end = min(end, lastWord(data))
	for n < len(dst) && offset < end {
		w := wire.Word(data, int(offset))
		size, typ, head := uint32(w)&0x7f, uint32(w>>8)&0x7f|uint32(w>>9)&0x3f80, 3
		if w&0x808080 != 0x008000 {
			if size, typ, head = wire.Frame(w); head == 0 {
				break
			}
		}
		if size < uint32(head) || uint64(size) > uint64(len(data))-offset {
			break
		}
		dst[n] = EventHeader{offset, schema.TypeID(typ), size, uint32(head)}
		n++
		offset += uint64(size)
	}
	return n, offset
}

// lastWord returns the offset up to which, and without which, there are eight
// bytes to be had.
func lastWord(data []byte) uint64 {
	return uint64(max(len(data)-wire.WordLen+1, 0))
}
