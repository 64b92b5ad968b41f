package timeline

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// chunkReader makes entries of the events of a chunk.
type chunkReader struct {
	t      *Timeline
	rec    int32
	c      mmapjfr.Chunk
	stack  func(mmapjfr.StackTrace) profile.StackID
	traces map[int64]mmapjfr.StackTrace // of entries of a part, by their keys
}

func newChunkReader(t *Timeline, rec int32, c mmapjfr.Chunk) chunkReader {
	t.seen = make(map[int64]int32)
	return chunkReader{t, rec, c, profiles.StackAdder(t.Profile, c), make(map[int64]mmapjfr.StackTrace)}
}

// read calls do with the entries of one part after the other, and failed with what cannot be read.
func (r *chunkReader) read(ctx context.Context, do func(list []Entry) error, failed func(error)) error {
	t := r.t
	for _, part := range r.parts() {
		clear(r.traces)
		t.list, t.keys = t.list[:0], t.keys[:0]
		for ev, err := range r.c.Select(slices.Concat(t.o.Filters, part)...).Events() {
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil:
				failed(err)
			case t.o.Where == nil || t.o.Where(ev):
				r.add(ev)
			}
		}
		r.sort()
		if err := do(t.list); err != nil {
			return err
		}
	}
	return nil
}

// parts returns filters that select the events of a large chunk part by part, in the order of time, so
// that an index of all its events is never in memory.
func (r *chunkReader) parts() [][]mmapjfr.Filter {
	n := r.c.Size()/r.t.part + 1
	if n == 1 {
		return [][]mmapjfr.Filter{nil}
	}
	parts := [][]mmapjfr.Filter{{mmapjfr.TypesFunc(func(t mmapjfr.Type) bool {
		_, ok := t.Field("startTime") // other filters by time leave such types out
		return !ok
	})}}
	var from time.Time
	step := max(r.c.Duration(), 0) / time.Duration(n)
	for i := range n {
		to := r.c.Start().Add(step * time.Duration(i+1))
		if i == n-1 {
			to = time.Time{} // no bound
		}
		parts = append(parts, []mmapjfr.Filter{mmapjfr.Between(from, to)})
		from = to
	}
	return parts
}

// add adds an event, unless a timeline leaves it out.
func (r *chunkReader) add(ev mmapjfr.Event) {
	t := r.t
	typ := t.Type(ev.Type())
	e := Entry{Start: ev.StartNanos(), End: engine.EventEndNanos(ev), Type: typ, rec: r.rec, offset: ev.Offset(), Thread: t.thread(ev.Thread())}
	if typ.Role != Mark && typ.Role != Counter {
		return
	}
	if e.Start == 0 {
		e.Start = r.c.Start().UnixNano()
	}
	e.Start = min(max(e.Start, 0), maxTime)
	e.End = min(max(e.Start, e.End), maxTime)
	key := int64(0)
	if typ.Role == Mark {
		t.Threads[e.Thread].Marks++
		trace := ev.StackTrace()
		switch key = trace.Key(); {
		case key == 0:
			e.Stack = r.stack(trace) // none, or one that lies in the event itself
		case r.traces[key].IsZero():
			r.traces[key] = trace
		}
	}
	t.list, t.keys = append(t.list, e), append(t.keys, key)
}

// maxTime is the greatest time of entries: so a viewer can add to it.
const maxTime = math.MaxInt64 / 2

// sort gives the entries their stacks, and sorts them.
func (r *chunkReader) sort() {
	known := make(map[int64]profile.StackID, len(r.traces))
	for _, key := range slices.Sorted(maps.Keys(r.traces)) { // those that lie near each other have much in common
		known[key] = r.stack(r.traces[key])
	}
	list := r.t.list
	for i, key := range r.t.keys {
		if key != 0 {
			list[i].Stack = known[key]
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
}
