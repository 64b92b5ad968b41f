package main

import (
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/inspect"
)

// atPlace is what is at a position.
type atPlace struct {
	inspect.Item
	rec *mmapjfr.Recording
	// ordinal is how many events of all recordings come before it.
	ordinal uint64
	// inside is how many bytes behind its beginning the position is.
	inside uint64
}

// atFinder finds positions in recordings, which are in the order of time.
type atFinder struct {
	set *input.Set
	// first is how many events come before each recording, as far as that is known.
	first []uint64
}

func newAtFinder(set *input.Set) *atFinder { return &atFinder{set, []uint64{0}} }

// firstOf returns how many events come before the recording at that position.
func (f *atFinder) firstOf(i int) uint64 {
	for n := len(f.first); n <= i; n++ {
		f.first = append(f.first, f.first[n-1]+eventsIn(f.set.Recordings[n-1]))
	}
	return f.first[i]
}

// find returns what is at a position.
func (f *atFinder) find(p *atPosition) (atPlace, error) {
	switch {
	case p.kind == atOrdinal:
		return f.event(p.n)
	case p.kind == atTime:
		return f.from(p)
	}
	if len(f.set.Recordings) > 1 {
		return atPlace{}, usagef("%s is an offset, and there are %d recordings; name the one that it is in", p.text, len(f.set.Recordings))
	}
	return f.place(0, p.n)
}

// place returns what is at an offset of a recording.
func (f *atFinder) place(i int, offset uint64) (atPlace, error) {
	rec := f.set.Recordings[i]
	p, err := inspect.Find(rec, offset)
	if err != nil {
		return atPlace{}, err
	}
	return atPlace{Item: p, rec: rec, ordinal: f.firstOf(i) + p.Before, inside: offset - p.Offset}, nil
}

// event returns the event that n others come before.
func (f *atFinder) event(n uint64) (atPlace, error) {
	for i, rec := range f.set.Recordings {
		first := f.firstOf(i)
		ev, err := rec.EventByOrdinal(n - first)
		switch {
		case err == nil:
			return f.place(i, ev.Offset())
		case !errors.Is(err, mmapjfr.ErrNoEvent):
			return atPlace{}, err
		}
	}
	last := len(f.set.Recordings) - 1
	return atPlace{}, fmt.Errorf("there is no event #%d: there are %d events, counted from 0", n, f.firstOf(last)+eventsIn(f.set.Recordings[last]))
}

// from returns the event that begins first of those that begin at a time or later.
func (f *atFinder) from(p *atPosition) (atPlace, error) {
	t, err := p.when(f.set)
	if err != nil {
		return atPlace{}, err
	}
	var (
		first mmapjfr.Event
		where int
	)
	for i, rec := range f.set.Recordings {
		ev, err := rec.FirstEventSince(t)
		switch {
		case errors.Is(err, mmapjfr.ErrNoEvent):
		case err != nil:
			return atPlace{}, err
		case first.IsZero() || ev.StartNanos() < first.StartNanos():
			first, where = ev, i
		}
	}
	if first.IsZero() {
		zone := f.set.Recordings[0].Location()
		return atPlace{}, fmt.Errorf("no event begins at %s or later", t.In(zone).Format(atTimeLayout))
	}
	return f.place(where, first.Offset())
}

// around returns the events before and after a place, at most so many.
func (f *atFinder) around(p *atPlace, before, after uint64) (list [2][]atPlace, err error) {
	from := p.ordinal - min(p.ordinal, before)
	for n := from; n < p.ordinal; n++ {
		q, err := f.event(n)
		if err != nil {
			return list, err
		}
		list[0] = append(list[0], q)
	}
	next := p.ordinal
	if p.Kind == inspect.EventItem {
		next++
	}
	last := len(f.set.Recordings) - 1
	all := f.firstOf(last) + eventsIn(f.set.Recordings[last])
	for n := next; n < all && n-next < after; n++ {
		q, err := f.event(n)
		if err != nil {
			return list, err
		}
		list[1] = append(list[1], q)
	}
	return list, nil
}
