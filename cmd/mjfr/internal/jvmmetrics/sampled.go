package jvmmetrics

import (
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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
