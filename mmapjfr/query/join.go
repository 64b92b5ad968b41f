package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// planJoin is the event types whose events are looked up by time.
type planJoin struct {
	join
	types map[string]bool
}

// findJoins finds the event types of joins.
func (c *compiler) findJoins() error {
	for _, j := range c.st.joins {
		p := planJoin{join: j}
		var err error
		if p.types, err = c.typeNames(j.event); err != nil {
			return err
		}
		if len(p.types) == 0 && !c.o.Incomplete {
			return c.noType(j.event)
		}
		if j.where != nil {
			p.where = j.where.WithOptions(c.o.times()).Rename(func(field string) (string, bool) {
				return strings.TrimPrefix(field, j.event.name()+"."), true
			})
			if _, err := p.where.Filter(c.index.named(p.types)); err != nil && !c.o.Incomplete {
				return c.st.errorAt(j.event.pos, "%v", err)
			}
		}
		c.joins = append(c.joins, p)
	}
	return nil
}

// whereOfJoins says where conditions on events that are looked up belong, unless an error knows better.
func (s *Statement) whereOfJoins(wrong error) (all string) {
	hint, _ := errors.AsType[suggest.Hint](wrong)
	for _, j := range s.joins {
		if len(hint.Near) == 0 {
			all += fmt.Sprintf("; conditions on %s stand in parentheses after it, as in %s AS %[1]s (duration > 1ms)", j.event.name(), j.event.pattern)
		}
	}
	return all
}

// namesOfJoins says how fields of events that are looked up are named.
func (s *Statement) namesOfJoins() (all string) {
	for _, j := range s.joins {
		all += fmt.Sprintf("; fields of %s begin with %s.", j.event.pattern, j.event.name())
	}
	return all
}

// joinNamed returns the number of the join that a field is qualified by; -1 if it is none.
func (c *compiler) joinNamed(sources []string) int {
	return slices.IndexFunc(c.joins, func(j planJoin) bool { return slices.Contains(sources, j.event.name()) })
}

// joined are the events of a join, by when they began.
type joined struct {
	mode   joinMode
	events []joinedEvent
	ends   endTree
	// byThread are the events of threads, for WITHIN.
	byThread map[string]*joined
	index    []int32 // in the list of all, of those of a thread
}

type joinedEvent struct {
	event      mmapjfr.Event
	start, end int64 // in nanoseconds since 1970
	thread     string
}

// place is where an event is: no other one of a recording is there.
type place struct {
	chunk  int64 // when its chunk began, in nanoseconds since 1970
	offset uint64
}

func placeOf(e mmapjfr.Event) place { return place{e.Chunk().Start().UnixNano(), e.Offset()} }

// maxJoined is how many events a join keeps.
var maxJoined = 1 << 22

// readJoins reads the events that a plan joins with others. They are kept: these should be rare events such as
// garbage collections or requests. Damage of the recording leaves some out, and is returned with the
// others.
func (p *Plan) readJoins(ctx context.Context, rec *mmapjfr.Recording) (list []*joined, damage error) {
	for i := range p.joins {
		j := &p.joins[i]
		out := &joined{mode: j.mode}
		var mu sync.Mutex
		s := rec.Select(mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return j.types[t.Name()] }))
		err := s.Parallel(ctx, func(_ int, e mmapjfr.Event) error {
			one, ok := j.joinedOf(e)
			if !ok {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if out.events = append(out.events, one); len(out.events) > maxJoined {
				return j.tooMany()
			}
			return nil
		})
		if errors.Is(err, ErrTooMuch) || ctx.Err() != nil {
			return nil, err
		}
		damage = errors.Join(damage, err)
		out.sortEvents()
		list = append(list, out)
	}
	return list, damage
}

// joinedOf returns an event of the join's types as one that others are joined with. It is false if the
// join's condition does not take it.
func (j *planJoin) joinedOf(e mmapjfr.Event) (one joinedEvent, ok bool) {
	one = joinedEvent{event: e.Detached(), start: e.StartNanos(), end: engine.EventEndNanos(e)}
	if j.mode == within {
		one.thread = threadOf(e)
	}
	return one, matches(j.where, e) && (j.mode != within || one.thread != "")
}

func (j *planJoin) tooMany() error {
	return fmt.Errorf("%w: more than %d events of %s; give it a condition in parentheses, or swap it with FROM", ErrTooMuch, maxJoined, j.event.pattern)
}

func matches(c *where.Condition, e mmapjfr.Event) bool { return c == nil || c.Matches(e) }

// threadOf returns what the thread of an event is known by; "" if it has none.
func threadOf(e mmapjfr.Event) string {
	t := e.Thread()
	if t.IsZero() {
		return ""
	}
	// A key would tell apart those that lie in events from those that are constants.
	number := uint64(t.JavaThreadID())<<32 ^ uint64(t.OSThreadID())
	return string(Value{kind: Thread, text: t.Name(), num: number}.appendKey(nil, true))
}

// sortEvents sorts the events and makes the indexes.
func (j *joined) sortEvents() {
	slices.SortFunc(j.events, func(a, b joinedEvent) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.event.Offset(), b.event.Offset()))
	})
	if j.mode != within {
		j.ends = newEndTree(j.events)
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
		of.ends = newEndTree(of.events)
	}
}

// find returns the number of the event that an event is joined with: of several the one that began
// last. It is -1 if no event fits. An event is not joined with itself.
func (j *joined) find(e mmapjfr.Event) int32 {
	switch j.mode {
	case asof:
		return int32(j.last(e, e.StartNanos(), math.MinInt64))
	case within:
		of := j.byThread[threadOf(e)]
		if of == nil {
			return -1
		}
		i := of.last(e, e.StartNanos(), engine.EventEndNanos(e))
		if i < 0 {
			return -1
		}
		return of.index[i]
	}
	return int32(j.last(e, engine.EventEndNanos(e), e.StartNanos()))
}

// last returns the last other event that began at a time or before, and ended at another or after.
func (j *joined) last(e mmapjfr.Event, began, ended int64) int {
	i := sort.Search(len(j.events), func(i int) bool { return j.events[i].start > began }) - 1
	i = j.ends.last(i, ended)
	if i >= 0 && placeOf(j.events[i].event) == placeOf(e) {
		i = j.ends.last(i-1, ended)
	}
	return i
}

// endTree finds the last one of some events that ended at a time or after. Its second half are the
// ends of the events, and before are the greater ones of two each.
type endTree []int64

func newEndTree(events []joinedEvent) endTree {
	n := 1
	for n < len(events) {
		n *= 2
	}
	t := make(endTree, 2*n)
	for i := range n {
		t[n+i] = math.MinInt64
		if i < len(events) {
			t[n+i] = events[i].end
		}
	}
	for i := n - 1; i > 0; i-- {
		t[i] = max(t[2*i], t[2*i+1])
	}
	return t
}

// last returns the last event up to i that ended at a time or after; -1 if none did.
func (t endTree) last(i int, ended int64) int {
	if i < 0 {
		return -1
	}
	n := len(t) / 2
	node := n + i
	for t[node] < ended {
		for node%2 == 0 {
			node /= 2
		}
		if node == 1 {
			return -1
		}
		node--
	}
	for node < n {
		if node = 2*node + 1; t[node] < ended {
			node--
		}
	}
	return node - n
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
			match := j.find(engine.BatchEvent(b, row))
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
	d.weights = b.weights
	return d.field(e, f).as(f.shape.kind)
}
