package timeline

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// chunkReader makes entries of the events of a chunk.
type chunkReader struct {
	t    *Timeline
	rec  int32
	c    mmapjfr.Chunk
	list []Entry
	// keys are those of the stack traces of entries, and traces the stack traces.
	keys   []int64
	traces map[int64]mmapjfr.StackTrace
}

// add adds an event, unless a timeline leaves it out.
func (r *chunkReader) add(ev mmapjfr.Event) {
	t := r.t
	typ := t.Type(ev.Type())
	e := Entry{Start: ev.StartNanos(), End: ev.EndNanos(), Type: typ, rec: r.rec, offset: ev.Offset(), Thread: t.thread(ev.Thread())}
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
		if key = trace.Key(); key != 0 {
			if _, ok := r.traces[key]; !ok {
				r.traces[key] = trace
			}
		}
	}
	r.list, r.keys = append(r.list, e), append(r.keys, key)
}

// maxTime is the greatest time of entries: so a viewer can add to it.
const maxTime = math.MaxInt64 / 2

// sort gives the entries their stacks, and sorts them.
func (r *chunkReader) sort() {
	stacks := profile.NewStacks(r.t.Profile)
	known := make(map[int64]profile.StackID, len(r.traces))
	for _, key := range slices.Sorted(maps.Keys(r.traces)) { // those that lie near each other have much in common
		known[key] = stacks.Add(r.traces[key])
	}
	for i, key := range r.keys {
		r.list[i].Stack = known[key]
	}
	slices.SortStableFunc(r.list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
}
