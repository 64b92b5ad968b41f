package query

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// planJoin is the event types whose events are looked up by time.
type planJoin struct {
	join
	types map[string]bool
}

// findJoins finds the event types of joins.
func (c *compiler) findJoins() error {
	for _, j := range c.st.joins {
		p := planJoin{join: j, types: make(map[string]bool)}
		for _, t := range c.typesOf(j.event.pattern) {
			p.types[t.Name()] = true
		}
		if len(p.types) == 0 {
			return c.noType(j.event)
		}
		c.joins = append(c.joins, p)
	}
	return nil
}

// joinNamed returns the number of the join that a field is qualified by; -1 if it is none.
func (c *compiler) joinNamed(sources []string) int {
	return slices.IndexFunc(c.joins, func(j planJoin) bool { return slices.Contains(sources, j.event.name()) })
}

// joined are the events of a join, by when they began.
type joined struct {
	mode   joinMode
	events []joinedEvent
	// ends has for each event the latest end of those up to it, so that a search ends early.
	ends []int64
	// byThread are the numbers of the events of threads, for WITHIN.
	byThread map[string]*joined
	index    []int32 // in the list of all, of those of a thread
}

type joinedEvent struct {
	event      mmapjfr.Event
	start, end int64 // in nanoseconds since 1970
	thread     string
}

// readJoins reads the events that a plan joins. They are kept: these should be rare events such as
// garbage collections or requests.
func (p *Plan) readJoins(ctx context.Context, rec *mmapjfr.Recording) ([]*joined, error) {
	var list []*joined
	for i := range p.joins {
		j := &p.joins[i]
		out := &joined{mode: j.mode}
		var mu sync.Mutex
		s := rec.Select(mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return j.types[t.Name()] }))
		err := s.Parallel(ctx, func(_ int, e mmapjfr.Event) error {
			if !matches(j.where, e) {
				return nil
			}
			one := joinedEvent{event: e, start: e.StartNanos(), end: e.EndNanos()}
			if j.mode == within {
				one.thread = threadOf(e)
			}
			mu.Lock()
			defer mu.Unlock()
			out.events = append(out.events, one)
			return nil
		})
		if err != nil {
			return nil, err
		}
		out.sortEvents()
		list = append(list, out)
	}
	return list, nil
}

func matches(c *where.Condition, e mmapjfr.Event) bool { return c == nil || c.Matches(e) }

// threadOf returns what the thread of an event is known by.
func threadOf(e mmapjfr.Event) string {
	t := e.Thread()
	if t.IsZero() {
		return ""
	}
	return string(Value{kind: Thread, text: t.Name(), num: uint64(t.Key())}.appendKey(nil, true))
}

// sortEvents sorts the events and makes the indexes.
func (j *joined) sortEvents() {
	slices.SortFunc(j.events, func(a, b joinedEvent) int {
		if a.start != b.start {
			return sign(a.start < b.start)
		}
		return sign(a.event.Offset() < b.event.Offset())
	})
	j.setEnds()
	if j.mode != within {
		return
	}
	j.byThread = make(map[string]*joined)
	for i, e := range j.events {
		of := j.byThread[e.thread]
		if of == nil {
			of = &joined{mode: within}
			j.byThread[e.thread] = of
		}
		of.events, of.index = append(of.events, e), append(of.index, int32(i))
	}
	for _, of := range j.byThread {
		of.setEnds()
	}
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

func (j *joined) setEnds() {
	latest := int64(math.MinInt64)
	for _, e := range j.events {
		latest = max(latest, e.end)
		j.ends = append(j.ends, latest)
	}
}

// find returns the number of the event that an event is joined with: of several the one that began
// last. It is -1 if no event fits.
func (j *joined) find(e mmapjfr.Event) int32 {
	start, end := e.StartNanos(), e.EndNanos()
	switch j.mode {
	case asof:
		return int32(sort.Search(len(j.events), func(i int) bool { return j.events[i].start > start })) - 1
	case within:
		of := j.byThread[threadOf(e)]
		if of == nil {
			return -1
		}
		i := of.last(start, func(o joinedEvent) bool { return o.end >= end && o.event != e }, end)
		if i < 0 {
			return -1
		}
		return of.index[i]
	}
	return int32(j.last(end, func(o joinedEvent) bool { return o.end >= start && o.event != e }, start))
}

// last returns the last event that began at a time or before and that fits; all that fit end at
// least then.
func (j *joined) last(began int64, fits func(o joinedEvent) bool, ends int64) int {
	i := sort.Search(len(j.events), func(i int) bool { return j.events[i].start > began }) - 1
	for ; i >= 0 && j.ends[i] >= ends; i-- {
		if fits(j.events[i]) {
			return i
		}
	}
	return -1
}

// join finds the events that those of a batch are joined with, and drops rows without one.
func (s *sourceReader) join(b *mmapjfr.Batch) {
	for len(s.matches) < len(s.joins) {
		s.matches = append(s.matches, nil)
	}
	for i := range s.matches {
		s.matches[i] = s.matches[i][:0]
	}
	kept := s.rows[:0]
rows:
	for _, row := range s.rows {
		for i, j := range s.joins {
			match := j.find(b.Event(row))
			if match < 0 && j.mode != asof {
				for k := range i {
					s.matches[k] = s.matches[k][:len(kept)]
				}
				continue rows
			}
			s.matches[i] = append(s.matches[i], match)
		}
		kept = append(kept, row)
	}
	s.rows = kept
}

// joinReader reads a field of the events that others are joined with.
type joinReader struct {
	*binding
	field *eventField
	known map[int32]int64 // raw values
}

func (r *joinReader) kind() Kind            { return r.field.shape.kind }
func (r *joinReader) value(raw int64) Value { return r.values.value(r.field.shape.kind, raw) }

func (r *joinReader) read(_ *mmapjfr.Batch, rows []int, dst []int64) {
	for i := range rows {
		match := r.matches[r.field.join][i]
		raw, ok := r.known[match]
		if !ok {
			raw = nullRaw
			if match >= 0 {
				raw = r.values.raw(r.ofJoined(r.joins[r.field.join].events[match].event, r.field))
			}
			r.known[match] = raw
		}
		dst[i] = raw
	}
}

func (b *binding) ofJoined(e mmapjfr.Event, f *eventField) Value {
	d := newRowDecoder(b.plan)
	return d.field(e, f).as(f.shape.kind)
}
