package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Options say what [Read] reads. The zero Options are for all kinds of all events.
type Options struct {
	// Kinds are the names of the kinds to read; nil for all that the recordings have.
	Kinds []string
	// Events are more kinds, made of events of any type.
	Events []EventKind
	// Grafana reads the kinds of Grafana's parser, such as process_cpu, in the place of all others.
	Grafana bool
	// Filters select events. Where, if it is not nil, must return true for each that counts; it
	// may be called by several goroutines at once.
	Filters []mmapjfr.Filter
	Where   func(mmapjfr.Event) bool
	// Range has the chunks that are read of each recording; the zero ChunkRange has all. Others are an error unless the
	// options are [Options.Divisible].
	Range mmapjfr.ChunkRange
	// BytecodeIndex keeps apart what a method did at different indexes of its bytecode, in the place of
	// lines: [Frame] has them.
	BytecodeIndex bool
	// Times, if it is not 0, is a length of time: only samples of the same one are added up, and
	// [Sample] has its time. One nanosecond keeps the time of each event. A sample then takes some 100
	// bytes of memory.
	Times time.Duration
	// Paths gives events without a class the file that they are of as a class, or the host and port.
	// Samples are then apart by it, which can be as many as there are events.
	Paths bool
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
	// Value is the path of an amount that events are weighted by, a whole number that can be added
	// up; "" to count them alone.
	Value string
}

// ErrKind matches the error of Read if there is no kind of a name.
var ErrKind = errors.New("no such kind of profile")

// ErrNoAmount matches the error of Read if the Value of an [EventKind] cannot be added up.
var ErrNoAmount = errors.New("it cannot be added up")

// Read returns the profile of recordings. It reads them one after the other, with as many
// goroutines as each has workers; the profile does not depend on how many.
func Read(ctx context.Context, recs []*mmapjfr.Recording, o Options) (*Profile, error) {
	o.Times = max(o.Times, 0)
	wanted, err := o.wanted(recs)
	if err == nil && o.Range != (mmapjfr.ChunkRange{}) {
		err = divisible(wanted)
	}
	if err != nil {
		return nil, err
	}
	read := newRuns()
	var errs []error
	for _, rec := range recs {
		r := newReader(ctx, rec, &o, wanted, read)
		list := append(r.read(ctx), engine.RecordingTrailingErr(rec)) // that of no chunk
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, err := range list {
			if err != nil && o.OnError != nil {
				o.OnError(rec, err)
			} else {
				errs = append(errs, err)
			}
		}
	}
	total := read.merged()
	total.times = o.Times
	for _, rec := range recs {
		total.AddSpan(rec.Start(), rec.End())
	}
	return total, errors.Join(errs...)
}

// wanted returns the kinds to read.
func (o *Options) wanted(recs []*mmapjfr.Recording) (list []weigh.Kind, err error) {
	if o.Grafana {
		return weigh.GrafanaKinds, nil
	}
	names := make(map[string]bool)
	for _, name := range o.Kinds {
		if !slices.ContainsFunc(weigh.Kinds, func(k weigh.Kind) bool { return k.Name == name }) {
			return nil, fmt.Errorf("%w: %q", ErrKind, name)
		}
		names[name] = true
	}
	for _, k := range weigh.Kinds {
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

// Divisible reports whether the profiles of ranges of a recording, each read with its Range, add up to that of the whole. So do
// those of all kinds, and of events of any type, whose samples depend on no chunk but their own: native, live, lock, park,
// nativelock, malloc, exceptions, io, trace and gc. Samples of cpu, running and wall depend on settings of earlier chunks, those of
// alloc on what threads allocated before, and those of leak on what is freed later. It is false where Kinds has a name that Read does not know.
func (o *Options) Divisible() bool {
	wanted, err := o.wanted(nil)
	return err == nil && divisible(wanted) == nil
}

// divisible returns an error if samples of some kinds depend on other chunks than their own.
func divisible(kinds []weigh.Kind) error {
	for _, k := range kinds {
		why := ""
		for _, s := range k.Sources {
			switch {
			case s.NeedsSettings():
				why = "settings of earlier chunks say what its samples weigh"
			case s.SinceLast:
				why = "samples can weigh what threads allocated in earlier chunks"
			case s.Mode == weigh.Leaked:
				why = "memory can be freed in later chunks"
			}
		}
		if why != "" {
			return fmt.Errorf("a range of a recording has no profile of kind %s: %s; read the whole recording", k.Name, why)
		}
	}
	return nil
}

// kind makes a kind of an event type.
func (e EventKind) kind(recs []*mmapjfr.Recording) (k weigh.Kind, err error) {
	s := weigh.Source{Values: [maxValues]weigh.Factor{weigh.One, {}, {}}, Thread: weigh.PathEventThread}
	for _, rec := range recs {
		if t, ok := rec.Type(e.Type); ok {
			e.Type = t.Name()
			if _, _, err := t.Resolve(weigh.PathSampled); err == nil {
				s.Thread = weigh.PathSampled
			}
		}
	}
	s.Event = e.Type
	k = weigh.Kind{Name: e.Type, Title: e.Type, Values: []weigh.Value{{Name: "events", Unit: weigh.Count}}, Sources: []weigh.Source{s}}
	if e.Value == "" {
		return k, nil
	}
	path, err := mmapjfr.ParsePath(e.Value)
	if err != nil {
		return k, err
	}
	unit := weigh.Count
	for _, rec := range recs {
		t, ok := rec.Type(e.Type)
		if !ok {
			continue
		}
		switch f, one, err := t.Resolve(path); {
		case err != nil:
			return k, err
		case !one || !isAmount(f):
			return k, fmt.Errorf("%w; the fields of %s that are amounts: %s", ErrNoAmount, t.Name(), amountsOf(t))
		case f.Unit().IsTimespan():
			unit = weigh.Nanoseconds
		case f.Unit() == mmapjfr.Bytes:
			unit = weigh.Bytes
		}
		break
	}
	k.Name += ":" + e.Value
	k.Values = append(k.Values, weigh.Value{Name: e.Value, Unit: unit})
	k.Sources[0].Values[1] = weigh.Numbers(e.Value)
	return k, nil
}

// isAmount reports whether a field has whole numbers that can be added up. Times of day, shares and
// addresses are numbers that cannot.
func isAmount(f mmapjfr.Field) bool {
	switch f.Unit() {
	case mmapjfr.TimestampTicks, mmapjfr.TimestampMillis, mmapjfr.Percentage, mmapjfr.Hertz, mmapjfr.Address:
		return false
	}
	return slices.Contains([]string{"long", "int", "short", "byte"}, engine.TypeUnwrapped(f.Type()).Name()) && !f.IsConstant() && !f.IsArray()
}

// amountsOf names the fields of a type that are amounts.
func amountsOf(t mmapjfr.Type) string {
	var names []string
	for _, f := range t.Fields() {
		if isAmount(f) {
			names = append(names, f.Name())
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// reader reads the chunks of a recording.
type reader struct {
	o       *Options
	rec     *mmapjfr.Recording
	kinds   []weigh.Kind
	sources map[string][]sourceID // by event type
	filters []mmapjfr.Filter
	facts   weigh.Facts
	place   *mmapjfr.FieldPath // of frames
	to      *runs
	stacks  chan *stacks // that nobody uses: a sync.Pool would keep them when the reader has ended
	// settled, if samples are read together with settings, has a channel for each chunk, which is closed
	// when the settings of the chunk are known.
	settled []chan struct{}
	chunks  []mmapjfr.Chunk // that are read
}

// sourceID is the kind and the source of a sample, by their positions.
type sourceID struct{ kind, source uint8 }

// sourceNote is a note about samples of a source, for when they count.
type sourceNote struct {
	of   sourceID
	text string
}

// newReader returns a reader that adds to runs.
func newReader(ctx context.Context, rec *mmapjfr.Recording, o *Options, kinds []weigh.Kind, to *runs) *reader {
	r := &reader{o: o, rec: rec, to: to, kinds: kinds, sources: make(map[string][]sourceID), place: pathLine}
	r.stacks = make(chan *stacks, weigh.ManyChunks*engine.RecordingWorkers(rec)) // room for all that there can be
	if o.BytecodeIndex {
		r.place = pathIndex
	}
	for i, k := range kinds {
		for j, s := range k.Sources {
			r.sources[s.Event] = append(r.sources[s.Event], sourceID{uint8(i), uint8(j)})
		}
	}
	r.chunks = slices.DeleteFunc(rec.Chunks(), func(c mmapjfr.Chunk) bool { return !o.Range.Has(c) })
	types := slices.Collect(maps.Keys(r.sources))
	if r.needsFactsFirst() {
		r.facts = weigh.ReadFacts(ctx, rec, r.chunks, kinds)
	} else {
		types = append(types, weigh.SettingEvent)
		r.facts = weigh.NoFacts(rec)
		r.settled = make([]chan struct{}, len(rec.Chunks()))
		for i := range r.settled {
			r.settled[i] = make(chan struct{})
		}
	}
	if slices.ContainsFunc(kinds, weigh.Kind.IsAllocation) {
		r.facts.Heavy = weigh.ReadHeavy(ctx, rec)
	}
	r.filters = append(slices.Clone(o.Filters), mmapjfr.Types(types...))
	return r
}

// needsFactsFirst reports whether samples cannot be counted without the facts. Otherwise it is enough to
// know the settings once the samples of a chunk are counted, and nothing is read twice. Filters would
// leave out settings, too, and so do chunks that repeat others.
func (r *reader) needsFactsFirst() bool {
	return len(r.o.Filters) > 0 || slices.ContainsFunc(r.chunks, isRepeat) || r.o.Times != 0 ||
		slices.ContainsFunc(r.kinds, func(k weigh.Kind) bool { return weigh.FactTypes[k.Name] != nil })
}

func isRepeat(c mmapjfr.Chunk) bool {
	_, repeats := engine.ChunkRepeats(c)
	return repeats
}

// settle says which settings events of a chunk have. Those of the chunk before may not be known yet: it
// is being read then, since workers take chunks in their order.
func (r *reader) settle(ctx context.Context, c mmapjfr.Chunk, counters []counter) {
	if r.settled == nil {
		return
	}
	n, known := c.Number(), weigh.Settings{}
	defer close(r.settled[n])
	if n > r.chunks[0].Number() {
		select {
		case <-r.settled[n-1]:
			known = r.facts.Settings[n-1]
		case <-ctx.Done():
		}
	}
	var own []weigh.SettingAt
	for i := range counters {
		own = append(own, counters[i].found...)
	}
	r.facts.Settings[n] = known.With(own)
}

// read reads all chunks and returns their errors.
func (r *reader) read(ctx context.Context) []error {
	errs := make([]error, len(r.rec.Chunks()))
	var progress sync.Mutex
	weigh.EachChunk(ctx, r.rec, r.chunks, func(c mmapjfr.Chunk, workers int) {
		errs[c.Number()] = r.chunk(ctx, c, workers)
		if r.o.Progress != nil {
			progress.Lock()
			defer progress.Unlock()
			r.o.Progress(c.Size())
		}
	})
	return errs
}

// chunk adds the samples of a chunk.
func (r *reader) chunk(ctx context.Context, c mmapjfr.Chunk, workers int) error {
	counters := make([]counter, workers)
	for i := range counters {
		counters[i] = newCounter(r, c)
	}
	err := r.count(ctx, c, counters)
	if ctx.Err() == nil {
		err = errors.Join(err, c.Protect(func() error { r.add(c, counters); return nil }))
	}
	return err
}

// count counts the samples of a chunk, with a worker for each counter.
func (r *reader) count(ctx context.Context, c mmapjfr.Chunk, counters []counter) error {
	defer r.settle(ctx, c, counters)
	return engine.SelectionBatches(engine.SelectionWithWorkers(c.Select(r.filters...), len(counters)), ctx, func(w int, b *mmapjfr.Batch) error {
		counters[w].batch(b)
		return nil
	})
}

// add adds what the counters of a chunk have counted. Each stack is decoded once, and some thousand of
// them at a time become a profile, whose tables fit into caches.
func (r *reader) add(c mmapjfr.Chunk, counters []counter) {
	facts := New()
	x := chunkRows{r: r, c: c, counters: counters}
	x.assign(facts)
	for i := range counters {
		for note, n := range counters[i].notes {
			if x.targets[note.of.kind][note.of.source] != nil {
				facts.addNoteOf(n, r.kinds[note.of.kind].Name+": "+note.text)
			}
		}
	}
	r.to.add(facts)
	x.divide()
	stacks := make([]*stacks, len(counters))
	parallel.ForEach(len(counters), len(x.blocks), func(worker, block int) {
		if stacks[worker] == nil {
			select {
			case stacks[worker] = <-r.stacks:
			default:
				stacks[worker] = newStacks(&r.to.table, r.place)
			}
			stacks[worker].reset(c)
		}
		x.add(stacks[worker], block)
	})
	for _, d := range stacks {
		if d != nil {
			r.stacks <- d
		}
	}
}
