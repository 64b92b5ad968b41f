package open

import (
	"context"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// eventList is the events of a type that match a condition, in the order of the files. It knows where every 512th of them
// lies, as far as it has been read, so that any row is near one.
type eventList struct {
	x       *explorer
	busy    chan struct{} // holds one element while the list is read
	filters []mmapjfr.Filter
	where   *where.Condition // nil for all
	total   int              // as far as headers of events say, until all events have been read
	marks   []mark
	lost    damage
}

// mark is a place in a list: before an event, or before the first one of a chunk.
type mark struct {
	rec, chunk int
	event      mmapjfr.Event
}

const markEvery = 512

// newList returns the list of events. It counts them.
func (x *explorer) newList(ctx context.Context, typ mmapjfr.Type, condition string, what *chosen) (*eventList, error) {
	l := &eventList{x: x, busy: make(chan struct{}, 1), filters: append(what.filters(), mmapjfr.Types(typ.Name())), marks: []mark{{}}}
	l.lost.set, l.lost.live = x.set, x.live
	text := "select count(*) from " + typ.Name()
	if condition != "" {
		var err error
		if l.where, err = where.ParseWith(condition, x.options().Options); err != nil {
			return nil, wrong("%v", err)
		}
		if _, err = l.where.Filter([]mmapjfr.Type{typ}); err != nil {
			return nil, wrong("%v", err)
		}
		text += " where " + condition
	} else if len(l.filters) == 1 {
		s, err := x.count(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range s.Types {
			if t.Name == typ.Name() {
				l.total += int(t.Events)
			}
		}
		return l, nil
	}
	plan, err := x.plan(text)
	if err != nil {
		return nil, err
	}
	result, err := x.read(ctx, x.set.Recordings, plan, what, &l.lost)
	if err != nil {
		return nil, err
	}
	for row, err := range result.Rows {
		if err != nil {
			return nil, err
		}
		l.total = int(row[0].Int())
	}
	return l, nil
}

// read returns the events from one row on, and how many rows there are in all.
func (l *eventList) read(ctx context.Context, from, most int) (found []mmapjfr.Event, total int, err error) {
	select {
	case l.busy <- struct{}{}:
		defer func() { <-l.busy }()
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
	at := min(from/markEvery, len(l.marks)-1)
	row := at * markEvery
	err = l.walk(ctx, l.marks[at], func(m mark) bool {
		if row%markEvery == 0 && row/markEvery == len(l.marks) {
			l.marks = append(l.marks, m)
		}
		if row >= from {
			found = append(found, m.event)
		}
		row++
		return len(found) < most
	})
	if err == nil && len(found) < most {
		l.total = row // events can be damaged
	}
	return found, l.total, err
}

// walk calls yield with the events from a place on.
func (l *eventList) walk(ctx context.Context, from mark, yield func(mark) bool) error {
	recs := l.x.set.Recordings
	for m := from; m.rec < len(recs); m.rec, m.chunk = m.rec+1, 0 {
		chunks := recs[m.rec].Chunks()
		for ; m.chunk < len(chunks); m.chunk, m.event = m.chunk+1, (mmapjfr.Event{}) {
			more, err := l.walkChunk(ctx, chunks[m.chunk], m, yield)
			if !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// walkChunk is walk in one chunk. More is false if yield was.
func (l *eventList) walkChunk(ctx context.Context, c mmapjfr.Chunk, m mark, yield func(mark) bool) (more bool, err error) {
	cursor := c.Select(l.filters...).Cursor()
	if !m.event.IsZero() {
		for !cursor.Next() && cursor.Err() != nil {
		}
		cursor = cursor.CloneAt(m.event)
	}
	for n := 0; ; n++ {
		if n%markEvery == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if !cursor.Next() {
			if cursor.Err() == nil {
				return true, nil
			}
			l.lost.add(l.x.set.Recordings[m.rec], cursor.Err())
			continue
		}
		if m.event = cursor.Event(); l.where != nil && !l.where.Matches(m.event) {
			continue
		}
		if m.event = m.event.Detached(); !yield(m) {
			return false, nil
		}
	}
}

// namedList is a list by what was asked.
type namedList struct {
	asked string
	list  *eventList
}

// mostLists is how many lists are kept: each has a mark of 40 bytes for 512 events.
const mostLists = 8

// list returns the list of the events of a type that match a condition.
func (x *explorer) list(ctx context.Context, typ mmapjfr.Type, condition string, what *chosen) (*eventList, error) {
	asked := strings.Join(append([]string{typ.Name(), condition, what.from.String(), what.to.String()}, what.threads...), "\x00")
	x.listing.Lock()
	for i, n := range x.named {
		if n.asked == asked {
			x.named = append(slices.Delete(x.named, i, i+1), n)
			x.listing.Unlock()
			return n.list, nil
		}
	}
	x.listing.Unlock()
	l, err := x.newList(ctx, typ, condition, what)
	if err != nil {
		return nil, err
	}
	x.listing.Lock()
	defer x.listing.Unlock()
	if x.named = append(x.named, namedList{asked, l}); len(x.named) > mostLists {
		x.named = slices.Delete(x.named, 0, 1)
	}
	return l, nil
}
