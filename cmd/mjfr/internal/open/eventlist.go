package open

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// eventList is the events of a type that match a condition, in the order of the files and chunks,
// and in each chunk in that in which they ended, as mjfr print has them. It keeps where those of
// the chunks lie that were read last.
type eventList struct {
	x       *explorer
	busy    chan struct{} // holds one element while the list is read
	filters []mmapjfr.Filter
	where   *where.Condition // nil for all
	total   int              // as far as headers of events say, until all events have been read
	parts   []listPart       // of all chunks
	known   int              // of how many parts it is known where they begin
	kept    []*listPart      // that have an order, the one that was read last at the end
	lost    damage
}

// listPart is the rows in a chunk.
type listPart struct {
	rec   *mmapjfr.Recording
	chunk mmapjfr.Chunk
	first int      // row
	order []uint64 // offsets of the events in the order of rows; nil if they are not kept
}

var pathStart, pathDuration = mmapjfr.Path("startTime"), mmapjfr.Path("duration")

// mostOrdered is how many offsets a list keeps, besides those of the chunk that was read last: 8
// MB.
const mostOrdered = 1 << 20

// checkEvery is after how many events it is asked whether anybody wants them still.
const checkEvery = 512

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
		start, end := x.set.Span()
		var err error
		if l.where, err = where.ParseWith(condition, where.Options{Zone: x.zone, Start: start, End: end}); err != nil {
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
		order, err := l.ordered(ctx, p)
		if err != nil {
			return found, l.total, err
		}
		for n := max(0, from-p.first); n < len(order) && len(found) < most; n++ {
			ev, err := p.rec.EventAtOffset(order[n])
			if err != nil {
				return found, l.total, err
			}
			found = append(found, ev)
		}
		row = p.first + len(order)
		// Events can be damaged: then there are fewer than their headers say.
		if i+1 < len(l.parts) && (l.known <= i+1 || l.parts[i+1].first != row) {
			l.parts[i+1].first = row
			l.known = i + 2
		}
		if len(found) == most && i+1 < len(l.parts) {
			return found, l.total, nil
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
		order, err := l.ordered(ctx, last)
		if err != nil {
			return 0, err
		}
		l.parts[l.known].first = last.first + len(order)
		l.known++
	}
	p := &l.parts[in]
	order, err := l.ordered(ctx, p)
	if err != nil {
		return 0, err
	}
	if at := slices.Index(order, offset); at >= 0 {
		return p.first + at, nil
	}
	return -1, nil
}

// ordered returns where the events of a chunk lie, in the order in which they ended; of those that
// ended together, in the order of the file.
func (l *eventList) ordered(ctx context.Context, p *listPart) ([]uint64, error) {
	if at := slices.Index(l.kept, p); at >= 0 {
		l.kept = append(slices.Delete(l.kept, at, at+1), p)
		return p.order, nil
	}
	type ended struct {
		at     int64
		offset uint64
	}
	var list []ended
	err := l.walk(ctx, p, func(ev mmapjfr.Event) {
		list = append(list, ended{ev.Int(pathStart) + ev.Int(pathDuration), ev.Offset()})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b ended) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.offset, b.offset)) })
	p.order = make([]uint64, len(list))
	for i, e := range list {
		p.order[i] = e.offset
	}
	l.kept = append(l.kept, p)
	sum := 0
	for _, one := range l.kept {
		sum += len(one.order)
	}
	for len(l.kept) > 1 && sum > mostOrdered {
		sum -= len(l.kept[0].order)
		l.kept[0].order, l.kept = nil, l.kept[1:]
	}
	return p.order, nil
}

// walk calls do with the events of a chunk, in the order of the file.
func (l *eventList) walk(ctx context.Context, p *listPart, do func(ev mmapjfr.Event)) error {
	cursor := p.chunk.Select(l.filters...).Cursor()
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !cursor.Next() {
			if cursor.Err() == nil {
				return nil
			}
			l.lost.add(p.rec, cursor.Err())
			continue
		}
		if ev := cursor.Event(); l.where == nil || l.where.Matches(ev) {
			do(ev)
		}
	}
}

// namedList is a list by what was asked.
type namedList struct {
	asked string
	list  *eventList
}

// mostLists is how many lists are kept: each has some MB of offsets.
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
