package profile

import (
	"context"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// NoWeight is the weight of an event that is no sample of a kind.
const NoWeight = math.MinInt64

// Weight is what events of a type weigh in profiles of a kind: the main value of that.
type Weight struct {
	kind   *knownKind
	source *source
}

// WeightOf returns the weight of the events of a type in profiles of a kind, and with "" in those
// that they measure best: samples of wall-clock time say something about processor time, too. Samples that
// can be of a time or of none, by the settings, are then one each. It is false if they are no samples of the kind.
func WeightOf(event, kind string) (best Weight, ok bool) {
	if event == executionSample && kind == "" {
		return Weight{&anySample, &anySample.sources[0]}, true
	}
	for i := range kinds {
		for j := range kinds[i].sources {
			k, s := &kinds[i], &kinds[i].sources[j]
			if s.event == event && s.mode != lost && (kind == "" || kind == k.Name) && (!ok || s.rank < best.source.rank) {
				best, ok = Weight{k, s}, true
			}
		}
	}
	return best, ok
}

// anySample is the kind of samples of running threads, of the JVM or of a profiler.
var anySample = knownKind{
	Kind{runningKind, "Samples", []ValueType{{"samples", Count}}, true},
	[]source{{event: executionSample, values: [maxValues]weight{one, {}, {}}}},
}

// Unit returns the unit of the weight.
func (w Weight) Unit() Unit { return w.kind.Values[w.kind.Main()].Unit }

func (w Weight) factor() weight { return w.source.values[w.kind.Main()] }

// IsEstimate reports whether events are samples that stand for what was not recorded.
func (w Weight) IsEstimate() bool { return w.kind.Sampled || w.source.sinceLast }

// WeighedByFacts returns the names of the event types whose weights, in profiles of a kind or with "" in those that they measure
// best, other chunks of a recording can decide: their fields are not enough.
func WeighedByFacts(kind string) (names []string) {
	for i := range kinds {
		for _, s := range kinds[i].sources {
			if w, ok := WeightOf(s.event, kind); ok && w.needsFacts() && !slices.Contains(names, s.event) {
				names = append(names, s.event)
			}
		}
	}
	return names
}

// needsFacts reports whether the fields of an event are not enough to weigh it: other chunks of its recording can decide, too.
func (w Weight) needsFacts() bool {
	return w.factor().period || w.source.mode != all || w.source.sinceLast
}

// IsHeavy reports whether a field of the events has all of what [Weights.Heavy] says.
func (w Weight) IsHeavy(field *mmapjfr.FieldPath) bool {
	return w.source.sinceLast && field.String() == pathWeight.String()
}

// Weights are what the samples of a recording, or of a stream, stand for.
type Weights struct{ facts facts }

// NewWeights returns weights without settings; those of a stream are added when they come.
func NewWeights() *Weights {
	return &Weights{facts: facts{settings: []settings{{}}, errors: []map[string]bool{nil}, heavy: heavySamples{live: newLiveSamples()}}}
}

// ReadWeights returns the weights of a recording. It reads the settings that they depend on, and all
// samples of allocations if these are weighed: those that weigh too much count less. What cannot
// be read is left out; reading the samples returns the errors.
func ReadWeights(ctx context.Context, rec *mmapjfr.Recording, list []Weight) *Weights {
	needed := kindsOf(list)
	if len(needed) == 0 {
		return NewWeights()
	}
	w := &Weights{facts: readFacts(ctx, rec, rec.Chunks(), needed)}
	if slices.ContainsFunc(needed, knownKind.isAllocation) {
		w.facts.heavy = readHeavySamples(ctx, rec)
	}
	return w
}

// kindsOf returns the kinds of weights that need facts.
func kindsOf(list []Weight) (needed []knownKind) {
	for _, w := range list {
		if w.needsFacts() {
			needed = append(needed, *w.kind)
		}
	}
	return needed
}

// Add adds an event of a stream, once each: settings count, and samples, of which the first ones of threads can be too heavy.
func (w *Weights) Add(ev mmapjfr.Event) {
	if l := w.facts.heavy.live; l != nil {
		l.add(ev)
	}
	if known := w.facts.errors; ev.Type().Name() == errorEvent && len(known[0]) < mostErrors {
		known[0] = addError(known[0], ev.Get(pathThrown))
	}
	known := w.facts.settings[0]
	if ev.Type().Name() != settingEvent || !usedSettings[ev.Str(pathName)] {
		return
	}
	if key := (settingKey{ev.Int(pathID), ev.Str(pathName)}); len(known) < mostSettings || known[key] != "" {
		known[key] = settingText(ev.Str(pathValue))
	}
}

// Heavy returns how many samples of allocations weigh what their threads allocated before the recording, if that is among the
// weights of a list.
func (w *Weights) Heavy(list []Weight) Heavy {
	if w == nil || !slices.ContainsFunc(list, func(w Weight) bool { return w.source.sinceLast }) {
		return Heavy{}
	}
	known := int64(len(w.facts.heavy.known))
	return Heavy{known, int64(len(w.facts.heavy.weights)) - known}
}

// Allocated adds an event of a stream as [Weights.Add] does, a sample of allocations, and returns what it stands for: less than its
// weight if that has what its thread allocated before samples were taken.
func (w *Weights) Allocated(ev mmapjfr.Event) int64 {
	w.Add(ev)
	return w.facts.heavy.weight(ev, ev.Int(pathWeight))
}

// Weigher weighs events of a type in a chunk. It belongs to one goroutine.
type Weigher struct {
	weight   Weight
	facts    *facts
	samplers samplers
	period   int64
	errors   map[string]bool
	counts   map[int64]bool // by the key of the thread's state, or of the class
}

// Weigher returns what weighs events of a type, whose weight is given, in a chunk.
func (w *Weights) Weigher(of Weight, c mmapjfr.Chunk, t mmapjfr.Type) *Weigher {
	known := w.facts.settings[min(c.Number(), len(w.facts.settings)-1)]
	x := &Weigher{weight: of, facts: &w.facts, errors: w.facts.errors[min(c.Number(), len(w.facts.errors)-1)], samplers: known.samplers(t.ID()), period: 1, counts: make(map[int64]bool)}
	if of.factor().period {
		x.period, _ = known.period(t.ID(), t.Name(), of.kind.Name)
	}
	return x
}

// Batch sets dst to the weights of the events of a batch, each or [NoWeight].
func (w *Weigher) Batch(b *mmapjfr.Batch, dst []int64) {
	w.weigh(events{batch: b}, dst[:engine.BatchLen(b)])
}

// Event returns the weight of an event, or [NoWeight].
func (w *Weigher) Event(ev mmapjfr.Event) int64 {
	var dst [1]int64
	w.weigh(events{one: ev}, dst[:])
	return dst[0]
}

func (w *Weigher) weigh(from events, dst []int64) {
	s := w.weight.source
	w.weight.factor().fill(from, dst)
	if s.mode == all && !s.sinceLast && w.period == 1 {
		return
	}
	for i := range dst {
		switch {
		case s.mode == leaked && !w.facts.leaks[from.Event(i).Offset()], s.mode != all && s.state != nil && !w.isCounted(from.Value(s.state, i)),
			s.mode == notErrors && !w.isCounted(from.Value(s.class, i)):
			dst[i] = NoWeight
		case s.sinceLast:
			dst[i] = w.facts.heavy.weight(from.Event(i), dst[i])
		default:
			dst[i] = saturate.Mul(dst[i], w.period)
		}
	}
}

// isCounted reports whether samples count, by the state of their threads or the class that is thrown.
func (w *Weigher) isCounted(of mmapjfr.Value) bool {
	key := engine.ValueKey(of)
	counts, ok := w.counts[key]
	if !ok {
		if mode := w.weight.source.mode; mode == notErrors {
			counts = !w.errors[className(of)]
		} else {
			counts = w.samplers.counts(mode, of.Str())
		}
		if key != 0 { // what lies in the event itself has no key
			w.counts[key] = counts
		}
	}
	return counts
}

// events are the events of a batch, or a single one, which has no columns.
type events struct {
	batch *mmapjfr.Batch
	one   mmapjfr.Event
}

func (e events) Event(i int) mmapjfr.Event {
	if e.batch == nil {
		return e.one
	}
	return engine.BatchEvent(e.batch, i)
}

func (e events) Ints(p *mmapjfr.FieldPath) []int64 {
	if e.batch == nil {
		return nil
	}
	return engine.BatchInts(e.batch, p)
}

func (e events) Floats(p *mmapjfr.FieldPath) []float64 {
	if e.batch == nil {
		return nil
	}
	return engine.BatchFloats(e.batch, p)
}

func (e events) Value(p *mmapjfr.FieldPath, i int) mmapjfr.Value {
	if e.batch == nil {
		return e.one.Get(p)
	}
	return engine.BatchValue(e.batch, p, i)
}

// fill sets a column to the products of the fields, without periods.
func (w weight) fill(from events, column []int64) {
	first := int64(0)
	if w.set {
		first = 1
	}
	for j := range column {
		column[j] = first
	}
	for _, p := range w.fields {
		f, _, err := from.Event(0).Type().Resolve(p)
		switch ints, floats := from.Ints(p), from.Floats(p); {
		case err != nil:
			clear(column)
		case ints != nil:
			for j, v := range ints {
				column[j] = saturate.Mul(column[j], nanos(from.Event(j).Chunk(), f.Unit(), v))
			}
		case floats != nil:
			for j, v := range floats {
				column[j] = saturate.Int(float64(column[j]) * v)
			}
		default:
			for j := range column {
				if v := from.Value(p, j); v.Kind() == mmapjfr.KindFloat || v.Kind() == mmapjfr.KindDouble {
					column[j] = saturate.Int(float64(column[j]) * v.Float())
				} else {
					column[j] = saturate.Mul(column[j], nanos(from.Event(j).Chunk(), f.Unit(), v.Int()))
				}
			}
		}
	}
}

// nanos makes nanoseconds of times, and leaves other numbers as they are.
func nanos(c mmapjfr.Chunk, u mmapjfr.Unit, n int64) int64 {
	switch u {
	case mmapjfr.TimespanTicks:
		return int64(engine.ChunkTicksToDuration(c, n))
	case mmapjfr.TimespanMicros:
		return saturate.Mul(n, 1e3)
	case mmapjfr.TimespanMillis:
		return saturate.Mul(n, 1e6)
	case mmapjfr.TimespanSeconds:
		return saturate.Mul(n, 1e9)
	}
	return n
}
