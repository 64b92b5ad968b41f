package open

import (
	"context"
	"slices"
	"sort"
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
	parts   []listPart       // of all chunks
	known   int              // of how many parts it is known where they begin
	lost    damage
}

// listPart is the rows in a chunk.
type listPart struct {
	rec   *mmapjfr.Recording
	chunk mmapjfr.Chunk
	first int             // row
	marks []mmapjfr.Event // every 512th, as far as it has been read
}

const markEvery = 512

// newList returns the list of events. It counts them.
func (x *explorer) newList(ctx context.Context, typ mmapjfr.Type, condition string, what *chosen) (*eventList, error) {
	l := &eventList{x: x, busy: make(chan struct{}, 1), filters: append(what.filters(), mmapjfr.Types(typ.Name()))}
	for _, rec := range x.set.Recordings {
		for _, c := range rec.Chunks() {
			l.parts = append(l.parts, listPart{rec: rec, chunk: c})
		}
	}
	l.known = min(1, len(l.parts))
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
		return l, l.count(ctx, typ.Name())
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

// count counts all events of a type by their headers: then each chunk has its first row.
func (l *eventList) count(ctx context.Context, name string) error {
	counts, err := l.x.counts(ctx)
	if err != nil {
		return err
	}
	for i := range l.parts {
		p := &l.parts[i]
		p.first = l.total
		types, _ := p.chunk.Types() // without types nothing can be read
		for _, t := range types {
			if t.Name() == name {
				l.total += counts[p.chunk][t.ID()]
			}
		}
	}
	l.known = len(l.parts)
	return nil
}

// lock waits until nobody else reads the list.
func (l *eventList) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case l.busy <- struct{}{}:
		return func() { <-l.busy }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// read returns the events from one row on, and how many rows there are in all.
func (l *eventList) read(ctx context.Context, from, most int) (found []mmapjfr.Event, total int, err error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer unlock()
	if most == 0 {
		return nil, l.total, nil
	}
	row := 0
	begin := sort.Search(l.known, func(i int) bool { return l.parts[i].first > from }) - 1
	for i := max(0, begin); i < len(l.parts) && len(found) < most; i++ {
		p := &l.parts[i]
		at := max(0, min((from-p.first)/markEvery, len(p.marks)-1))
		row = p.first + at*markEvery
		var event mmapjfr.Event
		if at > 0 {
			event = p.marks[at]
		}
		more, err := l.walk(ctx, p, event, func(ev mmapjfr.Event) bool {
			if n := row - p.first; n%markEvery == 0 && n/markEvery == len(p.marks) {
				p.marks = append(p.marks, ev)
			}
			if row >= from {
				found = append(found, ev)
			}
			row++
			return len(found) < most
		})
		if err != nil || !more {
			return found, l.total, err
		}
		// Events can be damaged: then there are fewer than their headers say.
		if i+1 < len(l.parts) && (l.known <= i+1 || l.parts[i+1].first != row) {
			l.parts[i+1].first, l.parts[i+1].marks = row, nil
			l.known = i + 2
		}
	}
	l.total = row
	return found, l.total, nil
}

// find returns the row of the event at an offset of a recording; -1 if the list does not have it.
func (l *eventList) find(ctx context.Context, rec *mmapjfr.Recording, offset uint64) (row int, err error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	in := -1
	for i, p := range l.parts {
		if p.rec == rec && p.chunk.Offset() <= offset {
			in = i
		}
	}
	if in < 0 {
		return -1, nil
	}
	for l.known <= in { // it must be known which row is the first of the part
		last := &l.parts[l.known-1]
		row = last.first
		if _, err := l.walk(ctx, last, mmapjfr.Event{}, func(mmapjfr.Event) bool { row++; return true }); err != nil {
			return 0, err
		}
		l.parts[l.known].first, l.parts[l.known].marks = row, nil
		l.known++
	}
	p := &l.parts[in]
	at := max(0, sort.Search(len(p.marks), func(i int) bool { return p.marks[i].Offset() > offset })-1)
	row = p.first + at*markEvery
	var from mmapjfr.Event
	if at > 0 {
		from = p.marks[at]
	}
	found := -1
	_, err = l.walk(ctx, p, from, func(ev mmapjfr.Event) bool {
		if ev.Offset() == offset {
			found = row
		}
		row++
		return ev.Offset() < offset
	})
	return found, err
}

// walk calls yield with the events of a chunk, from one on. More is false if yield was.
func (l *eventList) walk(ctx context.Context, p *listPart, from mmapjfr.Event, yield func(mmapjfr.Event) bool) (more bool, err error) {
	cursor := p.chunk.Select(l.filters...).Cursor()
	if !from.IsZero() {
		for !cursor.Next() && cursor.Err() != nil {
		}
		cursor = cursor.CloneAt(from)
	}
	for n := 0; ; n++ {
		if n%markEvery == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if !cursor.Next() {
			if cursor.Err() == nil {
				return true, nil
			}
			l.lost.add(p.rec, cursor.Err())
			continue
		}
		if ev := cursor.Event(); (l.where == nil || l.where.Matches(ev)) && !yield(ev.Detached()) {
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
