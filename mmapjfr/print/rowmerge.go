package print

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// row is some events of a chunk, as they lie in the file, each of which ended no
// earlier than the one before: what a thread wrote into a buffer, mostly.
type row struct {
	ticks int64 // when the first one ended
	first mmapjfr.Event
	n     int
}

// rows are those of a chunk, in the order of the file.
type rows struct {
	list []row
	last int64
}

// add adds an event of the chunk.
func (r *rows) add(ticks int64, ev mmapjfr.Event) {
	if len(r.list) == 0 || ticks < r.last {
		r.list = append(r.list, row{ticks: ticks, first: ev.Detached()})
	}
	r.list[len(r.list)-1].n++
	r.last = ticks
}

// mergeRows calls yield with the events of a chunk in the order in which they ended. It
// goes over the file again, with one cursor for each row that has begun and not ended:
// however far events are out of order, no others are in memory. It is false if yield
// was, or if the context is cancelled.
func mergeRows(ctx context.Context, o *Options, sel *mmapjfr.Selection, list []row, yield func(item) bool) (more bool, err error) {
	chunk := sel.Cursor()
	for !chunk.Next() && chunk.Err() != nil { // it has been told of
	}
	// Rows that begin together come in the order of the file.
	order := make([]uint32, len(list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(list[a].ticks, list[b].ticks), cmp.Compare(a, b))
	})
	var open openRows
	for _, number := range order {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		r := openRow{list[number].ticks, number, chunk.CloneAt(list[number].first), list[number].n}
		for len(open) > 0 && open[0].before(&r) {
			if !open.next(o, yield) {
				return false, nil
			}
		}
		if r.advance(o) {
			heap.Push(&open, r)
		}
	}
	for len(open) > 0 {
		if !open.next(o, yield) {
			return false, nil
		}
	}
	return true, nil
}

// openRow is a row that has begun: its cursor stands at its next event.
type openRow struct {
	ticks  int64  // when that event ended
	number uint32 // of the row, in the order of the file
	cursor *mmapjfr.Cursor
	left   int // events that are still to come to
}

// before tells whether the next event of a row comes before that of another one.
func (r *openRow) before(s *openRow) bool {
	return cmp.Or(cmp.Compare(r.ticks, s.ticks), cmp.Compare(r.number, s.number)) < 0
}

// advance goes to the next event of the row that is wanted. It is false at its end.
func (r *openRow) advance(o *Options) bool {
	for r.left > 0 {
		if !r.cursor.Next() {
			if r.cursor.Err() == nil {
				return false // the file has changed
			}
			continue // it has been told of
		}
		if ev := r.cursor.Event(); o.Where == nil || o.Where(ev) {
			r.ticks = endTicks(ev)
			r.left--
			return true
		}
	}
	return false
}

// openRows are a heap, the row with the first event on top.
type openRows []openRow

func (h openRows) Len() int           { return len(h) }
func (h openRows) Less(i, j int) bool { return h[i].before(&h[j]) }
func (h openRows) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *openRows) Push(r any)        { *h = append(*h, r.(openRow)) }

func (h *openRows) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	(*h)[last] = openRow{}
	*h = (*h)[:last]
	return r
}

// next calls yield with the first event, and goes on to the one behind it. It is false
// if yield was.
func (h *openRows) next(o *Options, yield func(item) bool) bool {
	if !yield(item{event: (*h)[0].cursor.Event().Detached()}) {
		return false
	}
	if (*h)[0].advance(o) {
		heap.Fix(h, 0)
	} else {
		heap.Pop(h)
	}
	return true
}
