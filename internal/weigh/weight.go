package weigh

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
	kind   *Kind
	source *Source
}

// WeightOf returns the weight of the events of a type in profiles of a kind, and with "" in those
// that they measure best: samples of wall-clock time say something about processor time, too. Samples that
// can be of a time or of none, by the settings, are then one each. It is false if they are no samples of the kind.
func WeightOf(event, kind string) (best Weight, ok bool) {
	if event == ExecutionSample && kind == "" {
		return Weight{&anySample, &anySample.Sources[0]}, true
	}
	for i := range Kinds {
		for j := range Kinds[i].Sources {
			k, s := &Kinds[i], &Kinds[i].Sources[j]
			if s.Event == event && s.Mode != Lost && (kind == "" || kind == k.Name) && (!ok || s.Rank < best.source.Rank) {
				best, ok = Weight{k, s}, true
			}
		}
	}
	return best, ok
}

// anySample is the kind of samples of running threads, of the JVM or of a profiler.
var anySample = Kind{
	RunningKind, "Samples", []Value{{"samples", Count}}, true, []Source{{Event: ExecutionSample, Values: [MaxValues]Factor{One, {}, {}}}},
}

// Unit returns the unit of the weight.
func (w Weight) Unit() string { return w.kind.Values[w.kind.Main()].Unit }

func (w Weight) factor() Factor { return w.source.Values[w.kind.Main()] }

// IsEstimate reports whether events are samples that stand for what was not recorded.
func (w Weight) IsEstimate() bool { return w.kind.Sampled || w.source.SinceLast }

// WeighedByFacts returns the names of the event types whose weights, in profiles of a kind or with "" in those that they measure
// best, other chunks of a recording can decide: their fields are not enough.
func WeighedByFacts(kind string) (names []string) {
	for i := range Kinds {
		for _, s := range Kinds[i].Sources {
			if w, ok := WeightOf(s.Event, kind); ok && w.needsFacts() && !slices.Contains(names, s.Event) {
				names = append(names, s.Event)
			}
		}
	}
	return names
}

// needsFacts reports whether the fields of an event are not enough to weigh it: other chunks of its recording can decide, too.
func (w Weight) needsFacts() bool {
	return w.factor().Period || w.source.Mode != all || w.source.SinceLast
}

// IsHeavy reports whether a field of the events has all of what [Weights.Heavy] says.
func (w Weight) IsHeavy(field *mmapjfr.FieldPath) bool {
	return w.source.SinceLast && field.String() == pathWeight.String()
}

// Weights are what the samples of a recording, or of a stream, stand for.
type Weights struct{ facts Facts }

// NewWeights returns weights without settings; those of a stream are added when they come.
func NewWeights() *Weights {
	return &Weights{facts: Facts{Settings: []Settings{{}}, Errors: []map[string]bool{nil}, Heavy: heavySamples{live: newLiveSamples()}}}
}

// ReadWeights returns the weights of a recording. It reads the settings that they depend on, and all
// samples of allocations if these are weighed: those that weigh too much count less. What cannot
// be read is left out; reading the samples returns the errors.
func ReadWeights(ctx context.Context, rec *mmapjfr.Recording, list []Weight) *Weights {
	var needed []Kind
	for _, w := range list {
		if w.needsFacts() {
			needed = append(needed, *w.kind)
		}
	}
	if len(needed) == 0 {
		return NewWeights()
	}
	w := &Weights{facts: ReadFacts(ctx, rec, rec.Chunks(), needed)}
	if slices.ContainsFunc(needed, Kind.IsAllocation) {
		w.facts.Heavy = ReadHeavy(ctx, rec)
	}
	return w
}

// Add adds an event of a stream, once each: settings count, and samples, of which the first ones of threads can be too heavy.
func (w *Weights) Add(ev mmapjfr.Event) {
	if l := w.facts.Heavy.live; l != nil {
		l.add(ev)
	}
	if known := w.facts.Errors; ev.Type().Name() == errorEvent && len(known[0]) < mostErrors {
		known[0] = addError(known[0], ev.Get(pathThrown))
	}
	known := w.facts.Settings[0]
	if ev.Type().Name() != SettingEvent || !usedSettings[ev.Str(PathName)] {
		return
	}
	if key := (settingKey{ev.Int(pathID), ev.Str(PathName)}); len(known) < mostSettings || known[key] != "" {
		known[key] = settingText(ev.Str(pathValue))
	}
}

// Heavy returns how many samples of allocations weigh what their threads allocated before the recording, if that is among the
// weights of a list.
func (w *Weights) Heavy(list []Weight) Heavy {
	if w == nil || !slices.ContainsFunc(list, func(w Weight) bool { return w.source.SinceLast }) {
		return Heavy{}
	}
	known := int64(len(w.facts.Heavy.known))
	return Heavy{known, int64(len(w.facts.Heavy.weights)) - known}
}

// Allocated adds an event of a stream as [Weights.Add] does, a sample of allocations, and returns what it stands for: less than its
// weight if that has what its thread allocated before samples were taken.
func (w *Weights) Allocated(ev mmapjfr.Event) int64 {
	w.Add(ev)
	return w.facts.Heavy.Weight(ev, ev.Int(pathWeight))
}

// Weigher weighs events of a type in a chunk. It belongs to one goroutine.
type Weigher struct {
	weight   Weight
	facts    *Facts
	samplers Samplers
	period   int64
	errors   map[string]bool
	counts   map[int64]bool // by the key of the thread's state, or of the class
}

// Weigher returns what weighs events of a type, whose weight is given, in a chunk.
func (w *Weights) Weigher(of Weight, c mmapjfr.Chunk, t mmapjfr.Type) *Weigher {
	known := w.facts.Settings[min(c.Number(), len(w.facts.Settings)-1)]
	x := &Weigher{weight: of, facts: &w.facts, errors: w.facts.Errors[min(c.Number(), len(w.facts.Errors)-1)], samplers: known.Samplers(t.ID()), period: 1, counts: make(map[int64]bool)}
	if of.factor().Period {
		x.period, _ = known.Period(t.ID(), t.Name(), of.kind.Name)
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
	if s.Mode == all && !s.SinceLast && w.period == 1 {
		return
	}
	for i := range dst {
		switch {
		case s.Mode == Leaked && !w.facts.Leaks[from.Event(i).Offset()], s.Mode != all && s.State != nil && !w.isCounted(from.Value(s.State, i)),
			s.Mode == NotErrors && !w.isCounted(from.Value(s.Class, i)):
			dst[i] = NoWeight
		case s.SinceLast:
			dst[i] = w.facts.Heavy.Weight(from.Event(i), dst[i])
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
		if mode := w.weight.source.Mode; mode == NotErrors {
			counts = !w.errors[ClassName(of)]
		} else {
			counts = w.samplers.Counts(mode, of.Str())
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

func (e events) Value(p *mmapjfr.FieldPath, i int) mmapjfr.Value {
	if e.batch == nil {
		return e.one.Get(p)
	}
	return engine.BatchValue(e.batch, p, i)
}

// FillBatch sets a column to the products of the fields of a batch, without periods.
func (w Factor) FillBatch(b *mmapjfr.Batch, column []int64) { w.fill(events{batch: b}, column) }

// fill sets a column to the products of the fields, without periods.
func (w Factor) fill(from events, column []int64) {
	first := int64(0)
	if w.set {
		first = 1
	}
	for j := range column {
		column[j] = first
	}
	for _, p := range w.fields {
		f, _, err := from.Event(0).Type().Resolve(p)
		var ints []int64
		var floats []float64
		if from.batch != nil {
			ints, floats = engine.BatchInts(from.batch, p), engine.BatchFloats(from.batch, p)
		}
		switch {
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
