package print

import (
	"cmp"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxSorted is how many events of a chunk are sorted in memory.
const maxSorted = 1 << 17

// Paths to the fields by which events are ordered.
var (
	startTime = mmapjfr.Path("startTime")
	duration  = mmapjfr.Path("duration")
)

// endTicks returns when the event ended, by the clock of its chunk.
func endTicks(ev mmapjfr.Event) int64 { return ev.Int(startTime) + ev.Int(duration) }

// byChunk calls yield with the events of each chunk in the order in which they
// ended; those that ended together in the order of the file.
func (w *walker) byChunk(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	s := chunkSort{walker: w, yield: yield, most: maxSorted}
	for i, rec := range recs {
		for _, c := range rec.Chunks()[w.start.chunkOf(i, rec):] {
			if more, err := s.sort(ctx, rec, c); !more {
				return err
			}
		}
		w.report(rec, engine.RecordingTrailingErr(rec))
		w.progress.end(rec)
	}
	return nil
}

// chunkSort sorts the events of one chunk after the other.
type chunkSort struct {
	walker *walker
	yield  func(item) bool
	// most is how many events are sorted in memory, and list these events. The runs of a
	// chunk with more events are merged.
	most int
	list []ended
	runs runs
}

// ended is an event and when it ended.
type ended struct {
	ticks int64
	event mmapjfr.Event
}

// sort calls yield with the events of a chunk. More is false if yield was.
func (s *chunkSort) sort(ctx context.Context, rec *mmapjfr.Recording, c mmapjfr.Chunk) (more bool, err error) {
	s.list, s.runs = s.list[:0], runs{list: s.runs.list[:0]}
	n := 0
	sel := c.Select(s.walker.Filters...)
	more, err = s.walker.events(ctx, rec, sel, func(ev mmapjfr.Event) bool {
		ticks := endTicks(ev)
		s.runs.add(ticks, ev)
		if n++; n <= s.most {
			s.list = append(s.list, ended{ticks, ev.Detached()})
		}
		return true
	})
	switch {
	case !more:
		return false, err
	case n > s.most:
		return s.runs.merge(ctx, s.walker.Options, sel, s.yield)
	}
	slices.SortFunc(s.list, func(a, b ended) int {
		return cmp.Or(cmp.Compare(a.ticks, b.ticks), cmp.Compare(a.event.Offset(), b.event.Offset()))
	})
	for i := range s.list {
		if !s.yield(item{event: s.list[i].event}) {
			return false, nil
		}
	}
	return true, nil
}

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
	open, first := make(map[int]*openRun), heap{}
	next := func() bool { // yields the first event, and goes on to the next one of its run
		number := int(first.first().rank)
		run := open[number]
		if !yield(item{event: run.cursor.Event().Detached()}) {
			return false
		}
		if run.advance(o) {
			first.replace(run.entry())
		} else {
			first.remove()
			delete(open, number)
		}
		return true
	}
	for _, number := range order {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		begun := &openRun{r.list[number].ticks, number, engine.CursorCloneAt(chunk, r.list[number].first), r.list[number].n}
		for at := begun.entry(); first.len() > 0 && first.first().before(&at) > 0; {
			if !next() {
				return false, nil
			}
		}
		if begun.advance(o) {
			open[number] = begun
			first.add(begun.entry())
		}
	}
	for first.len() > 0 {
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

// entry returns the place of the next event of the run among those of other runs.
func (r *openRun) entry() entry { return entry{time: timeOf(r.ticks), rank: uint32(r.number)} }

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
