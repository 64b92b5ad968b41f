package mmapjfr

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
)

// eventHeaderAt returns the header of what lies at an offset, which may be anywhere inside it, and
// how many events of the chunk come before it. Offsets begin with the chunk. It fails if nothing
// that can be read covers the offset. Its cost is that of [Recording.EventAtOffset].
func (c Chunk) eventHeaderAt(offset uint64) (h index.EventHeader, ordinal uint64, err error) {
	err = c.Protect(func() error {
		h, ordinal, err = c.c.headerAt(offset)
		return err
	})
	if err != nil {
		return index.EventHeader{}, 0, err
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

// EventCount returns how many events the recording has, as far as they can be read. Metadata
// and checkpoints are not counted. It is 0 once the recording is closed.
//
// The first use walks over the event headers of all chunks, on several goroutines, see
// [Workers], and keeps blocks of them.
func (r *Recording) EventCount() (n uint64) {
	_ = r.Protect(func() error {
		n = r.countTo(len(r.chunks), math.MaxUint64)[len(r.chunks)]
		return nil
	})
	return n
}

// eventsBefore returns how many events of the recording come before the chunk, see
// [Recording.EventCount].
func (c Chunk) eventsBefore() uint64 {
	if c.c == nil {
		return 0
	}
	return c.c.rec.firstOrdinal(c.c)
}

// EventTypes returns the event types that the chunks of recordings describe, in the order in
// which they first appear. Chunks with the same metadata share their types; otherwise there
// may be several types of one name. Filters leave out types whose events they never match.
// The error joins those of chunks whose metadata cannot be read.
func EventTypes(recs []*Recording, filters ...Filter) (types []Type, err error) {
	var errs []error
	seen := make(map[Type]bool)
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			list, err := c.c.typesInPassing()
			if err != nil {
				errs = append(errs, err)
				continue
			}
			for _, described := range list.Types {
				t := Type{described}
				if seen[t] || !t.IsEvent() {
					continue
				}
				seen[t] = true
				wanted := true
				for _, f := range filters {
					wanted = wanted && matchesType(f, t)
				}
				if wanted {
					types = append(types, t)
				}
			}
		}
	}
	return types, errors.Join(errs...)
}

// eventType returns the event type with that number, if need be from older metadata of the
// chunk. It fails with an error that matches [ErrUnknownType] if no metadata describes such an
// event type. Looking for a number that the newest metadata lacks walks over the whole chunk
// once.
func (c Chunk) eventType(id int64) (t Type, err error) {
	err = c.Protect(func() error {
		typ, err := c.c.typeOfEvent(index.EventHeader{Type: schema.TypeID(id)})
		t = Type{typ}
		return err
	})
	return t, err
}

// EventCount is a number of events and the bytes that they take, with their headers.
type EventCount = index.EventCount

// countEvents counts the events of each chunk by type, as far as they can be read, and yields the
// chunks in their order. Chunks that repeat others have no types, see countOnce. It walks over
// the event headers on several goroutines, see [Workers], decodes nothing and keeps nothing. It
// ends early when the context is cancelled, without an error.
//
// If it is not nil, passed is called, by any of the goroutines, with parts of the recording
// that have been counted: from where to where, in bytes from its start.
//
// It must be used inside [Recording.Protect]. After [Recording.Close] it yields nothing.
func (r *Recording) countEvents(ctx context.Context, passed func(from, to uint64)) iter.Seq2[Chunk, index.TypeCounts] {
	return func(yield func(Chunk, index.TypeCounts) bool) {
		if r.use() != nil {
			return
		}
		defer r.done()
		reached := func(from, to uint64) {
			r.readAhead(from, to)
			if passed != nil {
				passed(from, to)
			}
		}
		for ix, counts := range r.index.CountEvents(ctx, r.workers, reached) {
			c := Chunk{r.chunks[ix.Number()]}
			if c.c.repeats != nil {
				counts.IDs, counts.Counts = nil, nil
			}
			if !yield(c, counts) {
				return
			}
		}
	}
}
