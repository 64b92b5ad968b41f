package mmapjfr

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Selection is a choice of events of a recording. It is safe for concurrent use. The zero
// Selection is one of a closed recording.
type Selection struct {
	rec *Recording
	// chunks are the chunks of the selection, without gaps. whole is set if they are all
	// chunks of the recording, with what lies after the last one.
	chunks  []*chunk
	whole   bool
	filters []Filter
	err     error
	// workers is how many goroutines read at once.
	workers int
	// repeats is set if chunks have their events even if they repeat others.
	repeats bool
	// classes is what the filters select of the types that were asked about last.
	lastWanted atomic.Pointer[wantedTypes]
}

// wantedTypes says which of some types are selected, by ordinal.
type wantedTypes struct {
	types  *schema.TypeSet
	wanted []bool
}

// Select returns the events that match all the filters; all events if there is no filter. An
// invalid filter makes the iteration return its error. A filter that matches no type is
// valid: the selection is empty then. A nil filter matches all.
func (r *Recording) Select(filters ...Filter) *Selection {
	return r.selection(r.chunks, true, filters)
}

// Select returns the events of the chunk that match all the filters, see
// [Recording.Select]. Errors are those of the chunk. What lies after the last chunk is not
// among them.
func (c Chunk) Select(filters ...Filter) *Selection {
	if c.c == nil {
		return (*Recording)(nil).selection(nil, false, filters)
	}
	i := c.Number()
	return c.c.rec.selection(c.c.rec.chunks[i:i+1], false, filters)
}

// ChunkRange is a part of the bytes of a recording. It has the chunks whose header begins in it, so that ranges that
// follow one another have each chunk once. The zero ChunkRange has all.
type ChunkRange struct {
	// From is the offset of its first byte, and To the one after its last; 0 is the end of the file.
	From, To uint64
}

// Has reports whether the range has a chunk.
func (b ChunkRange) Has(c Chunk) bool {
	return b.From <= c.Offset() && (b.To == 0 || c.Offset() < b.To)
}

// selectIn is [Recording.Select] of the chunks of a range. What lies after the last chunk is among the errors if the
// range has that chunk.
func (r *Recording) selectIn(b ChunkRange, filters ...Filter) *Selection {
	if r == nil || b == (ChunkRange{}) {
		return r.Select(filters...)
	}
	first := 0
	for first < len(r.chunks) && !b.Has(Chunk{r.chunks[first]}) {
		first++
	}
	end := first
	for end < len(r.chunks) && b.Has(Chunk{r.chunks[end]}) {
		end++
	}
	return r.selection(r.chunks[first:end], first < end && end == len(r.chunks), filters)
}

// chunkList returns the chunks that have the events, in the order of the file: of a recording of [OpenSource] those that can have
// events of the times of its filters, and of other recordings all that it was made of.
func (s *Selection) chunkList() []Chunk {
	list := make([]Chunk, len(s.chunks))
	for i, c := range s.chunks {
		list[i] = Chunk{c}
	}
	return list
}

func (r *Recording) selection(chunks []*chunk, whole bool, filters []Filter) *Selection {
	if slices.Contains(filters, nil) {
		filters = slices.DeleteFunc(slices.Clone(filters), func(f Filter) bool { return f == nil })
	}
	s := &Selection{rec: r, chunks: chunks, whole: whole, filters: filters}
	if r != nil {
		s.workers = r.workerCount()
	}
	if r != nil && r.source != nil {
		s.chunks = r.trim(chunks, filters)
	}
	for _, f := range filters {
		if err := f.check(); err != nil {
			s.err = err
			break
		}
	}
	return s
}

// withWorkers returns the selection read by that number of goroutines at once, in place of
// those of the recording; by as many as Go uses processors for if n is not above 0. Programs that read
// several chunks at once need fewer for each.
func (s *Selection) withWorkers(n int) *Selection {
	return &Selection{rec: s.rec, chunks: s.chunks, whole: s.whole, filters: s.filters, err: s.err, workers: parallel.Workers(n), repeats: s.repeats}
}

// withRepeats returns the selection with the events of chunks that repeat others, too, see
// countOnce. Nothing that counts needs them: they are for those who learn from events what
// later chunks of the recording mean, such as settings and threads.
func (s *Selection) withRepeats() *Selection {
	return &Selection{rec: s.rec, chunks: s.chunks, whole: s.whole, filters: s.filters, err: s.err, workers: s.workers, repeats: true}
}

// Cursor returns a cursor that stands before the first event of the selection.
func (s *Selection) Cursor() *Cursor {
	c := &Cursor{decoder: decoder{rec: s.rec, sel: s}}
	if s.err != nil {
		c.phase = phaseEnd
		c.chunkErr = s.err
	}
	return c
}

// Events iterates over the events of the selection in the order of the file. Where something
// cannot be read it yields an error. A loop that continues after an error gets the events
// after it.
//
// A running iteration keeps the file mapped, also after Close, which ends it with
// [ErrClosed]. It allocates its scratch memory when it begins, and nothing after that.
func (s *Selection) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { s.each(yield) }
}

func (s *Selection) each(yield func(Event, error) bool) {
	if err := s.rec.use(); err != nil {
		yield(Event{}, err)
		return
	}
	defer s.rec.done()
	c := s.Cursor()
	if wire.Debug {
		defer c.scratch.retire()
	}
	for {
		for c.Next() {
			if !yield(c.event, nil) {
				return
			}
		}
		if c.err == nil || !yield(Event{}, c.err) {
			return
		}
	}
}

// Events returns all events of the recording, see [Selection.Events].
func (r *Recording) Events() iter.Seq2[Event, error] { return r.Select().Events() }

// wanted returns which of the types are selected, by ordinal; nil if all are. It keeps the
// last answer, since chunks mostly share their types.
func (s *Selection) wanted(types *schema.TypeSet) []bool {
	if len(s.filters) == 0 {
		return nil
	}
	if known := s.lastWanted.Load(); known != nil && known.types == types {
		return known.wanted
	}
	list := make([]bool, len(types.Types))
	for i, typ := range types.Types {
		list[i] = typ.IsEvent()
		for _, f := range s.filters {
			list[i] = list[i] && f.matchesType(typ)
		}
	}
	s.lastWanted.Store(&wantedTypes{types, list})
	return list
}
