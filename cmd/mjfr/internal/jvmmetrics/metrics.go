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
	gatherer prometheus.Gatherer
}

// Subscription is the handler of an event type.
type Subscription struct {
	// Type is the full name of the type, or "*" for all types.
	Type string
	// Handle handles an event. It keeps no reference to the event, and never fails.
	Handle func(mmapjfr.Event) error
}

// New returns metrics that are registered, with labels for all of them, such as the name of the
// application. If reg is nil, they have a registry of their own. New panics, as MustRegister does,
// if reg has other metrics of the same names, or if the name of a label is invalid.
func New(reg prometheus.Registerer, labels prometheus.Labels) *Metrics {
	own := prometheus.NewRegistry()
	if reg == nil {
		reg = own
	}
	c, self := makeCatalog()
	prometheus.WrapRegistererWith(labels, reg).MustRegister(c.collectors...)
	gatherer, ok := reg.(prometheus.Gatherer)
	if !ok { // our own registry answers scrapes
		prometheus.WrapRegistererWith(labels, own).MustRegister(c.collectors...)
		gatherer = own
	}
	return &Metrics{c, self, gatherer}
}

// Handlers returns the handlers, one for each event type. One is for all types, and counts events.
func (m *Metrics) Handlers() []Subscription { return slices.Clone(m.catalog.handlers) }

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
	s := newCatalog().settings
	event := func(setting string) string { name, _, _ := strings.Cut(setting, "#"); return name }
	slices.SortStableFunc(s, func(a, b string) int { return strings.Compare(event(a), event(b)) })
	return s
}

func newCatalog() *catalog {
	c, _ := makeCatalog()
	return c
}

// makeCatalog adds the metrics of all areas, in the order of [Describe].
func makeCatalog() (*catalog, *self) {
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
	return c, c.own()
}

// Row describes a metric.
type Row struct {
	// Name is the full name, with its unit and, of counters, _total.
	Name string
	// Type is "gauge", "counter" or "histogram".
	Type string
	// Unit is the unit of the value: "bytes", "seconds", "ratio" (from 0 to 1) or "hertz"; empty
	// for numbers of things.
	Unit string
	// Labels are the names of the labels.
	Labels []string
	// Events are the event types that it is made of; empty for metrics of this process or of all
	// types.
	Events []string
	// Help describes it in a sentence without a full stop.
	Help string
}

// Describe returns all metrics, area by area.
func Describe() []Row { return newCatalog().rows }

// unitOf returns the unit at the end of a name.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []string{"bytes", "seconds", "ratio", "hertz"} {
		if strings.HasSuffix(name, "_"+unit) {
			return unit
		}
	}
	return ""
}
