package jvmmetrics

import (
	"cmp"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// MaxSeries is the greatest number of combinations of labels of a metric. The most that JVMs are
// known to need is the number of collectors times the number of causes of collections.
const MaxSeries = 100

// maxTypes is the number of event types that have a counter of their own. JVMs have some 200; the
// rest is for programs.
const maxTypes = 1000

// maxLabel is the greatest length of a label in bytes.
const maxLabel = 128

const (
	unknown = "unknown" // the event does not have it
	other   = "other"   // beyond the limit
)

// labels are the values of a metric's labels, in the order of their names. The rest is empty.
type labels [3]string

// table has a value for each combination of labels.
type table[T any] struct {
	names  int // number of labels
	most   int
	create func(labels) T
	// rest returns the value for combinations beyond the limit.
	rest func() T

	of map[labels]T
}

// newTable returns a table for a metric that counts events. Combinations beyond the limit count as
// "other".
func newTable[T any](m *metric, with func(...string) T) table[T] {
	create := func(l labels) T { return with(l[:len(m.labels)]...) }
	rest := sync.OnceValue(func() T { return create(labels{other, other, other}) })
	return table[T]{names: len(m.labels), most: cmp.Or(m.most, MaxSeries), create: create, rest: rest}
}

// get returns the value for labels. It creates it if it is missing.
func (s *table[T]) get(l labels) T {
	if t, ok := s.of[l]; ok {
		return t
	}
	return s.add(l)
}

//go:noinline
func (s *table[T]) add(l labels) T {
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

// proper makes a label of a text: not empty, not too long, and valid UTF-8, which Prometheus
// requires.
func proper(s string) string {
	if s == "" {
		return unknown
	}
	if len(s) > maxLabel {
		return strings.Clone(strings.ToValidUTF8(s[:maxLabel], "")) // the rest is not kept in memory
	}
	return s
}

// counted is a counter that adds up values of events, or a histogram of durations in seconds.
type counted[T any] struct {
	prometheus.Collector
	table[T]
	count func(T, float64)
}

// put ignores a negative value: the recording is damaged, or the value is not known.
func (c *counted[T]) put(_ int64, value float64, l labels) {
	if value >= 0 {
		c.count(c.get(l), value)
	}
}

// drop does nothing: a count goes on after a restart.
func (*counted[T]) drop(int64) {}

// lateness is how late an event can be: events of different threads are ordered only within a
// flush. If an event is older than that, the clock was set back.
const lateness = 10 * time.Second

// late reports whether an event happened before another that has been seen already. Both times are
// in nanoseconds since 1970.
func late(at, seen int64) bool {
	return at < seen && seen-at < int64(lateness)
}

// sampled is a metric that has the last value of its events: a gauge, or a counter that the JVM
// keeps.
type sampled struct {
	desc *prometheus.Desc
	kind prometheus.ValueType

	mu     sync.Mutex
	values table[*sample]
}

type sample struct {
	labels labels
	at     int64 // nanoseconds since 1970
	value  float64
}

func newSampled(desc *prometheus.Desc, kind prometheus.ValueType, names int) *sampled {
	return &sampled{desc: desc, kind: kind, values: table[*sample]{
		names:  names,
		most:   MaxSeries,
		create: func(l labels) *sample { return &sample{labels: l, at: math.MinInt64} },
		rest:   func() *sample { return nil }, // a last value of several series means nothing
	}}
}

// put sets the value at a time. It ignores values that are no numbers.
func (s *sampled) put(at int64, value float64, l labels) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.values.get(l)
	if v == nil || late(at, v.at) {
		return
	}
	v.at, v.value = at, value
}

func (s *sampled) drop(before int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l, v := range s.values.of {
		if v.at < before {
			delete(s.values.of, l)
		}
	}
}

// Describe implements prometheus.Collector.
func (s *sampled) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

// Collect implements prometheus.Collector. It sends copies, so that handlers do not wait for the
// scrape.
func (s *sampled) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	now := make([]sample, 0, len(s.values.of))
	for _, v := range s.values.of {
		now = append(now, *v)
	}
	s.mu.Unlock()
	for _, v := range now {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, v.value, v.labels[:s.values.names]...)
	}
}
