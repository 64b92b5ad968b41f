package jvmmetrics

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// catalog collects all metrics, area by area, and the handlers of the events that they are made of.
type catalog struct {
	metrics  []*metric
	handlers []*handler
	settings []string
	// restarts are called with the start time of a new JVM.
	restarts []func(began int64)
}

// kind is the kind of a metric.
type kind struct {
	// last is the type of a metric that has the last value of its events. It is 0 for a metric that
	// counts events.
	last prometheus.ValueType
	// most is the greatest number of series; 0 for [MaxSeries].
	most int
	// buckets are the limits of the buckets of a histogram in seconds.
	buckets []float64
}

var (
	gauge = kind{last: prometheus.GaugeValue}
	// cumulative is a counter whose value the JVM records, and counter one that sums up events.
	cumulative = kind{last: prometheus.CounterValue}
	counter    = kind{}
	// pauses is a histogram of pauses: from the microseconds of ZGC to collections of the whole heap.
	pauses = kind{buckets: []float64{1e-5, 1e-4, 1e-3, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}
	// lengths is a histogram of events with a threshold.
	lengths = kind{buckets: []float64{.01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}}
)

// metric is a metric. It has its series when the catalog is complete.
type metric struct {
	kind
	name, help string
	labels     []string // their names
	events     []string // that it is made of
	series
}

// series are the values of a metric, one for each combination of labels.
type series interface {
	prometheus.Collector
	// put takes a value of an event, and the time of the event in nanoseconds since 1970.
	put(at int64, value float64, l labels)
	// drop removes last values that are older than a time.
	drop(before int64)
}

// metric returns the metric with a name, to which an event adds values. It adds the metric if it is
// not there.
func (c *catalog) metric(event string, k kind, name, help string, names ...string) *metric {
	i := slices.IndexFunc(c.metrics, func(m *metric) bool { return m.name == name })
	if i < 0 {
		i = len(c.metrics)
		c.metrics = append(c.metrics, &metric{kind: k, name: name, help: help, labels: names})
	}
	m := c.metrics[i]
	if event != "" && !slices.Contains(m.events, event) {
		m.events = append(m.events, event)
	}
	return m
}

// complete makes the series of all metrics. The help of each ends with its events.
func (c *catalog) complete() {
	for _, m := range c.metrics {
		help := m.help + "."
		if len(m.events) > 0 {
			help = m.help + " (JFR: " + strings.Join(m.events, ", ") + ")."
		}
		switch {
		case m.last != 0:
			m.series = newSampled(prometheus.NewDesc(m.name, help, m.labels, nil), m.last, len(m.labels))
		case m.buckets != nil:
			vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.name, Help: help, Buckets: m.buckets}, m.labels)
			m.series = &counted[prometheus.Observer]{vec, newTable(m, vec.WithLabelValues), prometheus.Observer.Observe}
		default:
			vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.name, Help: help}, m.labels)
			m.series = &counted[prometheus.Counter]{vec, newTable(m, vec.WithLabelValues), prometheus.Counter.Add}
		}
	}
}

// value is a value of events, and the metric that has it.
type value struct {
	kind kind
	// help describes the metric. It is empty if an earlier value does.
	name, help string
	field      string
	read       func(ev mmapjfr.Event, field *mmapjfr.FieldPath) (value float64, ok bool)
	// labels are the names of the labels and where they come from, as in "gc:name, cause:cause" for
	// the texts of fields, or "mode=user" for a text.
	labels string
}

// unasked stands for the settings of an event type that is too expensive to enable for metrics.
const unasked = "unasked"

// on adds the values of an event type, and settings for the type, as in "period=1s threshold=0ms".
func (c *catalog) on(event, settings string, values ...value) {
	if settings != unasked {
		for _, s := range append([]string{"enabled=true"}, strings.Fields(settings)...) {
			c.settings = append(c.settings, event+"#"+s)
		}
	}
	for _, v := range values {
		var (
			names []string
			texts labels
			paths [len(texts)]*mmapjfr.FieldPath
			field *mmapjfr.FieldPath
		)
		for i, label := range strings.Split(v.labels, ", ") {
			if name, text, ok := strings.Cut(label, "="); ok {
				names, texts[i] = append(names, name), text
			} else if name, from, ok := strings.Cut(label, ":"); ok {
				names, paths[i] = append(names, name), mmapjfr.Path(from)
			}
		}
		if v.field != "" {
			field = mmapjfr.Path(v.field)
		}
		m := c.metric(event, v.kind, v.name, v.help, names...)
		c.handle(event, func(ev mmapjfr.Event) {
			n, ok := v.read(ev, field)
			if !ok {
				return
			}
			l := texts
			for i, p := range paths {
				if p != nil {
					l[i] = ev.Str(p)
				}
			}
			m.put(ev.StartNanos(), n, l)
		})
	}
}

// handler is what is done with the events of a type.
type handler struct {
	event string
	each  []func(mmapjfr.Event)
}

// handle adds a function that is called with the events of a type.
func (c *catalog) handle(event string, do func(mmapjfr.Event)) {
	i := slices.IndexFunc(c.handlers, func(h *handler) bool { return h.event == event })
	if i < 0 {
		i = len(c.handlers)
		c.handlers = append(c.handlers, &handler{event: event})
	}
	c.handlers[i].each = append(c.handlers[i].each, do)
}

// onRestart registers a function that drops what is older than a new JVM. It is called once for
// each JVM, maybe after some of the JVM's events.
func (c *catalog) onRestart(forget func(began int64)) { c.restarts = append(c.restarts, forget) }

// restart drops what earlier JVMs recorded. began is the start of the new JVM in nanoseconds since
// 1970.
func (c *catalog) restart(began int64) {
	for _, m := range c.metrics {
		m.drop(began)
	}
	for _, forget := range c.restarts {
		forget(began)
	}
}

// noStack is the setting of events whose stack traces are not needed. They would be the most
// expensive part.
const noStack = "stackTrace=false"

// seconds reads a duration, if it is known.
func seconds(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	d := ev.Timespan(p)
	return d.Seconds(), ev.Has(p) && d >= 0 && d != mmapjfr.Forever
}

// number reads a number or size, if there is such a field. A size without a limit is -1, as in Java.
func number(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	return float64(ev.Int(p)), ev.Has(p)
}

// known is number for a number that is negative if it is not known.
func known(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	n, ok := number(ev, p)
	return n, ok && n >= 0
}

// ratio reads a share from 0 to 1.
func ratio(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) { return ev.Float(p), ev.Has(p) }

// one counts the event.
func one(mmapjfr.Event, *mmapjfr.FieldPath) (float64, bool) { return 1, true }
