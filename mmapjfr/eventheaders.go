package mmapjfr

import (
	"fmt"
	"iter"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// EventHeader says where an event, a checkpoint or a metadata event lies, and of which type
// it is.
type EventHeader struct {
	// Offset is where it begins, in bytes from the start of the recording.
	Offset uint64
	// Size is its number of bytes.
	Size uint64
	// TypeID is the number that the chunk gives its type, see [Chunk.EventType].
	TypeID int64
}

// The numbers of the two structures of the format that have headers as events have, but no
// type that metadata describes.
const (
	MetadataTypeID   = int64(schema.MetadataID)
	CheckpointTypeID = int64(schema.CheckpointID)
)

// IsMetadata reports whether the header is that of a metadata event.
func (h EventHeader) IsMetadata() bool { return h.TypeID == MetadataTypeID }

// IsCheckpoint reports whether the header is that of a checkpoint.
func (h EventHeader) IsCheckpoint() bool { return h.TypeID == CheckpointTypeID }

// IsEvent reports whether the header is that of an event: neither of a metadata event nor of
// a checkpoint.
func (h EventHeader) IsEvent() bool { return !h.IsMetadata() && !h.IsCheckpoint() }

func (c *chunk) headerOf(h index.EventHeader) EventHeader {
	return EventHeader{Offset: c.ix.Offset() + h.Offset, Size: uint64(h.Size), TypeID: int64(h.Type)}
}

// EventHeaders iterates over the headers of all events, checkpoints and metadata events of
// the chunk, in the order of the file. It decodes nothing else. What ends the chunk too early
// comes last, with the zero EventHeader.
func (c Chunk) EventHeaders() iter.Seq2[EventHeader, error] {
	return func(yield func(EventHeader, error) bool) {
		in := c.orEmpty()
		var buf [headersPerRead]index.EventHeader
		for next, end := in.ix.FirstEvent(), c.Size(); next < end; {
			var n int
			err := c.Protect(func() (err error) {
				n, next, err = in.ix.ReadHeaders(next, end, buf[:])
				return err
			})
			for i := range buf[:n] {
				if !yield(in.headerOf(buf[i]), nil) {
					return
				}
			}
			if err != nil {
				yield(EventHeader{}, err)
				return
			}
		}
	}
}

// EventHeaderAt returns the header of what lies at an offset of the recording, which may be
// anywhere inside it, and how many events of the chunk come before it. It fails if nothing
// that can be read covers the offset. Its cost is that of [Recording.EventAtOffset].
func (c Chunk) EventHeaderAt(offset uint64) (h EventHeader, ordinal uint64, err error) {
	err = c.Protect(func() error {
		found, n, err := c.c.headerAt(offset - c.Offset())
		h, ordinal = c.c.headerOf(found), n
		return err
	})
	if err != nil {
		return EventHeader{}, 0, err
	}
	return h, ordinal, nil
}

func (c *chunk) headerAt(offset uint64) (h index.EventHeader, ordinal uint64, err error) {
	blocks := c.ix.BuildBlocks(c.rec.workers)
	begin := c.ix.FirstEvent()
	for block := min(int(offset/index.BlockSize), blocks.Len()-1); block >= 0; block-- {
		// An event that covers the offset may begin some blocks earlier. Then nothing begins
		// in the blocks between them.
		if at, n := blocks.Begin(block); at <= offset && at < uint64(block+1)*index.BlockSize {
			begin, ordinal = at, n
			break
		}
	}
	var buf [headersPerRead]index.EventHeader
	for begin <= offset {
		n, next, err := c.ix.ReadHeaders(begin, offset+1, buf[:])
		for _, h := range buf[:n] {
			if h.End() > offset {
				return h, ordinal, nil
			}
			if h.IsEvent() {
				ordinal++
			}
		}
		if err != nil {
			return h, 0, err
		}
		if n == 0 {
			break
		}
		begin = next
	}
	return h, 0, fmt.Errorf("%w: nothing of chunk %d covers this offset", ErrNoEvent, c.ix.Number())
}
