package print

import (
	"cmp"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// run is a sequence of events of a chunk, as they lie in the file, each of which ended no
// earlier than the one before: mostly what a thread wrote into a buffer.
type run struct {
	ticks int64 // when the first one ended
	first mmapjfr.Event
	n     int
}

// runs are those of a chunk, in the order of the file.
type runs struct {
	list []run
	last int64
}

// add adds an event of the chunk.
func (r *runs) add(ticks int64, ev mmapjfr.Event) {
	if len(r.list) == 0 || ticks < r.last {
		r.list = append(r.list, run{ticks: ticks, first: ev.Detached()})
	}
	r.list[len(r.list)-1].n++
	r.last = ticks
}

// merge calls yield with the events of the runs in the order in which they ended. It reads
// the chunk again, with one cursor for each run that has begun and not ended. So no event
// is held in memory, however far events are out of order. More is false if yield was.
func (r *runs) merge(ctx context.Context, o *Options, sel *mmapjfr.Selection, yield func(item) bool) (more bool, err error) {
	chunk := sel.Cursor()
	for !chunk.Next() && chunk.Err() != nil { // the first pass has reported it
	}
	// Runs that begin together come in the order of the file.
	order := make([]int, len(r.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.list[a].ticks, r.list[b].ticks), cmp.Compare(a, b))
	})
	open := heap[openRun]{before: openRun.before}
	next := func() bool { // yields the first event, and goes on to the next one of its run
		first := &open.list[0]
		if !yield(item{event: first.cursor.Event().Detached()}) {
			return false
		}
		if first.advance(o) {
			open.replace(*first)
		} else {
			open.remove()
		}
		return true
	}
	for _, number := range order {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		begun := openRun{r.list[number].ticks, number, chunk.CloneAt(r.list[number].first), r.list[number].n}
		for len(open.list) > 0 && open.list[0].before(begun) {
			if !next() {
				return false, nil
			}
		}
		if begun.advance(o) {
			open.add(begun)
		}
	}
	for len(open.list) > 0 {
		if !next() {
			return false, nil
		}
	}
	return true, nil
}

// openRun is a run that has begun: its cursor is at its next event.
type openRun struct {
	ticks  int64 // when that event ended
	number int   // of the run, in the order of the file
	cursor *mmapjfr.Cursor
	left   int // events that the cursor has not reached
}

// before reports whether the next event of a run comes before that of another one.
func (r openRun) before(s openRun) bool {
	return cmp.Or(cmp.Compare(r.ticks, s.ticks), cmp.Compare(r.number, s.number)) < 0
}

// advance goes to the next selected event of the run. It is false at its end.
func (r *openRun) advance(o *Options) bool {
	for r.left > 0 {
		if !r.cursor.Next() {
			if r.cursor.Err() == nil {
				return false // the file has changed
			}
			continue // the first pass has reported it
		}
		if ev := r.cursor.Event(); o.Where == nil || o.Where(ev) {
			r.ticks = endTicks(ev)
			r.left--
			return true
		}
	}
	return false
}
