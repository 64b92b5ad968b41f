package jvmstats

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// Rates are over these numbers of seconds.
const (
	rateSeconds = 10
	minute      = 60
)

// Vitals is the state of a JVM, and of the JVMs that replace it.
type Vitals struct {
	mu sync.Mutex // for all fields

	clock     clock
	second    int64 // that the event counts for
	kinds     map[string]*kind
	others    *kind // types beyond the limit
	count     uint64
	perSecond ring // all events

	// metrics are the figures that Prometheus gets. handlers and restarts keep them and the rest.
	metrics  []*metric
	handlers map[string][]func(mmapjfr.Event)
	settings []eventSettings
	restarts []func(began int64)

	jvm     JVM
	cpu     history[CPUPoint]
	heap    history[HeapPoint]
	gc      collections
	alloc   allocations
	samples struct{ java, native, cpuTime ranking }
	locks   struct{ monitors, parks ranking }
	thrown  exceptions
	io      traffic
	reading reading
	weights *weigh.Weights // of allocation samples

	name    []byte         // memory for the name of a method
	printer *print.Printer // of recent events
	scratch []byte         // memory for the text of an event
	picked  string
	remarks []string

	state   State
	why     string
	flushes uint64
	flushed time.Time
	shown   Snapshot // as of the last flush, unless stale
	stale   bool
	wall    func() time.Time // the time of this process
}

// New returns Vitals without events.
func New() *Vitals {
	printer, err := print.NewPrinter(print.Options{Format: print.Text, StackDepth: textDepth})
	if err != nil {
		panic(err) // only rows are refused
	}
	v := &Vitals{
		kinds: make(map[string]*kind), handlers: make(map[string][]func(mmapjfr.Event)), weights: weigh.NewWeights(), printer: printer,
		state: Waiting, shown: Snapshot{State: Waiting, Types: []TypeRate{}}, wall: time.Now,
	}
	v.virtualMachine()
	v.memory()
	v.collections()
	v.allocation()
	v.running()
	v.threads()
	v.waits()
	v.classes()
	v.compilation()
	v.inOut()
	v.system()
	v.container()
	v.ownMetrics()
	v.describe()
	v.others = &kind{name: "(other types)"}
	return v
}

// Observe takes an event of any type. It keeps no reference to the event. It never fails: the error
// makes it a handler of a stream.
func (v *Vitals) Observe(ev mmapjfr.Event) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.second = v.clock.see(engine.EventEndNanos(ev))
	v.count++
	v.perSecond.add(v.second, 1)
	v.reading.newest = max(v.reading.newest, engine.EventEndNanos(ev))
	k := v.kind(ev.Type().Name())
	k.total++
	k.series.value++
	k.count.add(v.second, 1)
	k.last = max(k.last, v.second*int64(time.Second))
	for _, do := range k.handlers {
		do(ev)
	}
	v.keepText(k, ev)
	return nil
}

// Flushed marks the end of a flush at a time of this process. While there are no events, earlier
// events get older by it.
func (v *Vitals) Flushed(at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clock.flush(at)
	v.reading.flushedAt(at)
	v.flushed = at
	v.become(Live, "")
}

// Ended says that no more events will be observed. If err is not nil, there may be more events, but
// they cannot be read.
func (v *Vitals) Ended(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clock.flush(time.Time{})
	if err != nil {
		v.become(Lost, err.Error())
		return
	}
	v.become(Ended, "")
}

func (v *Vitals) become(state State, why string) {
	v.state, v.why, v.stale = state, why, true
	v.flushes++
}

// Failed counts an error of reading.
func (v *Vitals) Failed() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reading.errors.put(0, 1, labels{})
}

// Snapshot returns the state after the last flush. The events of the picked type are the newest.
func (v *Vitals) Snapshot() Snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stale {
		v.shown, v.stale = v.snapshot(), false
	}
	s := v.shown
	if s.State == Live {
		s.Quiet = max(0, v.wall().Sub(v.flushed))
	}
	s.Picked, s.Remarks = v.picked, v.remarks
	if k := v.kinds[v.picked]; k != nil {
		for _, text := range k.texts {
			s.Recent = append(s.Recent, string(text))
		}
	}
	return s
}

// Remark adds a message for the user.
func (v *Vitals) Remark(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remarks = append(v.remarks, text)
}

// Pick picks the type whose last events are kept as text. Of other types only the first few events
// after each flush are kept. An empty name picks no type.
func (v *Vitals) Pick(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.picked = name
}

// rate returns the sum of a ring over the last seconds, per second.
func (v *Vitals) rate(r *ring, seconds int64) float64 {
	return float64(r.sum(v.clock.second(), seconds)) / v.clock.covered(seconds)
}

// kind has the counts and the last events of a type. Types of the same name are one.
type kind struct {
	name     string
	total    uint64
	series   *series // the same for Prometheus
	count    ring
	last     int64 // by the clock, to the second
	handlers []func(mmapjfr.Event)

	texts [][]byte // the oldest first
	flush uint64   // in which the last ones were kept
	kept  int      // since that flush
}

// kind returns the kind with a name, or others if there are too many.
func (v *Vitals) kind(name string) *kind {
	k := v.kinds[name]
	switch {
	case k != nil:
	case len(v.kinds) < maxTypes:
		k = &kind{name: strings.ToValidUTF8(name[:min(len(name), nameLen)], "\uFFFD"), handlers: v.handlers[name]}
		k.series = v.reading.events.at(labels{name})
		v.kinds[name] = k
	default:
		if k = v.others; k.series == nil {
			k.series = v.reading.events.at(labels{name})
		}
	}
	return k
}

// types returns the rates of all types.
func (v *Vitals) types() []TypeRate {
	rates := make([]TypeRate, 0, len(v.kinds)+1)
	for _, k := range v.kinds {
		rates = append(rates, v.typeRate(k))
	}
	slices.SortFunc(rates, func(a, b TypeRate) int { return strings.Compare(a.Name, b.Name) })
	if v.others.total > 0 {
		rates = append(rates, v.typeRate(v.others))
	}
	return rates
}

func (v *Vitals) typeRate(k *kind) TypeRate {
	return TypeRate{
		Name:            k.name,
		Count:           k.total,
		PerSecond:       v.rate(&k.count, rateSeconds),
		PerSecondMinute: v.rate(&k.count, minute),
		Last:            jsonout.At(v.clock.time(k.last).Truncate(time.Second)),
	}
}

// Numbers of events that are kept as text: of the picked type, and of others, which take no more
// than that after each flush. So there is something to show when a type with few events is picked,
// and types with many events cost little.
const (
	pickedTexts = 50
	fewTexts    = 4
)

// textBytes is the greatest length of a text, and scratchBytes of memory that is kept for the next.
const (
	textBytes    = 16 << 10
	scratchBytes = 1 << 20
)

// textDepth is the number of stack frames in a text.
const textDepth = 20

// keepText keeps an event as text, if its type has not enough.
func (v *Vitals) keepText(k *kind, ev mmapjfr.Event) {
	if k.flush != v.flushes {
		k.flush, k.kept = v.flushes, 0
	}
	most := fewTexts
	if k.name == v.picked {
		most = pickedTexts
	} else if k == v.others || k.kept == fewTexts {
		return
	}
	k.kept = min(k.kept+1, fewTexts)
	v.scratch = v.printer.Append(v.scratch[:0], ev)
	var place []byte
	if len(k.texts) >= most {
		place = k.texts[0][:0]
		k.texts = append(k.texts[:0], k.texts[len(k.texts)-most+1:]...)
	}
	k.texts = append(k.texts, appendCut(place, v.scratch, textBytes))
	if cap(v.scratch) > scratchBytes {
		v.scratch = nil
	}
}

// appendCut appends the beginning of a text.
func appendCut(dst, text []byte, most int) []byte {
	if len(text) <= most {
		return append(dst, text...)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return append(append(dst, text[:most]...), "…\n"...)
}
