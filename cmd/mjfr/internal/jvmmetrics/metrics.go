package jvmmetrics

import (
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Metrics are the metrics of one JVM, or of one after the other in the same place.
type Metrics struct {
	catalog  *catalog
	self     *self
	gatherer prometheus.Gatherer
}

// Subscription is what is to be done with events of a type.
type Subscription struct {
	// Type is the full name of the type, or "*" for all types.
	Type string
	// Handle takes in an event. It keeps nothing of it, and never fails.
	Handle func(mmapjfr.Event) error
}

// New returns metrics that have been registered, with labels that all of them are to
// have, such as the name of the application. With nil for the registerer they get a
// registry of their own. It panics, as MustRegister does, if the registerer refuses
// them: because it has others of the same names, or because of a label's name.
func New(reg prometheus.Registerer, labels prometheus.Labels) *Metrics {
	own := prometheus.NewRegistry()
	if reg == nil {
		reg = own
	}
	c, self := makeCatalog()
	prometheus.WrapRegistererWith(labels, reg).MustRegister(c.collectors...)
	gatherer, ok := reg.(prometheus.Gatherer)
	if !ok { // then our own is there to answer scrapes
		prometheus.WrapRegistererWith(labels, own).MustRegister(c.collectors...)
		gatherer = own
	}
	return &Metrics{c, self, gatherer}
}

// Handlers returns which events are wanted, each type once, and what is to be done
// with them. One is for all types, and counts them.
func (m *Metrics) Handlers() []Subscription { return slices.Clone(m.catalog.handlers) }

// Flushed says that all events of a flush have been handled, and when that was: the time
// of this process, not the one that the JVM gave the flush. From it and the newest event
// comes how long events take until they are here.
func (m *Metrics) Flushed(at time.Time) { m.self.flushed(at) }

// Failed says that something went wrong in reading.
func (m *Metrics) Failed() { m.self.errors.Inc() }

// Settings returns what a recording that is made for the metrics has to set, as in
// "jdk.CPULoad#period=1s": an event type, a setting and its value, in the order of the
// types' names. Not every JVM knows all of the types. Where other recordings want more
// of an event, they get it. Event types that would burden the JVM are not among them;
// their metrics are there if another recording has them on.
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

// makeCatalog goes through all areas, in the order in which [Describe] has them.
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
	// Unit is what the value counts: "bytes", "seconds", "ratio" (from 0 to 1) or
	// "hertz"; empty for things.
	Unit string
	// Labels are the names of the labels.
	Labels []string
	// Events are the event types that it is made of; none for what is about this
	// process or about all types.
	Events []string
	// Help says in a sentence what it is, without a full stop.
	Help string
}

// Describe returns all metrics, those of one area together.
func Describe() []Row { return newCatalog().rows }

// unitOf returns the unit that a name ends in.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []string{"bytes", "seconds", "ratio", "hertz"} {
		if strings.HasSuffix(name, "_"+unit) {
			return unit
		}
	}
	return ""
}
