package jvmmetrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// catalog is what all metrics are written down in, one area after the other: which
// there are, and which events they are made of.
type catalog struct {
	rows       []Row
	collectors []prometheus.Collector
	sampled    []*sampled
	handlers   []Subscription
	settings   []string
	// restarts are called when a JVM has told when it began.
	restarts []func(began int64)
}

// from names the events that a metric is made of.
func from(events ...string) []string { return events }

// row writes down a metric and returns its help text, which ends in the events.
func (c *catalog) row(kind, name, help string, events, names []string) string {
	c.rows = append(c.rows, Row{
		Name: name, Type: kind, Unit: unitOf(name), Labels: names, Events: events, Help: help,
	})
	if len(events) == 0 {
		return help + "."
	}
	return help + " (JFR: " + strings.Join(events, ", ") + ")."
}

// gauge adds a metric with the last value that events told.
func (c *catalog) gauge(name, help string, events []string, names ...string) *sampled {
	return c.sample(prometheus.GaugeValue, "gauge", name, help, events, names)
}

// cumulative adds a counter that the JVM keeps itself, and tells the value of.
func (c *catalog) cumulative(name, help string, events []string, names ...string) *sampled {
	return c.sample(prometheus.CounterValue, "counter", name, help, events, names)
}

func (c *catalog) sample(kind prometheus.ValueType, kindName, name, help string, events, names []string) *sampled {
	desc := prometheus.NewDesc(name, c.row(kindName, name, help, events, names), names, nil)
	s := newSampled(desc, kind, len(names))
	c.sampled = append(c.sampled, s)
	c.collectors = append(c.collectors, s)
	return s
}

// counter adds a counter that events are summed up in.
func (c *catalog) counter(name, help string, events []string, names ...string) *summed {
	return c.counterOf(MaxSeries, name, help, events, names...)
}

// counterOf adds a counter with more or less room for labels than others have.
func (c *catalog) counterOf(most int, name, help string, events []string, names ...string) *summed {
	help = c.row("counter", name, help, events, names)
	s := newSummed(prometheus.CounterOpts{Name: name, Help: help}, names, most)
	c.collectors = append(c.collectors, s)
	return s
}

// histogram adds a histogram of lengths of time, with the limits of its buckets in
// seconds.
func (c *catalog) histogram(name, help string, buckets []float64, events []string, names ...string) *spread {
	help = c.row("histogram", name, help, events, names)
	s := newSpread(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, names)
	c.collectors = append(c.collectors, s)
	return s
}

// on adds the handler of an event type, and what is to be set for events of the type,
// as in "period=1s".
func (c *catalog) on(event string, handle func(mmapjfr.Event), settings ...string) {
	c.ifRecorded(event, handle)
	c.settings = append(c.settings, event+"#enabled=true")
	for _, s := range settings {
		c.settings = append(c.settings, event+"#"+s)
	}
}

// ifRecorded adds the handler of an event type that costs too much to be recorded for
// the sake of metrics alone.
func (c *catalog) ifRecorded(event string, handle func(mmapjfr.Event)) {
	c.handlers = append(c.handlers, Subscription{event, func(ev mmapjfr.Event) error {
		handle(ev)
		return nil
	}})
}

// onRestart has a function forget what is older than a JVM that has begun to write. It
// is called once for each JVM, maybe after other events of it.
func (c *catalog) onRestart(forget func(began int64)) { c.restarts = append(c.restarts, forget) }

// restart forgets what JVMs told before one began, in nanoseconds since 1970.
func (c *catalog) restart(began int64) {
	for _, s := range c.sampled {
		s.drop(began)
	}
	for _, forget := range c.restarts {
		forget(began)
	}
}

// noStack is the setting of events whose stack traces are of no use here, and would
// cost the JVM the most.
const noStack = "stackTrace=false"

// seconds returns the length of time that a path leads to; false if it is not known.
func seconds(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	d := ev.Timespan(p)
	return d.Seconds(), ev.Has(p) && d >= 0 && d != mmapjfr.Forever
}

// setSeconds sets a value to a length of time, if that is known.
func (s *sampled) setSeconds(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if v, ok := seconds(ev, p); ok {
		s.set(ev.StartNanos(), v, l)
	}
}

// setInt sets a value to a number or size, if there is such a field. A size without a
// limit is -1, as it is for Java.
func (s *sampled) setInt(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.set(ev.StartNanos(), float64(ev.Int(p)), l)
	}
}

// setKnown is setInt for numbers that are negative where they are not known.
func (s *sampled) setKnown(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Int(p) >= 0 {
		s.setInt(ev, p, l)
	}
}

// setRatio sets a value to a fraction, as percentages are recorded.
func (s *sampled) setRatio(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.set(ev.StartNanos(), ev.Float(p), l)
	}
}

// addInt adds a number or size.
func (s *summed) addInt(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.add(float64(ev.Int(p)), l)
	}
}

// addSeconds adds a length of time, if it is known.
func (s *summed) addSeconds(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if v, ok := seconds(ev, p); ok {
		s.add(v, l)
	}
}

var duration = mmapjfr.Path("duration")

// took counts how long an event lasted, as it was recorded.
func (s *spread) took(ev mmapjfr.Event, l labels) {
	if ev.Has(duration) {
		s.observe(ev.Timespan(duration), l)
	}
}

// inSeconds returns a time in seconds since 1970, as Prometheus has them.
func inSeconds(at time.Time) float64 { return float64(at.UnixNano()) / 1e9 }

// between returns how long it is from one point in time to another, both in
// nanoseconds since 1970.
func between(start, end int64) time.Duration { return time.Duration(end - start) }
