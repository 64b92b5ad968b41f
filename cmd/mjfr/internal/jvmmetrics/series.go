package jvmmetrics

import (
	"math"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

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

// summed is a counter of what events tell, each by itself.
type summed struct {
	*prometheus.CounterVec
	counters series[prometheus.Counter]
}

func newSummed(opts prometheus.CounterOpts, names []string, most int) *summed {
	vec := prometheus.NewCounterVec(opts, names)
	create := func(l labels) prometheus.Counter { return vec.WithLabelValues(l[:len(names)]...) }
	return &summed{vec, series[prometheus.Counter]{
		names:  len(names),
		most:   most,
		create: create,
		rest:   func() prometheus.Counter { return create(others(len(names))) },
	}}
}

// add adds to the counter. What would make it smaller is not added: it comes from
// recordings that are damaged, or means that the value is not known.
func (s *summed) add(value float64, l labels) {
	if value >= 0 {
		s.counters.get(l).Add(value)
	}
}

// spread is a histogram of how long things took, in seconds.
type spread struct {
	*prometheus.HistogramVec
	histograms series[prometheus.Observer]
}

func newSpread(opts prometheus.HistogramOpts, names []string) *spread {
	vec := prometheus.NewHistogramVec(opts, names)
	create := func(l labels) prometheus.Observer { return vec.WithLabelValues(l[:len(names)]...) }
	return &spread{vec, series[prometheus.Observer]{
		names:  len(names),
		most:   MaxSeries,
		create: create,
		rest:   func() prometheus.Observer { return create(others(len(names))) },
	}}
}

// observe counts a length of time, unless it is not known or has no end.
func (s *spread) observe(d time.Duration, l labels) {
	if d >= 0 && d != mmapjfr.Forever {
		s.histograms.get(l).Observe(d.Seconds())
	}
}

// lateness is by how much events can come too late: the streams of a JVM's threads
// are only put in order within a flush. What is older by more than that is no
// straggler, but the clock was set back.
const lateness = 10 * time.Second

// late tells whether an event happened before another that has been seen already.
// Both times are in nanoseconds since 1970.
func late(at, seen int64) bool {
	return at < seen && seen-at < int64(lateness)
}

// sampled is a metric whose value the JVM tells from time to time: a gauge, or a
// counter that it keeps itself. It has the value of the last event.
type sampled struct {
	desc *prometheus.Desc
	kind prometheus.ValueType

	mu     sync.Mutex
	values series[*sample]
}

type sample struct {
	labels labels
	at     int64 // nanoseconds since 1970
	value  float64
}

func newSampled(desc *prometheus.Desc, kind prometheus.ValueType, names int) *sampled {
	return &sampled{desc: desc, kind: kind, values: series[*sample]{
		names:  names,
		most:   MaxSeries,
		create: func(l labels) *sample { return &sample{labels: l, at: math.MinInt64} },
		rest:   func() *sample { return nil }, // there is no sense in the last value of many
	}}
}

// set says what the value was at a time. A value that is no number is none.
func (s *sampled) set(at int64, value float64, l labels) {
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

// drop forgets values that are older than a time.
func (s *sampled) drop(before int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l, v := range s.values.of {
		if v.at < before {
			delete(s.values.of, l)
		}
	}
}

// clear forgets all values.
func (s *sampled) clear() { s.drop(math.MaxInt64) }

// Describe is of prometheus.Collector.
func (s *sampled) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

// Collect is of prometheus.Collector. It sends copies, so that handlers need not wait
// until all is written.
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
