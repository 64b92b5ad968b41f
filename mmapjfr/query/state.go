package query

import (
	"math"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// state is what an aggregate has summed up of groups.
type state interface {
	// grow makes room for n groups.
	grow(n int)
	// add adds events to the groups that they belong to.
	add(b *feed, groups []uint32)
	// merge adds the groups of another state of the same aggregate, the i-th to the group to[i].
	merge(o state, to []uint32, m *merger)
	// memory returns how many bytes it takes, more or less.
	memory() int
	// result returns what the aggregate is of a group.
	result(g int, p *partial) Value
	// code writes or reads what has been summed up.
	code(c *coder, p *partial)
}

// newState returns an empty state of an aggregate.
func (a *aggregate) newState() state {
	switch a.kind {
	case count, countPresent:
		return &countState{a: a}
	case sum, average, rate, deviation:
		return &sumState{a: a}
	case minimum, maximum, argMin, argMax:
		return &extremeState{a: a}
	case quantile, histogram:
		return &distributionState{a: a}
	case first, last, lastPresent, difference, lastBatch:
		return &edgeState{a: a}
	}
	return &setState{a: a}
}

// feed is the events of a batch that a source takes: raw values of inputs, and when they came.
type feed struct {
	columns [][]int64 // by input
	readers []reader  // nil if the events have no values
	moments []moment
	n       int
}

// kind returns the kind of the values of an input.
func (b *feed) kind(in int) Kind {
	if b.readers[in] == nil {
		return Null
	}
	return b.readers[in].kind()
}

// dropInfinite makes lengths of time without end and infinite numbers null: aggregates leave them out, as tables do. Groups must
// have their keys.
func (b *feed) dropInfinite() {
	for in, column := range b.columns[:len(b.readers)] {
		switch b.kind(in) {
		case Timespan:
			for i, raw := range column {
				if raw == math.MaxInt64 {
					column[i] = nullRaw
				}
			}
		case Float:
			for i, raw := range column {
				if math.IsInf(math.Float64frombits(uint64(raw)), 0) {
					column[i] = nullRaw
				}
			}
		}
	}
}

// merger turns raw values of one partial result into those of another.
type merger struct {
	from, to *partial
	value    func(in int, raw int64) Value // of from, as one of to
	same     []bool                        // by input: raw values are the same in both
}

func (m *merger) raw(in int, raw int64) int64 {
	if raw == nullRaw || m.same[in] {
		return raw
	}
	return m.to.values.raw(m.value(in, raw))
}

// tie returns the order of raw values of an input that came at the same moment.
func (m *merger) tie(in int) func(a, b int64) int { return m.to.tie(in) }

// grown returns a slice with room for n groups.
func grown[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	if n <= cap(list) {
		return list[:n]
	}
	more := cap(list)
	if more > 1<<14 {
		more /= 4
	}
	return append(slices.Grow(list, max(n, cap(list)+more)-len(list)), make([]T, n-len(list))...)
}

// countState counts events, or values.
type countState struct {
	a *aggregate
	n []int64
}

func (s *countState) grow(n int) { s.n = grown(s.n, n) }

func (s *countState) add(b *feed, groups []uint32) {
	if s.a.kind == count || s.a.nulls && b.readers[s.a.in] != nil {
		for _, g := range groups {
			s.n[g]++
		}
		return
	}
	for i, raw := range b.columns[s.a.in] {
		if raw != nullRaw {
			s.n[groups[i]]++
		}
	}
}

func (s *countState) merge(o state, to []uint32, _ *merger) {
	for i, n := range o.(*countState).n {
		s.n[to[i]] += n
	}
}

func (s *countState) memory() int { return 8 * len(s.n) }

func (s *countState) result(g int, _ *partial) Value { return intValue(s.n[g]) }

// rateTime is the time that rates are taken over: that of recordings, from the first beginning to the last end,
// within bounds.
type rateTime struct {
	from, to int64 // in nanoseconds since 1970; both are 0 if no recording is known
}

// timeOf returns the time of recordings.
func timeOf(recs []*mmapjfr.Recording) (s rateTime) {
	for _, r := range recs {
		s.join(rateTime{r.Start().UnixNano(), r.End().UnixNano()})
	}
	return s
}

func (p *partial) setSpan(recs []*mmapjfr.Recording, from, to time.Time) {
	p.span.join(timeOf(recs))
	p.span.limit(from, to)
}

// limit leaves what is within bounds, of which zero times are none.
func (s *rateTime) limit(from, to time.Time) {
	if from.After(time.Unix(0, s.from)) {
		s.from = from.UnixNano()
	}
	if !to.IsZero() && (s.to == 0 || to.Before(time.Unix(0, s.to))) {
		s.to = to.UnixNano()
	}
}

func (s *rateTime) join(o rateTime) {
	switch {
	case o.from == 0 && o.to == 0:
	case s.from == 0 && s.to == 0:
		s.from, s.to = o.from, o.to
	default:
		s.from, s.to = min(s.from, o.from), max(s.to, o.to)
	}
}

// seconds returns how long the time lasts that rates of a group are taken over; NaN if that is unknown. Of a step of time that
// is what lies within the other time: recordings begin and end amid a step.
func (p *partial) seconds(g int) float64 {
	d := p.span.to - p.span.from
	if p.plan.bucket > 0 {
		step := p.values.value(Timestamp, p.key(g)[p.plan.bucketKey]).Int()
		within := min(step+int64(p.plan.bucket), p.span.to) - max(step, p.span.from)
		if d = int64(p.plan.bucket); within > 0 {
			d = within
		}
	}
	if d <= 0 {
		return math.NaN()
	}
	return time.Duration(d).Seconds()
}
