package jvmmetrics

import (
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Metrics are the metrics of a JVM, and of the JVMs that replace it.
type Metrics struct {
	catalog  *catalog
	self     *self
	registry *prometheus.Registry
}

// Subscription is the handler of an event type.
type Subscription struct {
	// Type is the full name of the type, or "*" for all types.
	Type string
	// Handle handles an event. It keeps no reference to the event, and never fails.
	Handle func(mmapjfr.Event) error
}

// New returns metrics in a registry of their own.
func New() *Metrics {
	c, self := newCatalog()
	registry := prometheus.NewRegistry()
	for _, m := range c.metrics {
		registry.MustRegister(m)
	}
	return &Metrics{c, self, registry}
}

// Handlers returns the handlers, one for each event type. One is for all types, and counts events.
func (m *Metrics) Handlers() (list []Subscription) {
	for _, h := range m.catalog.handlers {
		list = append(list, Subscription{h.event, func(ev mmapjfr.Event) error {
			for _, do := range h.each {
				do(ev)
			}
			return nil
		}})
	}
	return list
}

// Flushed marks the end of a flush at a time of this process. It is called after all events of the
// flush. From this time and the newest event follows the delay of events.
func (m *Metrics) Flushed(at time.Time) { m.self.flushed(at) }

// Failed counts an error of reading.
func (m *Metrics) Failed() { m.self.errors.Inc() }

// Settings returns the settings of a recording for the metrics, as in "jdk.CPULoad#period=1s", in
// the order of the types' names. Not every JVM knows all of the types. Other recordings may set
// more. Expensive event types are not among them: their metrics exist if another recording enables
// them.
func Settings() []string {
	c, _ := newCatalog()
	s := c.settings
	event := func(setting string) string { name, _, _ := strings.Cut(setting, "#"); return name }
	slices.SortStableFunc(s, func(a, b string) int { return strings.Compare(event(a), event(b)) })
	return s
}

// newCatalog returns the metrics of all areas.
func newCatalog() (*catalog, *self) {
	c := &catalog{}
	c.virtualMachine()
	c.memory()
	c.collections()
	c.allocation()
	c.threads()
	c.waits()
	c.classes()
	c.compilation()
	c.inOut()
	c.system()
	c.container()
	s := c.own()
	c.complete()
	s.errors = s.failures.series.(*counted[prometheus.Counter]).get(labels{})
	return c, s
}

// self has the metrics of reading events.
type self struct {
	events *metric
	// types are the counters of events again, by name. All events pass here, and a look-up by name
	// is faster than one by labels.
	types                  map[string]prometheus.Counter
	failures, flush, delay *metric
	errors                 prometheus.Counter // of failures
	// newest is the greatest end time of events since the last flush, in nanoseconds since 1970; 0
	// without events.
	newest int64
}

// delays are the limits of buckets for the age of events when they have been read. A JVM keeps
// events for up to a second.
var delays = []float64{.01, .05, .1, .25, .5, 1, 1.5, 2, 5, 10, 60}

// own adds metrics of this process, and of events that the JVM lost.
func (c *catalog) own() *self {
	c.on("jdk.DataLoss", "",
		value{counter, "jfr_lost_bytes_total", "Bytes of events that the JVM had no room for", "amount", number, ""})
	s := &self{
		types:    map[string]prometheus.Counter{},
		events:   c.metric("", kind{most: maxTypes}, "mjfr_events_total", "Events read", "type"),
		failures: c.metric("", counter, "mjfr_errors_total", "Things that went wrong in reading"),
		flush: c.metric("", gauge, "mjfr_last_flush_timestamp_seconds",
			"When the last flush of the JVM had been read, in seconds since 1970"),
		delay: c.metric("", kind{buckets: delays}, "mjfr_event_delay_seconds",
			"How old the newest event of a flush was when it had been read"),
	}
	c.handle("*", s.count)
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
	counter := s.events.series.(*counted[prometheus.Counter]).get(labels{name})
	if len(s.types) < maxTypes {
		s.types[name] = counter
	}
	return counter
}

func (s *self) flushed(at time.Time) {
	s.flush.put(at.UnixNano(), float64(at.UnixNano())/1e9, labels{})
	if s.newest != 0 {
		s.delay.put(0, between(s.newest, at.UnixNano()), labels{})
		s.newest = 0
	}
}
