package jvmmetrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// self has the metrics of reading events.
type self struct {
	events *summed
	// types are the counters of events again, by name. All events pass here, and a look-up by name
	// is faster than one by labels.
	types  map[string]prometheus.Counter
	errors prometheus.Counter
	flush  *sampled
	delay  *spread
	// newest is the greatest end time of events since the last flush, in nanoseconds since 1970; 0
	// without events.
	newest int64
}

// delays are the limits of buckets for the age of events when they have been read. A JVM keeps
// events for up to a second.
var delays = []float64{.01, .05, .1, .25, .5, 1, 1.5, 2, 5, 10, 60}

// own adds metrics of this process, and of events that the JVM lost.
func (c *catalog) own() *self {
	const loss = "jdk.DataLoss"
	lost := c.counter("jfr_lost_bytes_total", "Bytes of events that the JVM had no room for", from(loss))
	amount := mmapjfr.Path("amount")
	c.on(loss, func(ev mmapjfr.Event) { lost.addInt(ev, amount, labels{}) })

	s := &self{
		types:  map[string]prometheus.Counter{},
		events: c.counterOf(maxTypes, "mjfr_events_total", "Events read", nil, "type"),
		flush: c.gauge("mjfr_last_flush_timestamp_seconds",
			"When the last flush of the JVM had been read, in seconds since 1970", nil),
		delay: c.histogram("mjfr_event_delay_seconds",
			"How old the newest event of a flush was when it had been read", delays, nil),
	}
	const failures, help = "mjfr_errors_total", "Things that went wrong in reading"
	s.errors = prometheus.NewCounter(prometheus.CounterOpts{
		Name: failures, Help: c.row("counter", failures, help, nil, nil),
	})
	c.collectors = append(c.collectors, s.errors)
	c.ifRecorded("*", s.count)
	return s
}

// count counts an event of any type.
func (s *self) count(ev mmapjfr.Event) {
	name := ev.Type().Name()
	counter, ok := s.types[name]
	if !ok {
		counter = s.meet(name)
	}
	counter.Inc()
	s.newest = max(s.newest, ev.EndNanos())
}

// meet returns the counter of a new type, or that of further types.
func (s *self) meet(name string) prometheus.Counter {
	counter := s.events.counters.get(labels{name})
	if len(s.types) < maxTypes {
		s.types[name] = counter
	}
	return counter
}

func (s *self) flushed(at time.Time) {
	s.flush.set(at.UnixNano(), inSeconds(at), labels{})
	if s.newest != 0 {
		s.delay.observe(between(s.newest, at.UnixNano()), labels{})
		s.newest = 0
	}
}
