package query

import "slices"

// state is what an aggregate has summed up of groups.
type state interface {
	// grow makes room for n groups.
	grow(n int)
	// add adds events to the groups that they belong to.
	add(b *feed, groups []uint32)
	// merge adds the groups of another state of the same aggregate, the i-th to the group to[i].
	merge(o state, to []uint32, m *merger)
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

// grown returns a slice with room for n groups.
func grown[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	if n <= cap(list) {
		return list[:n]
	}
	return append(slices.Grow(list, max(n, 2*cap(list))-len(list)), make([]T, n-len(list))...)
}

// countState counts events, or values.
type countState struct {
	a *aggregate
	n []int64
}

func (s *countState) grow(n int) { s.n = grown(s.n, n) }

func (s *countState) add(b *feed, groups []uint32) {
	if s.a.kind == count {
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

func (s *countState) result(g int, _ *partial) Value { return intValue(s.n[g]) }
