package jvmmetrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// catalog collects all metrics, area by area, and the events that they are made of.
type catalog struct {
	rows       []Row
	collectors []prometheus.Collector
	sampled    []*sampled
	handlers   []Subscription
	settings   []string
	// restarts are called with the start time of a new JVM.
	restarts []func(began int64)
}

// from names the events that a metric is made of.
func from(events ...string) []string { return events }

// row adds the description of a metric. It returns the help text, which ends with the events.
func (c *catalog) row(kind, name, help string, events, names []string) string {
	c.rows = append(c.rows, Row{
		Name: name, Type: kind, Unit: unitOf(name), Labels: names, Events: events, Help: help,
	})
	if len(events) == 0 {
		return help + "."
	}
	return help + " (JFR: " + strings.Join(events, ", ") + ")."
}

// gauge adds a metric that has the last value of its events.
func (c *catalog) gauge(name, help string, events []string, names ...string) *sampled {
	return c.sample(prometheus.GaugeValue, "gauge", name, help, events, names)
}

// cumulative adds a counter whose value the JVM records.
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

// counter adds a counter that sums up events.
func (c *catalog) counter(name, help string, events []string, names ...string) *summed {
	return c.counterOf(MaxSeries, name, help, events, names...)
}

// counterOf adds a counter with another limit of series than [MaxSeries].
func (c *catalog) counterOf(most int, name, help string, events []string, names ...string) *summed {
	help = c.row("counter", name, help, events, names)
	s := newSummed(prometheus.CounterOpts{Name: name, Help: help}, names, most)
	c.collectors = append(c.collectors, s)
	return s
}

// histogram adds a histogram of durations. Its buckets are in seconds.
func (c *catalog) histogram(name, help string, buckets []float64, events []string, names ...string) *spread {
	help = c.row("histogram", name, help, events, names)
	s := newSpread(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, names)
	c.collectors = append(c.collectors, s)
	return s
}

// on adds the handler of an event type, and settings for the type, as in "period=1s".
func (c *catalog) on(event string, handle func(mmapjfr.Event), settings ...string) {
	c.ifRecorded(event, handle)
	c.settings = append(c.settings, event+"#enabled=true")
	for _, s := range settings {
		c.settings = append(c.settings, event+"#"+s)
	}
}

// fieldMetric is a metric with the value of a field.
type fieldMetric struct {
	add               func(c *catalog, name, help string, events []string, names ...string) *sampled
	name, help, field string
	set               func(*sampled, mmapjfr.Event, *mmapjfr.FieldPath, labels)
}

// These are the kinds of metrics of fields, and the ways to set them.
var (
	gauge, cumulative = (*catalog).gauge, (*catalog).cumulative

	setInt, setKnown, setSeconds, setRatio = (*sampled).setInt, (*sampled).setKnown, (*sampled).setSeconds, (*sampled).setRatio
)

// fields adds metrics of fields of an event type, and the handler of the type.
func (c *catalog) fields(event string, metrics []fieldMetric, settings ...string) {
	values := make([]*sampled, len(metrics))
	paths := make([]*mmapjfr.FieldPath, len(metrics))
	for i, m := range metrics {
		values[i], paths[i] = m.add(c, m.name, m.help, from(event)), mmapjfr.Path(m.field)
	}
	c.on(event, func(ev mmapjfr.Event) {
		for i, m := range metrics {
			m.set(values[i], ev, paths[i], labels{})
		}
	}, settings...)
}

// ifRecorded adds the handler of an event type that is too expensive to enable for metrics.
func (c *catalog) ifRecorded(event string, handle func(mmapjfr.Event)) {
	c.handlers = append(c.handlers, Subscription{event, func(ev mmapjfr.Event) error {
		handle(ev)
		return nil
	}})
}

// onRestart registers a function that drops what is older than a new JVM. It is called once for
// each JVM, maybe after some of the JVM's events.
func (c *catalog) onRestart(forget func(began int64)) { c.restarts = append(c.restarts, forget) }

// restart drops what earlier JVMs recorded. began is the start of the new JVM in nanoseconds since
// 1970.
func (c *catalog) restart(began int64) {
	for _, s := range c.sampled {
		s.drop(began)
	}
	for _, forget := range c.restarts {
		forget(began)
	}
}

// noStack is the setting of events whose stack traces are not needed. They would be the most
// expensive part.
const noStack = "stackTrace=false"

// seconds returns the duration at a path, and false if it is not known.
func seconds(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	d := ev.Timespan(p)
	return d.Seconds(), ev.Has(p) && d >= 0 && d != mmapjfr.Forever
}

// setSeconds sets a value to a duration, if it is known.
func (s *sampled) setSeconds(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if v, ok := seconds(ev, p); ok {
		s.set(ev.StartNanos(), v, l)
	}
}

// setInt sets a value to a number or size, if there is such a field. A size without a limit is -1,
// as in Java.
func (s *sampled) setInt(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.set(ev.StartNanos(), float64(ev.Int(p)), l)
	}
}

// setKnown is setInt for a number that is negative if it is not known.
func (s *sampled) setKnown(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Int(p) >= 0 {
		s.setInt(ev, p, l)
	}
}

// setRatio sets a value to a share from 0 to 1.
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

// addSeconds adds a duration, if it is known.
func (s *summed) addSeconds(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if v, ok := seconds(ev, p); ok {
		s.add(v, l)
	}
}

var duration = mmapjfr.Path("duration")

// took counts the recorded duration of an event.
func (s *spread) took(ev mmapjfr.Event, l labels) {
	if ev.Has(duration) {
		s.observe(ev.Timespan(duration), l)
	}
}

// inSeconds returns a time in seconds since 1970, as Prometheus does.
func inSeconds(at time.Time) float64 { return float64(at.UnixNano()) / 1e9 }

// between returns the duration between two times in nanoseconds since 1970.
func between(start, end int64) time.Duration { return time.Duration(end - start) }
