package jvmstats

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// MaxSeries is the greatest number of combinations of labels of a metric. The most that JVMs are
// known to need is the number of collectors times the number of causes of collections.
const MaxSeries = 100

// maxTypes is the number of event types that have a counter of their own. JVMs have some 200; the
// rest is for programs.
const maxTypes = 1000

// maxLabel is the greatest length of a label in bytes.
const maxLabel = 128

const (
	missing = "unknown" // the event does not have it
	other   = "other"   // beyond the limit
)

// shape is the kind of a metric.
type shape struct {
	// last is the type of a metric that has the last value of its events. It is 0 for a metric that
	// counts events.
	last prometheus.ValueType
	// buckets are the limits of the buckets of a histogram in seconds.
	buckets []float64
}

var (
	gauge = shape{last: prometheus.GaugeValue}
	// cumulative is a counter whose value the JVM records, and counter one that sums up events.
	cumulative = shape{last: prometheus.CounterValue}
	counter    = shape{}
	// pauses is a histogram of pauses: from the microseconds of ZGC to collections of the whole
	// heap.
	pauses = shape{buckets: []float64{1e-5, 1e-4, 1e-3, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}
	// lengths is a histogram of events with a threshold.
	lengths = shape{buckets: []float64{.01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}}
	// delays is a histogram of the age of events when they have been read. A JVM keeps events for
	// up to a second.
	delays = shape{buckets: []float64{.01, .05, .1, .25, .5, 1, 1.5, 2, 5, 10, 60}}
)

// metric is a figure with its series, one for each combination of labels. Prometheus does not get
// those without help.
type metric struct {
	shape
	name, help string
	labels     []string // their names
	most       int      // series
	events     []string // that it is made of
	desc       *prometheus.Desc
	series     map[labels]*series
}

// labels are the values of a metric's labels, in the order of their names. The rest is empty.
type labels [3]string

// series is the last value at a time in nanoseconds since 1970, or a sum of values, with their
// number for each bucket and in all.
type series struct {
	at      int64
	value   float64
	count   uint64
	buckets []uint64
}

// time returns when the last value was recorded, or the zero time.
func (s series) time() jsonout.Timestamp {
	if s.at == 0 {
		return jsonout.Timestamp{}
	}
	return jsonout.At(time.Unix(0, s.at).UTC())
}

// amount returns the value as a number of things.
func (s series) amount() int64 { return amount(s.value) }

// at returns the series with labels, and makes it if necessary. There are no last values beyond the
// limit; they would mean nothing.
func (m *metric) at(l labels) *series {
	if s := m.series[l]; s != nil {
		return s
	}
	for i := range m.labels {
		l[i] = proper(l[i])
	}
	if s := m.series[l]; s != nil {
		return s
	}
	if len(m.series) >= m.most {
		if m.last != 0 {
			return nil
		}
		for i := range m.labels {
			l[i] = other
		}
		if s := m.series[l]; s != nil {
			return s
		}
	}
	s := &series{buckets: make([]uint64, len(m.buckets))}
	m.series[l] = s
	return s
}

// proper makes a label of a text: not empty, not too long, and valid UTF-8, which Prometheus
// requires.
func proper(s string) string {
	if s == "" {
		return missing
	}
	if len(s) > maxLabel {
		return strings.Clone(strings.ToValidUTF8(s[:maxLabel], "")) // the rest is not kept in memory
	}
	return s
}

// lateness is how late an event can be: events of different threads are ordered only within a
// flush. If an event is older than that, the clock was set back.
const lateness = 10 * time.Second

// late reports whether an event happened before another that has been seen already. Both times are
// in nanoseconds since 1970.
func late(at, seen int64) bool {
	return at < seen && seen-at < int64(lateness)
}

// put takes a value of an event at a time. It ignores what is no number, and negative values of
// what is summed up: the recording is damaged, or the value is not known.
func (m *metric) put(at int64, n float64, l labels) {
	if math.IsNaN(n) || m.last != 0 && math.IsInf(n, 0) || m.last == 0 && n < 0 {
		return
	}
	s := m.at(l)
	switch {
	case s == nil || m.last != 0 && late(at, s.at):
	case m.last != 0:
		s.at, s.value = at, n
	default:
		s.value += n
		s.count++
		if i, _ := slices.BinarySearch(m.buckets, n); i < len(m.buckets) {
			s.buckets[i]++
		}
	}
}

// drop removes last values that are older than a time. A count goes on after a restart.
func (m *metric) drop(before int64) {
	if m.last != 0 {
		maps.DeleteFunc(m.series, func(_ labels, s *series) bool { return s.at < before })
	}
}

// restart drops what earlier JVMs recorded. began is the start of the new JVM in nanoseconds since
// 1970.
func (v *Vitals) restart(began int64) {
	for _, m := range v.metrics {
		m.drop(began)
	}
	for _, forget := range v.restarts {
		forget(began)
	}
}

// onRestart registers a function that drops what is older than a new JVM. It is called once for
// each JVM, maybe after some of the JVM's events.
func (v *Vitals) onRestart(forget func(began int64)) { v.restarts = append(v.restarts, forget) }

// Describe implements [prometheus.Collector].
func (v *Vitals) Describe(to chan<- *prometheus.Desc) {
	for _, m := range v.metrics {
		if m.desc != nil {
			to <- m.desc
		}
	}
}

// Collect implements [prometheus.Collector]. It sends copies, so that events do not wait for the
// scrape.
func (v *Vitals) Collect(to chan<- prometheus.Metric) {
	for _, m := range v.collect() {
		to <- m
	}
}

func (v *Vitals) collect() (list []prometheus.Metric) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.metrics {
		if m.desc == nil {
			continue
		}
		for l, s := range m.series {
			if m.buckets == nil {
				list = append(list, prometheus.MustNewConstMetric(m.desc, cmp.Or(m.last, prometheus.CounterValue), s.value, l[:len(m.labels)]...))
				continue
			}
			upTo, sum := make(map[float64]uint64), uint64(0)
			for i, limit := range m.buckets {
				sum += s.buckets[i]
				upTo[limit] = sum
			}
			list = append(list, prometheus.MustNewConstHistogram(m.desc, s.count, s.value, upTo, l[:len(m.labels)]...))
		}
	}
	return list
}

// metric returns the metric with a name, to which an event adds values. It adds the metric if it is
// not there.
func (v *Vitals) metric(event string, of shape, name, help string, names ...string) *metric {
	i := slices.IndexFunc(v.metrics, func(m *metric) bool { return m.name == name })
	if i < 0 {
		i = len(v.metrics)
		v.metrics = append(v.metrics, &metric{shape: of, name: name, help: help, labels: names, most: MaxSeries, series: make(map[labels]*series)})
	}
	m := v.metrics[i]
	if event != "" && !slices.Contains(m.events, event) {
		m.events = append(m.events, event)
	}
	return m
}

// last returns the series of a metric with labels, or an empty one.
func (v *Vitals) last(name string, of ...string) series {
	var l labels
	copy(l[:], of)
	if s := v.metric("", gauge, name, "").series[l]; s != nil {
		return *s
	}
	return series{}
}

// describe completes the metrics. The help of each ends with its events.
func (v *Vitals) describe() {
	for _, m := range v.metrics {
		help := m.help + "."
		if len(m.events) > 0 {
			help = m.help + " (JFR: " + strings.Join(m.events, ", ") + ")."
		}
		if m.help != "" {
			m.desc = prometheus.NewDesc(m.name, help, m.labels, nil)
		}
	}
}

// reader reads a value of an event, if it has one.
type reader = func(ev mmapjfr.Event, field *mmapjfr.FieldPath) (value float64, ok bool)

// and adds what else is done with a value, if it is not negative.
func and(read reader, then func(ev mmapjfr.Event, n float64)) reader {
	return func(ev mmapjfr.Event, field *mmapjfr.FieldPath) (float64, bool) {
		n, ok := read(ev, field)
		if ok && n >= 0 {
			then(ev, n)
		}
		return n, ok
	}
}

// value is a value of events, and the metric that has it.
type value struct {
	of shape
	// help describes the metric. It is empty if an earlier value does.
	name, help string
	field      string
	read       reader
	// labels are the names of the labels and where they come from, as in "gc:name, cause:cause" for
	// the texts of fields, or "mode=user" for a text.
	labels string
}

// on adds the settings and the values of an event type; see [eventSettings].
func (v *Vitals) on(event, settings string, values ...value) {
	v.settings = append(v.settings, eventSettings{event, settings})
	for _, of := range values {
		var (
			names []string
			texts labels
			paths [len(texts)]*mmapjfr.FieldPath
			field *mmapjfr.FieldPath
		)
		for i, label := range strings.Split(of.labels, ", ") {
			if name, text, ok := strings.Cut(label, "="); ok {
				names, texts[i] = append(names, name), text
			} else if name, from, ok := strings.Cut(label, ":"); ok {
				names, paths[i] = append(names, name), mmapjfr.Path(from)
			}
		}
		if of.field != "" {
			field = mmapjfr.Path(of.field)
		}
		m := v.metric(event, of.of, of.name, of.help, names...)
		v.handle(event, func(ev mmapjfr.Event) {
			n, ok := of.read(ev, field)
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

// handle adds a function that is called with the events of a type.
func (v *Vitals) handle(event string, do func(mmapjfr.Event)) {
	v.handlers[event] = append(v.handlers[event], do)
}

// eventSettings are the settings of an event type, such as "period=1s". Those after "25: " are for
// that release and later ones, because a JVM knows the setting, or needs it, only then. Those after
// "metrics: " are for Prometheus alone, and those after "never: " are for nobody: the type is too
// expensive, and counts if somebody else has it recorded. Of two for the same thing the later one
// holds.
type eventSettings struct{ event, settings string }

// never marks event types that are not asked for, and noStack events whose stack traces Prometheus
// does not need; they would be the most expensive part.
const (
	never   = "never:"
	noStack = "metrics: stackTrace=false"
)

// Settings returns the settings of a recording by a JVM of a release, such as 17: each as in
// "jdk.CPULoad#period=1s". For a release of 0, which is not known, Settings leaves out those that
// only newer releases understand. Not every JVM knows all types for metrics.
//
// They make a JVM record at little cost: as in the JDK's default profile, except where more is
// recorded at the same price. A JVM records exceptions one by one only if it limits their number.
func Settings(release int, metrics bool) (texts []string) {
	for _, of := range New().settings {
		for group := range strings.SplitSeq(of.settings, ", ") {
			when, settings, ok := strings.Cut(group, ":")
			if !ok {
				when, settings = "0", group
			}
			if since, err := strconv.Atoi(when); err == nil && since > release || err != nil && (when != "metrics" || !metrics) {
				continue
			}
			for _, setting := range append([]string{"enabled=true"}, strings.Fields(settings)...) {
				texts = append(texts, of.event+"#"+setting)
			}
		}
	}
	return texts
}

// seconds reads a duration, if it is known.
func seconds(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	d := ev.Timespan(p)
	return d.Seconds(), ev.Has(p) && d >= 0 && d != mmapjfr.Forever
}

// number reads a number or size, if there is such a field. A size without a limit is -1, as in
// Java.
func number(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	return float64(ev.Int(p)), ev.Has(p)
}

// known is number for a number that is negative if it is not known.
func known(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	n, ok := number(ev, p)
	return n, ok && n >= 0
}

// float reads a number with a fraction.
func float(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) { return ev.Float(p), ev.Has(p) }

// ratio reads a share from 0 to 1.
func ratio(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	f, ok := float(ev, p)
	return min(f, 1), ok && f >= 0 // false for NaN
}

// one counts the event.
func one(mmapjfr.Event, *mmapjfr.FieldPath) (float64, bool) { return 1, true }

// most is greater than any valid number. Sums of it do not overflow.
const most = 1 << 50

// amount returns a number of things, which is never negative.
func amount(n float64) int64 { return int64(min(max(n, 0), most)) }

// nanos returns a length of time.
func nanos(seconds float64) int64 { return amount(math.Round(seconds * 1e9)) }
