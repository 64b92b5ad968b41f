package mmapjfr

import (
	"context"
	"errors"
	"iter"
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

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

// EventsBefore returns how many events of the recording come before the chunk, see
// [Recording.EventCount].
func (c Chunk) EventsBefore() uint64 {
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
			list, err := c.Types()
			if err != nil {
				errs = append(errs, err)
			}
			for _, t := range list {
				if seen[t] || !t.IsEvent() {
					continue
				}
				seen[t] = true
				wanted := true
				for _, f := range filters {
					wanted = wanted && MatchesType(f, t)
				}
				if wanted {
					types = append(types, t)
				}
			}
		}
	}
	return types, errors.Join(errs...)
}

// EventType returns the event type with that number, if need be from older metadata of the
// chunk. It fails with an error that matches [ErrUnknownType] if no metadata describes such an
// event type. Looking for a number that the newest metadata lacks walks over the whole chunk
// once.
func (c Chunk) EventType(id int64) (t Type, err error) {
	err = c.Protect(func() error {
		class, err := c.c.typeOfEvent(index.EventHeader{Type: schema.TypeID(id)})
		t = Type{class}
		return err
	})
	return t, err
}

// EventCount is a number of events and the bytes that they take, with their headers.
type EventCount = index.EventCount

// TypeCount is how many events of a type a chunk has.
type TypeCount struct {
	// TypeID is the number of the type, see [Chunk.EventType], or [MetadataTypeID] or
	// [CheckpointTypeID].
	TypeID int64
	EventCount
}

// IsMetadata reports whether the count is that of metadata events.
func (n TypeCount) IsMetadata() bool { return n.TypeID == MetadataTypeID }

// IsCheckpoint reports whether the count is that of checkpoints.
func (n TypeCount) IsCheckpoint() bool { return n.TypeID == CheckpointTypeID }

// ChunkCounts is what [Recording.CountEvents] finds in a chunk.
type ChunkCounts struct {
	Chunk Chunk
	// Types are in ascending order of their numbers.
	Types []TypeCount
	// Errors are what is wrong with the chunk, see [Chunk.Errors].
	Errors []error
}

// CountEvents counts the events of each chunk by type, as far as they can be read, and yields
// the chunks in their order. It walks over the event headers on several goroutines, see
// [Workers], decodes nothing and keeps nothing. It ends early when the context is cancelled,
// without an error.
//
// If it is not nil, passed is called, by any of the goroutines, with parts of the recording
// that have been counted: from where to where, in bytes from its start.
//
// It must be used inside [Recording.Protect].
func (r *Recording) CountEvents(ctx context.Context, passed func(from, to uint64)) iter.Seq[ChunkCounts] {
	return func(yield func(ChunkCounts) bool) {
		for ix, counts := range r.index.CountEvents(ctx, r.workers, passed) {
			c := Chunk{r.chunks[ix.Number()]}
			n := ChunkCounts{Chunk: c, Types: make([]TypeCount, len(counts.IDs)), Errors: c.Errors(counts.Err)}
			for i, id := range counts.IDs {
				n.Types[i] = TypeCount{int64(id), counts.Counts[i]}
			}
			if !yield(n) {
				return
			}
		}
	}
}
