package weigh

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Facts are what must be known of a recording before its samples are read.
type Facts struct {
	Settings []Settings // by chunk: its own, and those of the chunks before it
	Heavy    heavySamples
	Leaks    map[uint64]bool   // offsets of allocations
	Errors   []map[string]bool // by chunk: the classes of its errors
}

// factReader is what a worker has read of facts.
type factReader struct {
	settings    []SettingAt
	allocations []allocation
	errors      map[string]bool
}

// mostSettings is how many settings are kept, far more than recorders have of those that matter. A
// file could have others in each of many chunks.
const mostSettings = 1024

// mostErrors is how many classes of errors are kept of a stream, far more than programs have.
const mostErrors = 1 << 12

// SettingAt is a setting in an event.
type SettingAt struct {
	chunk  int
	offset uint64
	key    settingKey
	value  string
}

// FactTypes are the types of events besides settings that kinds need facts of.
var FactTypes = map[string][]string{"leak": {mallocEvent, freeEvent}, "exceptions": {errorEvent}}

// NeedsSettings reports whether settings say what samples weigh, or which of them count.
func (s Source) NeedsSettings() bool { return s.Mode.NeedsSettings() || s.HasPeriods() }

// HasPeriods reports whether samples stand for a time that settings say.
func (s Source) HasPeriods() bool {
	return slices.ContainsFunc(s.Values[:], func(w Factor) bool { return w.Period })
}

// NoFacts returns facts of a recording of which nothing is known.
func NoFacts(rec *mmapjfr.Recording) Facts {
	n := len(rec.Chunks())
	return Facts{Settings: make([]Settings, n), Errors: make([]map[string]bool, n)}
}

// ReadFacts reads the facts that kinds need, of chunks of a recording that follow each other. What cannot be read is left
// out; reading the samples returns the errors.
func ReadFacts(ctx context.Context, rec *mmapjfr.Recording, chunks []mmapjfr.Chunk, kinds []Kind) Facts {
	var types []string
	for _, k := range kinds {
		types = append(types, FactTypes[k.Name]...)
		if slices.ContainsFunc(k.Sources, Source.NeedsSettings) {
			types = append(types, SettingEvent)
		}
	}
	f := NoFacts(rec)
	if len(types) == 0 {
		return f
	}
	var all []SettingAt
	memory := natives{last: make(map[int64]allocation), from: math.MaxInt64, to: math.MinInt64}
	var mu sync.Mutex // guards all, memory and f
	EachChunk(ctx, rec, chunks, func(c mmapjfr.Chunk, workers int) {
		readers, errors := make([]factReader, workers), make(map[string]bool)
		_ = engine.SelectionBatches(engine.SelectionWithWorkers(engine.SelectionWithRepeats(c.Select(mmapjfr.Types(types...))), workers), ctx, func(w int, b *mmapjfr.Batch) error {
			readers[w].batch(b)
			return nil
		})
		mu.Lock()
		defer mu.Unlock()
		for i := range readers {
			all = append(all, latest(readers[i].settings)...)
			for _, a := range readers[i].allocations {
				memory.add(a)
			}
			maps.Copy(errors, readers[i].errors)
		}
		f.Errors[c.Number()] = errors
	})
	slices.SortFunc(all, func(a, b SettingAt) int { return cmp.Compare(a.chunk, b.chunk) })
	known := Settings{}
	for _, c := range chunks {
		n := 0
		for n < len(all) && all[n].chunk == c.Number() {
			n++
		}
		known = known.With(all[:n])
		f.Settings[c.Number()], all = known, all[n:]
	}
	f.Leaks = memory.leaks()
	return f
}

// AppendSettings appends those of a batch of settings of a chunk that matter. The list stays short, however many events there are.
func AppendSettings(list []SettingAt, b *mmapjfr.Batch) []SettingAt {
	for i := range engine.BatchLen(b) {
		ev := engine.BatchEvent(b, i)
		if name := ev.Str(PathName); usedSettings[name] {
			list = append(list, SettingAt{engine.BatchChunk(b).Number(), ev.Offset(), settingKey{ev.Int(pathID), name}, settingText(ev.Str(pathValue))})
		}
		if len(list) >= 4*mostSettings {
			list = latest(list)
		}
	}
	return list
}

// batch adds the events of a batch.
func (r *factReader) batch(b *mmapjfr.Batch) {
	switch name := engine.BatchType(b).Name(); name {
	case SettingEvent:
		r.settings = AppendSettings(r.settings, b)
	case errorEvent:
		classes := engine.BatchInts(b, pathThrown)
		for i := range engine.BatchLen(b) {
			if i == 0 || classes == nil || classes[i] != classes[i-1] {
				r.errors = addError(r.errors, engine.BatchValue(b, pathThrown, i))
			}
		}
	default:
		for i := range engine.BatchLen(b) {
			ev := engine.BatchEvent(b, i)
			r.allocations = append(r.allocations, allocation{ev.StartNanos(), ev.Int(PathAddress), ev.Offset(), name == freeEvent})
		}
	}
}

// addError adds the class of an error, if it has a name, to those that are known.
func addError(known map[string]bool, class mmapjfr.Value) map[string]bool {
	name := ClassName(class)
	if name == "" || known[name] {
		return known
	}
	if known == nil {
		known = make(map[string]bool)
	}
	known[name] = true
	return known
}

// ClassName returns the name of a class, of a field that can have it as a text.
func ClassName(v mmapjfr.Value) string { return cmp.Or(v.Class().Name(), v.Str()) }

// Recorded returns the kinds that recordings have samples of, if they have events of the types that has names. It reads settings
// alone, which say whether events of a type are samples of a time; what of them cannot be read is left out.
func Recorded(ctx context.Context, recs []*mmapjfr.Recording, has func(event string) bool) (list []Kind) {
	var bySettings []Kind
	for _, k := range Kinds {
		if slices.ContainsFunc(k.Sources, func(s Source) bool { return s.Mode.NeedsSettings() && has(s.Event) }) {
			bySettings = append(bySettings, k)
		}
	}
	counted := make(map[string]bool) // kinds of whose settings say that there are samples
	for _, rec := range recs {
		if len(bySettings) == 0 {
			break
		}
		known := ReadFacts(ctx, rec, rec.Chunks(), bySettings).Settings
		for _, c := range rec.Chunks() {
			types, _ := c.Types()
			for _, t := range types {
				on := known[c.Number()].Samplers(t.ID())
				for _, k := range bySettings {
					n := k.Position(t.Name())
					counted[k.Name] = counted[k.Name] || n >= 0 && has(t.Name()) && slices.ContainsFunc(StateClasses[:], func(state string) bool {
						return on.Counts(k.Sources[n].Mode, state)
					})
				}
			}
		}
	}
	for _, k := range Kinds {
		if counted[k.Name] || slices.ContainsFunc(k.Sources, func(s Source) bool { return !s.Mode.NeedsSettings() && s.Mode != Lost && has(s.Event) }) {
			list = append(list, k)
		}
	}
	return list
}
