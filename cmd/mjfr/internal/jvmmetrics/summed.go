package jvmmetrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

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
