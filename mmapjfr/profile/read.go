package profile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Options say what [Read] reads. The zero Options are for all kinds of all events.
type Options struct {
	// Kinds are the names of the kinds to read; nil for all that the recordings have.
	Kinds []string
	// Events are more kinds, made of events of any type.
	Events []EventKind
	// Filters select events. Where, if it is not nil, must return true for each that counts; it
	// may be called by several goroutines at once.
	Filters []mmapjfr.Filter
	Where   func(mmapjfr.Event) bool
	// Times, if it is not 0, is a length of time: only samples of the same one are added up, and
	// [Sample] has its time. One nanosecond keeps the time of each event. A sample then takes some 100
	// bytes of memory.
	Times time.Duration
	// OnError, if it is not nil, gets what could not be read of a recording. Then Read returns no
	// such errors.
	OnError func(rec *mmapjfr.Recording, err error)
	// Progress, if it is not nil, gets how many bytes have been read since the last call.
	Progress func(bytes uint64)
}

// EventKind is a kind that is made of the events of one type.
type EventKind struct {
	// Type is the full name of the event type.
	Type string
	// Value is the path of a number that events are weighted by; "" to count them alone.
	Value string
}

// ErrKind matches the error of Read if there is no kind of a name.
var ErrKind = errors.New("no such kind of profile")

// Read returns the profile of recordings. It reads them one after the other, with as many
// goroutines as each has workers; the profile does not depend on how many.
func Read(ctx context.Context, recs []*mmapjfr.Recording, o Options) (*Profile, error) {
	o.Times = max(o.Times, 0)
	wanted, err := o.wanted(recs)
	if err != nil {
		return nil, err
	}
	total := New()
	var errs []error
	for _, rec := range recs {
		r := reader{o: &o, kinds: wanted, parts: make([]*Profile, rec.Workers()), settings: settings{}}
		for i := range r.parts {
			r.parts[i] = New()
		}
		if slices.ContainsFunc(wanted, func(k knownKind) bool { return k.Name == "leak" }) {
			r.leaks = leaks(ctx, rec)
		}
		if slices.ContainsFunc(wanted, func(k knownKind) bool { return k.Name == "alloc" }) {
			r.firsts = newFirstSamples(ctx, rec)
		}
		for _, c := range rec.Chunks() {
			err := r.chunk(ctx, c)
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil && o.OnError != nil:
				o.OnError(rec, err)
			default:
				errs = append(errs, err)
			}
			if o.Progress != nil {
				o.Progress(c.Size())
			}
		}
		for _, p := range r.parts {
			if total.isEmpty() {
				total, p = p, total
			}
			total.Merge(p)
		}
		total.AddSpan(rec.Start(), rec.End())
	}
	total.times = o.Times
	total.sort()
	return total, errors.Join(errs...)
}

func (p *Profile) isEmpty() bool { return len(p.rows.list) == 0 }

// wanted returns the kinds to read.
func (o *Options) wanted(recs []*mmapjfr.Recording) (list []knownKind, err error) {
	names := make(map[string]bool)
	for _, name := range o.Kinds {
		if !slices.ContainsFunc(kinds, func(k knownKind) bool { return k.Name == name }) {
			return nil, fmt.Errorf("%w: %q", ErrKind, name)
		}
		names[name] = true
	}
	for _, k := range kinds {
		if names[k.Name] || o.Kinds == nil && len(o.Events) == 0 {
			list = append(list, k)
		}
	}
	for _, e := range o.Events {
		k, err := e.kind(recs)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// kind makes a kind of an event type.
func (e EventKind) kind(recs []*mmapjfr.Recording) (k knownKind, err error) {
	k.Kind = Kind{Name: e.Type, Title: e.Type, Values: []ValueType{{"events", Count}}}
	s := source{event: e.Type, values: [maxValues]weight{one, {}, {}}, thread: pathEventThread}
	if e.Value == "" {
		k.sources = []source{s}
		return k, nil
	}
	path, err := mmapjfr.ParsePath(e.Value)
	if err != nil {
		return k, err
	}
	unit := Count
	for _, rec := range recs {
		t, ok := rec.Type(e.Type)
		if !ok {
			continue
		}
		f, _, err := t.Resolve(path)
		if err != nil {
			return k, err
		}
		switch {
		case f.Unit().IsTimespan():
			unit = Nanoseconds
		case f.Unit() == mmapjfr.Bytes:
			unit = Bytes
		}
		break
	}
	k.Name += ":" + e.Value
	k.Values = append(k.Values, ValueType{e.Value, unit})
	s.values[1] = numbers(e.Value)
	k.sources = []source{s}
	return k, nil
}

// reader reads the chunks of a recording, in order.
type reader struct {
	o        *Options
	kinds    []knownKind
	parts    []*Profile // by worker
	settings settings   // of this chunk, and of those before
	samplers samplers   // by these settings
	leaks    map[uint64]bool
	firsts   firstSamples
}

// sourceID is the kind and the source of a sample, by their positions.
type sourceID struct{ kind, source uint8 }

// chunk adds the samples of a chunk.
func (r *reader) chunk(ctx context.Context, c mmapjfr.Chunk) error {
	sources := make(map[string][]sourceID)
	for i, k := range r.kinds {
		for j, s := range k.sources {
			sources[s.event] = append(sources[s.event], sourceID{uint8(i), uint8(j)})
		}
	}
	for ev, err := range c.Select(mmapjfr.Types(settingEvent)).Events() {
		if err == nil {
			r.settings.add(ev)
		} // the samples have the same error
	}
	names := slices.Collect(maps.Keys(sources))
	workers := make([]counter, len(r.parts))
	for i := range workers {
		workers[i] = newCounter(r, c, sources)
	}
	filters := append(slices.Clone(r.o.Filters), mmapjfr.Types(names...))
	err := c.Select(filters...).Batches(ctx, func(w int, b *mmapjfr.Batch) error {
		workers[w].batch(b)
		return nil
	})
	if ctx.Err() == nil {
		err = errors.Join(err, c.Protect(func() error { r.add(workers); return nil }))
	}
	return err
}

// add adds what workers have counted. The stacks are shared among the workers: each is
// decoded once.
func (r *reader) add(workers []counter) {
	r.samplers = r.settings.samplers()
	counted := r.best(workers)
	traces := make(map[int64]mmapjfr.StackTrace)
	for i := range workers {
		maps.Copy(traces, workers[i].traces)
		for text, n := range workers[i].notes {
			r.parts[i].AddNoteOf(n, text)
		}
	}
	keys := slices.Sorted(maps.Keys(traces)) // those that lie near each other have much in common
	n := len(r.parts)
	parallel.ForEach(n, n, func(_, part int) {
		own := keys[len(keys)*part/n : len(keys)*(part+1)/n]
		d := NewStacks(r.parts[part])
		for _, key := range own {
			d.Add(traces[key])
		}
		if part == 0 {
			d.known[0] = 0
		}
		for i := range workers {
			r.addRows(r.parts[part], &workers[i], counted, d.known)
		}
	})
}

// best returns the sources that count in a chunk, with the time that a sample stands for.
func (r *reader) best(workers []counter) map[sourceID]int64 {
	types := make(map[sourceID]mmapjfr.Type)
	for i := range workers {
		w := &workers[i]
		for _, key := range w.rows.list {
			if r.samplers.counts(r.kinds[key.src.kind].sources[key.src.source].mode, w.labels.list[key.labels].State) {
				types[key.src] = w.types[key.src]
			}
		}
	}
	counted := make(map[sourceID]int64)
	for id, t := range types {
		k := &r.kinds[id.kind]
		s := k.sources[id.source]
		better := slices.IndexFunc(k.sources, func(o source) bool {
			_, ok := types[sourceID{id.kind, uint8(slices.IndexFunc(k.sources, func(x source) bool { return x.event == o.event }))}]
			return ok && o.rank < s.rank
		})
		if better >= 0 {
			r.parts[0].AddNote(fmt.Sprintf("%s: %s is left out of chunks with %s, which measures the same", k.Name, s.event, k.sources[better].event))
			continue
		}
		ns, known := int64(0), true
		if slices.ContainsFunc(s.values[:], func(w weight) bool { return w.period }) {
			ns, known = r.settings.period(t, k.Name)
		}
		if !known {
			r.parts[0].AddNote(fmt.Sprintf("%s: nothing says what time a %s stands for; it is taken for %d ms", k.Name, s.event, ns/1e6))
		}
		counted[id] = ns
	}
	return counted
}

// addRows adds the rows of a worker whose stacks are given to a profile.
func (r *reader) addRows(p *Profile, w *counter, counted map[sourceID]int64, stacks map[int64]StackID) {
	labels := make(map[uint32]LabelsID)
	for i, key := range w.rows.list {
		stack, ok := stacks[key.stack]
		period, counts := counted[key.src]
		if !ok || !counts {
			continue
		}
		k := &r.kinds[key.src.kind]
		s := &k.sources[key.src.source]
		l := w.labels.list[key.labels]
		if !r.samplers.counts(s.mode, l.State) {
			continue
		}
		if s.asFrames {
			stack = p.Push(p.Push(stack, p.AddText(l.State)), p.AddText(l.Class))
			l = Labels{}
		}
		id, ok := labels[key.labels]
		if !ok || s.asFrames {
			id = p.AddLabels(l)
			labels[key.labels] = id
		}
		values := w.values[i]
		for j := range k.Values {
			if s.values[j].period {
				values[j] *= period
			}
		}
		p.AddKind(k.Kind)
		p.add(rowKey{p.kinds.id(k.Name), stack, id, key.at}, values[:len(k.Values)])
	}
}
