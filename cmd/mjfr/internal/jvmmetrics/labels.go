package jvmmetrics

import "strings"

// MaxSeries is how many combinations of labels a metric has at most. The greatest
// number that JVMs are known to need is that of collectors times the causes of
// collections.
const MaxSeries = 100

// maxTypes is how many event types are counted each on its own. JVMs have some 200;
// the rest is for those of programs.
const maxTypes = 1000

// maxLabel is how many bytes of a label are kept.
const maxLabel = 128

const (
	unknown = "unknown" // what events do not tell
	other   = "other"   // what there is no room for
)

// labels are the values of a metric's labels, in the order of their names; empty
// behind the last.
type labels [3]string

// series holds what belongs to each combination of labels.
type series[T any] struct {
	names  int // of labels
	most   int
	create func(labels) T
	// rest is for combinations that there is no room for.
	rest func() T

	of map[labels]T
}

// get returns what belongs to the labels, and creates it if need be.
func (s *series[T]) get(l labels) T {
	if t, ok := s.of[l]; ok {
		return t
	}
	return s.add(l)
}

//go:noinline
func (s *series[T]) add(l labels) T {
	for i := range s.names {
		l[i] = proper(l[i])
	}
	if t, ok := s.of[l]; ok {
		return t
	}
	if len(s.of) >= s.most {
		return s.rest()
	}
	if s.of == nil {
		s.of = make(map[labels]T)
	}
	t := s.create(l)
	s.of[l] = t
	return t
}

// proper makes a label of a string of an event: not empty, not endless, and valid UTF-8,
// which Prometheus insists on, also where it has been cut.
func proper(s string) string {
	if s == "" {
		return unknown
	}
	if len(s) > maxLabel {
		return strings.Clone(strings.ToValidUTF8(s[:maxLabel], "")) // the rest of it need not be kept
	}
	return s
}

// others returns labels for so many names that stand for all there is no room for.
func others(names int) labels {
	var l labels
	for i := range names {
		l[i] = other
	}
	return l
}
