package mmapjfr

import (
	"iter"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Selection is a choice of events of a recording. It is safe for concurrent use. The zero
// Selection is one of a closed recording.
type Selection struct {
	rec *Recording
	// chunks are those in which events are wanted, in a row, and whole tells that
	// they are all of the recording, with what lies behind them.
	chunks  []*chunk
	whole   bool
	filters []Filter
	err     error
	// classes are what the filters want of the types that were asked about last.
	lastWanted atomic.Pointer[wantedTypes]
}

// wantedTypes tells which of some types' classes are wanted, by ordinal.
type wantedTypes struct {
	types  *schema.TypeSet
	wanted []bool
}

// Select returns the events that all the filters want; with no filter, all
// events. A filter that cannot be right comes out as the error of the walk. A
// filter that fits no type is none: the selection is empty then.
func (r *Recording) Select(filters ...Filter) *Selection {
	return r.selection(r.chunks, true, filters)
}

// Select returns those events of the chunk that all the filters want, see
// [Recording.Select]. Errors are those of the chunk: what lies behind the last one
// belongs to the recording.
func (c Chunk) Select(filters ...Filter) *Selection {
	if c.c == nil {
		return (*Recording)(nil).selection(nil, false, filters)
	}
	i := c.Number()
	return c.c.rec.selection(c.c.rec.chunks[i:i+1], false, filters)
}

func (r *Recording) selection(chunks []*chunk, whole bool, filters []Filter) *Selection {
	s := &Selection{rec: r, chunks: chunks, whole: whole, filters: filters}
	for _, f := range filters {
		if err := f.check(); err != nil {
			s.err = err
			break
		}
	}
	return s
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

// Events returns the events of the selection in the order of the file, and what
// cannot be read of it, as an error in the place where it stands. A loop that
// goes on after an error gets what can be read behind it.
//
// An iteration that is running keeps the file mapped, also after Close, until it
// ends; it then ends with [ErrClosed]. It allocates its scratch memory when it
// begins, and nothing after that.
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

// Cursor returns a cursor over all events of the recording.
func (r *Recording) Cursor() *Cursor { return r.Select().Cursor() }

// Events returns all events of the recording, see [Selection.Events].
func (r *Recording) Events() iter.Seq2[Event, error] { return r.Select().Events() }

// wanted tells which of the types' classes are wanted, by ordinal; nil if all
// are. Chunks mostly share their types.
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
