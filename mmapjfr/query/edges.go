package query

import (
	"cmp"
	"math"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// moment is the place of an event in the order in which the JDK hands out events: chunks, flushes
// of a chunk, and when events ended. Recordings can overlap in time, so that plans which ask for first or last values
// go by the time first; in one recording that is the same order.
type moment struct {
	time   int64 // when it ended, within its chunk, in nanoseconds since 1970; 0 unless the plan is timed
	chunk  int64 // when it began, in nanoseconds since 1970
	end    int64 // in ticks
	offset uint64
	flush  int32 // only with Options.JDK
	source int32 // that has taken the event
}

func (m moment) compare(o moment) int {
	switch {
	case m.time != o.time:
		return cmp.Compare(m.time, o.time)
	case m.chunk != o.chunk:
		return cmp.Compare(m.chunk, o.chunk)
	case m.flush != o.flush:
		return cmp.Compare(m.flush, o.flush)
	case m.end != o.end:
		return cmp.Compare(m.end, o.end)
	}
	return cmp.Or(cmp.Compare(m.offset, o.offset), cmp.Compare(m.source, o.source))
}

// endOfTime is after all other moments.
var endOfTime = moment{time: math.MaxInt64, chunk: math.MaxInt64, flush: math.MaxInt32, end: math.MaxInt64, offset: math.MaxUint64}

// setTimes sets the times of moments in a chunk, if the plan is timed.
func (p *Plan) setTimes(list []moment, c mmapjfr.Chunk) {
	if !p.timed {
		for i := range list {
			list[i].time = 0
		}
		return
	}
	// Chunks of a recording are in order whatever their clocks say.
	start, end := c.Start().UnixNano(), c.End().UnixNano()
	if end <= start {
		end = math.MaxInt64
	}
	for i := range list {
		list[i].time = min(max(engine.ChunkTicksToNanos(c, list[i].end), start), end)
	}
}

// isEdge reports whether an aggregate depends on which event is the first or the last.
func (a *aggregate) isEdge() bool {
	switch a.kind {
	case first, last, lastPresent, difference, lastBatch:
		return true
	}
	return false
}

// edge is the first and the last value of a group.
type edge struct {
	first, last     int64
	firstAt, lastAt moment
	known           bool
}

// edgeState has the first and the last values of groups.
type edgeState struct {
	a      *aggregate
	groups []edge
	latest moment // of all events, for LAST_BATCH
}

func (s *edgeState) grow(n int) { s.groups = grown(s.groups, n) }

func (s *edgeState) add(b *feed, groups []uint32) {
	if b.readers[s.a.in] == nil {
		return
	}
	for i, raw := range b.columns[s.a.in] {
		// FIRST and LAST can be null.
		if raw == nullRaw && (s.a.kind == lastPresent || s.a.kind == difference) {
			continue
		}
		at := b.moments[i]
		s.groups[groups[i]].join(edge{raw, raw, at, at, true}, noTie)
		if s.a.kind == lastBatch && at.compare(s.latest) > 0 {
			s.latest = at
		}
	}
}

// noTie is the order of events of one recording, which have different moments.
func noTie(_, _ int64) int { return 0 }

// join adds an edge that lies before or after. Tie orders values of the same moment: those of recordings one of
// which is a changed copy of another.
func (e *edge) join(o edge, tie func(a, b int64) int) {
	switch {
	case !o.known:
		return
	case !e.known:
		*e = o
		return
	}
	if c := o.firstAt.compare(e.firstAt); c < 0 || c == 0 && tie(o.first, e.first) < 0 {
		e.first, e.firstAt = o.first, o.firstAt
	}
	if c := o.lastAt.compare(e.lastAt); c > 0 || c == 0 && tie(o.last, e.last) > 0 {
		e.last, e.lastAt = o.last, o.lastAt
	}
}

func (s *edgeState) merge(o state, to []uint32, m *merger) {
	from, tie := o.(*edgeState), m.tie(s.a.in)
	for i, e := range from.groups {
		if e.known {
			e.first, e.last = m.raw(s.a.in, e.first), m.raw(s.a.in, e.last)
			s.groups[to[i]].join(e, tie)
		}
	}
	if from.latest.compare(s.latest) > 0 {
		s.latest = from.latest
	}
}

func (s *edgeState) memory() int { return edgeSize * len(s.groups) }

func (s *edgeState) result(g int, p *partial) Value {
	e, kind := &s.groups[g], p.plan.inputs[s.a.in].shape.kind
	switch {
	case !e.known:
		return Value{}
	case s.a.kind == first:
		return p.values.value(kind, e.first)
	case s.a.kind == difference:
		return s.difference(e, kind)
	}
	return p.values.value(kind, e.last)
}

// isStale reports whether the aggregate is LAST_BATCH and the last value of a group ended before those
// of others.
func (s *edgeState) isStale(g int) bool {
	e := &s.groups[g]
	return s.a.kind == lastBatch && e.known && (e.lastAt.chunk != s.latest.chunk || e.lastAt.end != s.latest.end)
}

// difference returns the last value less the first, null if that is beyond 64 bits. That of one point in time has no end.
func (s *edgeState) difference(e *edge, kind Kind) Value {
	if kind == Float {
		return fromFloat(Float, math.Float64frombits(uint64(e.last))-math.Float64frombits(uint64(e.first)))
	}
	if kind == Timestamp && e.firstAt == e.lastAt {
		return Value{kind: Timespan, num: math.MaxInt64}
	}
	if kind == Timestamp {
		return calculate("-", s.a.shape, Value{kind: kind, num: uint64(e.last)}, Value{kind: kind, num: uint64(e.first)})
	}
	n, ok := calculateInt("-", e.last, e.first)
	if kind == Unsigned {
		ok = (uint64(e.last) < uint64(e.first)) == (n < 0)
	}
	if !ok {
		return Value{}
	}
	return Value{kind: s.a.shape.kind, num: uint64(n)}
}

// extremeState has the least or the greatest values of groups, or those of another field where the
// first such value is.
type extremeState struct {
	a      *aggregate
	groups []extreme
}

type extreme struct {
	by, value int64
	at        moment
	known     bool
}

func (s *extremeState) grow(n int) { s.groups = grown(s.groups, n) }

// looksAt returns the input whose least or greatest value counts.
func (s *extremeState) looksAt() int {
	if s.a.by >= 0 {
		return s.a.by
	}
	return s.a.in
}

func (s *extremeState) add(b *feed, groups []uint32) {
	by := s.looksAt()
	if b.readers[by] == nil {
		return
	}
	kind := b.readers[by].kind()
	value := func(raw int64) Value { return b.readers[by].value(raw) }
	for i, raw := range b.columns[by] {
		if raw != nullRaw {
			s.groups[groups[i]].join(extreme{raw, b.columns[s.a.in][i], b.moments[i], true}, s.order(kind, value), noTie)
		}
	}
}

// order returns the function that orders raw values: those that are wanted come first.
func (s *extremeState) order(k Kind, value func(raw int64) Value) func(a, b int64) int {
	sign := 1
	if s.a.kind == maximum || s.a.kind == argMax {
		sign = -1
	}
	if k == Int || k == Timespan || k == Timestamp || k == Bool {
		return func(a, b int64) int { return sign * cmp.Compare(a, b) }
	}
	if k.isNumeric() {
		value = func(raw int64) Value { return Value{kind: k, num: uint64(raw)} }
	}
	return func(a, b int64) int {
		if a == b {
			return 0
		}
		return sign * value(a).order(value(b))
	}
}

func (e *extreme) join(o extreme, order, tie func(a, b int64) int) {
	if !e.known {
		*e = o
		return
	}
	c := order(o.by, e.by)
	if c == 0 {
		c = o.at.compare(e.at)
	}
	if c < 0 || c == 0 && tie(o.value, e.value) < 0 {
		*e = o
	}
}

func (s *extremeState) merge(o state, to []uint32, m *merger) {
	by, tie := s.looksAt(), m.tie(s.a.in)
	kind := m.to.plan.inputs[by].shape.kind
	order := s.order(kind, func(raw int64) Value { return m.to.values.value(kind, raw) })
	for i, e := range o.(*extremeState).groups {
		if e.known {
			e.by, e.value = m.raw(by, e.by), m.raw(s.a.in, e.value)
			s.groups[to[i]].join(e, order, tie)
		}
	}
}

func (s *extremeState) memory() int { return edgeSize * len(s.groups) }

func (s *extremeState) result(g int, p *partial) Value {
	if !s.groups[g].known {
		return Value{}
	}
	return p.values.value(p.plan.inputs[s.a.in].shape.kind, s.groups[g].value)
}
