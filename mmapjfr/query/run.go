package query

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Run answers a statement, in the language of docs/QUERY.md, about recordings:
//
//	result, err := query.Run(ctx, []*mmapjfr.Recording{rec}, "select name, count(*) from GarbageCollection group by name")
//
// Points in time without a zone are in that of the first recording. If parts of the recordings cannot be
// read, Run returns the answer of all others together with the error; otherwise an error comes without a
// result, and is an [*Error] if the statement is wrong. Rows that are events are decoded when you read
// them: keep the recordings open until then.
func Run(ctx context.Context, recs []*mmapjfr.Recording, text string) (*Result, error) {
	if len(recs) == 0 {
		return nil, errors.New("no recordings to query")
	}
	var o Options
	o.Zone = engine.RecordingLocation(recs[0])
	span := timeOf(recs)
	o.Start, o.End = time.Unix(0, span.from).UTC(), time.Unix(0, span.to).UTC()
	statement, err := Parse(text, o)
	if err != nil {
		return nil, err
	}
	types, unread := mmapjfr.EventTypes(recs)
	plan, err := statement.Plan(types, o)
	switch {
	case errors.Is(unread, mmapjfr.ErrClosed):
		return nil, unread
	case err != nil:
		return nil, errors.Join(err, unread)
	}
	found, err := Read(ctx, recs, []*Plan{plan}, ReadOptions{})
	if found == nil {
		return nil, err
	}
	return found[0].Result(), err
}

// Partial is what a plan has found in some events. Partial results of the same plan are merged in any
// order to the same result. It is not safe for concurrent use.
type Partial struct {
	plan    *Plan
	groups  *partial // nil if rows are events
	rows    *rows
	flush   int32          // of events that are added one by one
	weights *weigh.Weights // of these
	heavy   weigh.Heavy    // how many samples count less than they weigh
	err     error          // it is not complete
}

// NewPartial returns what the plan finds in no events.
func (p *Plan) NewPartial() *Partial {
	if p.grouped {
		return &Partial{plan: p, groups: newPartial(p)}
	}
	first := rowSlice{from: math.MinInt64, until: math.MaxInt64}
	return &Partial{plan: p, rows: &rows{plan: p, values: values{byID: p.o.JDK}, rowSlice: first}}
}

// newPartialOf returns a partial result of recordings, which can be read again.
func newPartialOf(p *Plan) *Partial {
	r := p.NewPartial()
	if r.rows != nil {
		if r.rows.most = maxSlice; p.o.JDK && p.st.limit >= 0 {
			r.rows.most = maxSlice / 5 // all are read again for widths if they are more
		}
	}
	return r
}

// Merge adds what another partial result has found, which must not be used afterwards. It is one of the same plan,
// or of another plan of the same statement, with other event types: then groups and values are joined by name, and
// values become those of the kinds that they have here. The plan should know all event types of the other. If the
// statement means something else there, [Partial.Err] returns an error that matches [ErrPartial].
func (r *Partial) Merge(o *Partial) {
	switch {
	case r.err != nil:
		return
	case r.groups != nil && o.plan != r.plan && o.plan.signature() != r.plan.signature():
		if r.err = r.mergeNamed(o); r.err != nil {
			return
		}
	case r.groups != nil:
		r.groups.mergeAll(o.groups)
	default:
		r.rows.merge(o.rows)
	}
	r.err = cmp.Or(r.err, o.err)
	r.heavy.Add(o.heavy)
	r.check()
}

// Types returns a filter of the event types that the plans read.
func Types(plans ...*Plan) mmapjfr.Filter {
	names := make(map[string]bool)
	for _, p := range plans {
		for _, s := range p.sources {
			maps.Copy(names, s.types)
		}
	}
	return mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return names[t.Name()] })
}

// Reads reports whether the plan reads events of a type, be it to join others with them.
func (p *Plan) Reads(t mmapjfr.Type) bool {
	return p.reads(t) || slices.ContainsFunc(p.joins, func(j planJoin) bool { return j.types[t.Name()] })
}

// ShowsNone reports whether the statement limits the number of rows to none.
func (p *Plan) ShowsNone() bool { return p.st.limit == 0 }

// AddsUp reports whether the plan counts events, or adds up values of them.
func (p *Plan) AddsUp() bool {
	return slices.ContainsFunc(p.aggs, func(a aggregate) bool {
		return a.kind == count || a.kind == countPresent || a.kind == sum || a.kind == rate
	})
}

func (p *Plan) reads(t mmapjfr.Type) bool {
	for i := range p.sources {
		if p.sources[i].types[t.Name()] {
			return true
		}
	}
	return false
}

// ReadOptions say which events are read, besides those that statements ask for.
type ReadOptions struct {
	// Filters select events. Where, if it is not nil, must return true for each that counts; it
	// may be called by several goroutines at once.
	Filters []mmapjfr.Filter
	Where   func(mmapjfr.Event) bool
	// Range has the chunks that are read of each recording; the zero ChunkRange has all. The statement must be
	// [Statement.IsDivisible], and its rows groups.
	Range mmapjfr.ChunkRange
	// From and To are the bounds of the time that rates are taken over; zero times are those of the recordings.
	From, To time.Time
	// OnError, if it is not nil, gets what could not be read of a recording. Then Read returns no
	// such errors.
	OnError func(rec *mmapjfr.Recording, err error)
	// Progress, if it is not nil, gets how many bytes have been begun since the last call.
	Progress func(bytes uint64)
}

// filters returns those of the events that plans can read.
func (o *ReadOptions) filters(plans ...*Plan) []mmapjfr.Filter {
	list := append(slices.Clone(o.Filters), Types(plans...))
	if from, to, ok := timesOf(plans); ok {
		list = append(list, mmapjfr.Between(from, to))
	}
	if names := threadsOf(plans); names != nil {
		list = append(list, mmapjfr.ThreadsFunc(func(t mmapjfr.Thread) bool {
			return slices.Contains(names, t.JavaName()) || slices.Contains(names, t.OSName())
		}))
	}
	return list
}

// Read reads the events of recordings for several plans at once, and returns what each plan finds. It
// reads the recordings one after the other, each on as many goroutines as it has workers; the
// results do not depend on how many. Statements that join events read those first and keep them. The
// rows of statements that do not group events are read when they are asked for: all of them without an order, and
// otherwise those that are not among the first 40,960; of a prepared view with LIMIT all, if they are more than 8,192.
//
// With errors about what cannot be read, see [mmapjfr.Selection.Parallel], Read returns what has been
// found in all that can. It stops with an error that matches [ErrTooMuch] if a statement would keep too much,
// and with the cause of the context when that is cancelled, without results.
func Read(ctx context.Context, recs []*mmapjfr.Recording, plans []*Plan, o ReadOptions) ([]*Partial, error) {
	results := make([]*Partial, len(plans))
	var read []*Plan
	var at []int
	for i, p := range plans {
		results[i] = newPartialOf(p)
		if !p.isStreamed() {
			read, at = append(read, p), append(at, i)
		} else if err := results[i].rows.stream(ctx, recs, &o); err != nil {
			return nil, err
		}
	}
	if len(read) == 0 {
		return results, nil
	}
	var errs error
	for _, rec := range recs {
		found, err := readOne(ctx, rec, read, &o)
		for i, r := range found {
			results[at[i]].Merge(r)
			err = cmp.Or(results[at[i]].err, err)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, ErrTooMuch) {
			return results, err
		}
		if err != nil && o.OnError != nil {
			o.OnError(rec, err)
			err = nil
		}
		errs = errors.Join(errs, err)
	}
	for _, r := range results {
		if r.groups != nil {
			r.groups.setSpan(recs, o.From, o.To)
		}
	}
	return results, errs
}

// readOne reads a recording.
func readOne(ctx context.Context, rec *mmapjfr.Recording, plans []*Plan, o *ReadOptions) ([]*Partial, error) {
	var damage error
	shared := newShared(o, plans...)
	for i, p := range plans {
		joins, err := p.readJoins(ctx, rec)
		if errors.Is(err, ErrTooMuch) || ctx.Err() != nil {
			return nil, err
		}
		shared.joins[i], damage = joins, errors.Join(damage, err)
	}
	shared.weights = weightsOf(ctx, rec, plans...)
	results, err := shared.read(ctx, rec, plans, func(p *Plan) *Partial {
		r := newPartialOf(p)
		if p.grouped {
			r.groups.setJVM(p.jvmOf(rec))
		}
		return r
	})
	for i, r := range results {
		r.heavy = shared.weights.Heavy(plans[i].weights())
		if r.rows != nil {
			r.rows.streamed = &streamed{ctx, []*mmapjfr.Recording{rec}, *o, []rowJoins{{joins: shared.joins[i], weights: shared.weights}}}
		}
	}
	return results, joinDamage(damage, err)
}

// joinDamage adds to the damage of a recording what reading it for joins has found besides.
func joinDamage(ofJoins, damage error) error {
	if ofJoins == nil {
		return damage
	}
	known := errtree.Each(damage)
	for _, err := range errtree.Each(ofJoins) {
		if !slices.ContainsFunc(known, func(o error) bool { return isSameDamage(o, err) }) {
			damage = errors.Join(damage, err)
		}
	}
	return damage
}

// isSameDamage reports whether two errors are about the same place, or leave out the same number of others.
func isSameDamage(a, b error) bool {
	x, isFormat := errors.AsType[*mmapjfr.FormatError](a)
	y, isAlso := errors.AsType[*mmapjfr.FormatError](b)
	if isFormat && isAlso {
		return x.Chunk == y.Chunk && x.Offset == y.Offset && x.Section == y.Section
	}
	more, isMore := errors.AsType[*mmapjfr.OmittedErrors](a)
	also, isAlso := errors.AsType[*mmapjfr.OmittedErrors](b)
	return errors.Is(a, b) || isMore && isAlso && *more == *also
}

// read reads a recording on all workers. Rows that are events are kept by each worker and merged at the end;
// groups are those of a chunk, and are merged into one partial result for all workers when the chunk ends.
func (s *shared) read(ctx context.Context, rec *mmapjfr.Recording, plans []*Plan, newPartial func(*Plan) *Partial) ([]*Partial, error) {
	workers := make([]worker, max(engine.RecordingWorkers(rec), 1))
	for i := range workers {
		workers[i].shared = s
		for j, p := range plans {
			if i > 0 && p.grouped {
				workers[i].results = append(workers[i].results, workers[0].results[j])
				continue
			}
			workers[i].results = append(workers[i].results, newPartial(p))
		}
	}
	err := engine.SelectionBatches(engine.RecordingSelectIn(rec, s.o.Range, s.o.filters(plans...)...), ctx, func(w int, b *mmapjfr.Batch) error {
		return workers[w].add(b)
	})
	results := workers[0].results
	for i := range workers {
		err = cmp.Or(err, workers[i].flush())
		for j, r := range workers[i].results {
			if r != results[j] {
				results[j].Merge(r)
			}
		}
	}
	return results, err
}

// shared is what the workers of a recording share.
type shared struct {
	o       *ReadOptions
	joins   [][]*joined           // by plan
	readers map[string][]sourceOf // by type
	weights *weigh.Weights
	asJDK   bool // the order of events is that of the JDK's views

	mu     sync.Mutex
	chunks map[int]bool // that have been begun

	merging []sync.Mutex // by plan: held while groups of a chunk are merged
}

// sourceOf is a source of one of the plans.
type sourceOf struct{ plan, source int }

func newShared(o *ReadOptions, plans ...*Plan) *shared {
	readers := make(map[string][]sourceOf)
	for i, p := range plans {
		for j := range p.sources {
			for name := range p.sources[j].types {
				readers[name] = append(readers[name], sourceOf{i, j})
			}
		}
	}
	return &shared{
		readers: readers,
		o:       o, joins: make([][]*joined, len(plans)), chunks: make(map[int]bool), merging: make([]sync.Mutex, len(plans)),
		asJDK: slices.ContainsFunc(plans, func(p *Plan) bool { return p.o.JDK }),
	}
}

// begin reports a chunk as progress, when the first worker begins it.
func (s *shared) begin(c mmapjfr.Chunk) {
	if s.o.Progress == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.chunks[c.Number()] {
		s.chunks[c.Number()] = true
		s.o.Progress(c.Size())
	}
}

// mergedAfter is after how many events of a chunk a worker merges its groups, and forgets what it knows of the
// constants of the chunk: a large chunk takes as much memory as a few small ones.
var mergedAfter = 1 << 19

// worker is what one goroutine has read.
type worker struct {
	*shared
	results []*Partial // by plan
	chunk   mmapjfr.Chunk
	open    bool                             // there is a chunk
	events  int                              // that have been read of it since groups were merged
	flushes []uint64                         // where flushes of the chunk end
	bound   map[mmapjfr.Type][]*sourceReader // of the chunk
	feed    feed
	groups  []uint32
	key     []int64
}

// sourceReader reads the events of a type of a chunk for a source of a plan.
type sourceReader struct {
	binding
	number  int // of the plan
	result  *Partial
	readers []reader
	groups  *partial // of this chunk; nil if rows are events
	rows    []int
}

// add reads a batch.
func (w *worker) add(b *mmapjfr.Batch) error {
	if w.events += engine.BatchLen(b); !w.open || engine.BatchChunk(b) != w.chunk || w.events > mergedAfter {
		if err := w.flush(); err != nil {
			return err
		}
		w.chunk, w.open, w.bound, w.events = engine.BatchChunk(b), true, make(map[mmapjfr.Type][]*sourceReader), engine.BatchLen(b)
		if w.flushes = nil; w.asJDK {
			w.flushes = engine.ChunkIndex(w.chunk).Flushes()
		}
		w.begin(w.chunk)
	}
	list, ok := w.bound[engine.BatchType(b)]
	if !ok {
		list = w.bind(engine.BatchType(b))
		w.bound[engine.BatchType(b)] = list
	}
	if len(list) == 0 {
		return nil
	}
	w.setMoments(b)
	for _, s := range list {
		if w.read(b, s); s.groups != nil {
			if err := s.groups.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *worker) bind(t mmapjfr.Type) (list []*sourceReader) {
	for _, at := range w.readers[t.Name()] {
		if s := w.sourceReader(at.plan, t, at.source); s != nil {
			list = append(list, s)
		}
	}
	return list
}

func (w *worker) sourceReader(plan int, t mmapjfr.Type, source int) *sourceReader {
	r := w.results[plan]
	s := &sourceReader{binding: binding{plan: r.plan, chunk: w.chunk, typ: t, source: source, joins: w.joins[plan], weights: w.weights}, number: plan, result: r}
	if r.groups != nil {
		s.groups = newPartial(r.plan)
		s.values = &s.groups.values
	} else {
		s.values = &values{byID: r.plan.o.JDK}
	}
	for i := range r.plan.inputs {
		var of reader
		if r.plan.readsInput(i) {
			of = s.reader(&r.plan.inputs[i])
		}
		s.readers = append(s.readers, of)
	}
	return s
}

// readsInput reports whether an input is read from batches: that of rows that are events is not, unless
// they are ordered by it.
func (p *Plan) readsInput(input int) bool {
	if p.grouped {
		return true
	}
	for _, o := range p.order {
		if n := p.outputs[o.output].node; n.index == input {
			return true
		}
	}
	return false
}

// setMoments sets when the events of a batch came.
func (w *worker) setMoments(b *mmapjfr.Batch) {
	n := engine.BatchLen(b)
	w.feed.moments = grown(w.feed.moments, n)
	chunk := w.chunk.Start().UnixNano()
	starts, lengths := engine.BatchInts(b, pathStart), engine.BatchInts(b, pathDuration)
	flush, base := 0, w.chunk.Offset()
	for i := range n {
		m := moment{chunk: chunk, offset: engine.BatchEvent(b, i).Offset()}
		if i == 0 || m.offset < w.feed.moments[i-1].offset {
			flush = sort.Search(len(w.flushes), func(j int) bool { return w.flushes[j] > m.offset-base })
		}
		for flush < len(w.flushes) && w.flushes[flush] <= m.offset-base {
			flush++
		}
		m.flush = int32(flush)
		if starts != nil {
			m.end = starts[i]
		}
		if lengths != nil {
			m.end += lengths[i]
		}
		w.feed.moments[i] = m
	}
}

// read reads the events of a batch that a source takes.
func (w *worker) read(b *mmapjfr.Batch, s *sourceReader) {
	s.rows = s.rows[:0]
	condition := s.plan.sources[s.source].where
	for i := range engine.BatchLen(b) {
		if w.o.Where == nil || w.o.Where(engine.BatchEvent(b, i)) {
			s.rows = append(s.rows, i)
		}
	}
	if condition != nil {
		s.rows = condition.MatchBatch(b, s.rows)
	}
	if len(s.joins) > 0 {
		s.join(b)
	}
	f := &w.feed
	if f.n = len(s.rows); f.n == 0 {
		return
	}
	f.readers = s.readers
	for len(f.columns) < len(s.readers) {
		f.columns = append(f.columns, nil)
	}
	for i, r := range s.readers {
		f.columns[i] = grown(f.columns[i], max(f.n, mmapjfr.BatchLen))[:f.n]
		if r != nil {
			r.read(b, s.rows, f.columns[i])
			continue
		}
		for j := range f.columns[i] {
			f.columns[i][j] = nullRaw
		}
	}
	if f.n < engine.BatchLen(b) {
		for i, row := range s.rows {
			f.moments[i] = f.moments[row]
		}
		defer w.setMoments(b) // for the next source
	}
	for i := range f.moments[:f.n] {
		f.moments[i].source = int32(s.source)
	}
	s.plan.setTimes(f.moments[:f.n], s.chunk)
	if s.groups == nil {
		s.result.rows.add(b, s, f)
		return
	}
	w.groups, w.key = grown(w.groups, mmapjfr.BatchLen), grown(w.key, len(s.plan.keys))
	s.groups.add(f, w.groups, w.key[:len(s.plan.keys)])
}

// flush adds what has been read of a chunk to the results. It returns an error if they keep too much.
func (w *worker) flush() error {
	for _, list := range w.bound {
		for _, s := range list {
			if s.groups == nil {
				continue
			}
			if err := w.merge(s); err != nil {
				return err
			}
		}
	}
	w.open, w.bound = false, nil
	return nil
}

// merge adds what a source has read of a chunk to the result that all workers share.
func (w *worker) merge(s *sourceReader) error {
	w.merging[s.number].Lock()
	defer w.merging[s.number].Unlock()
	s.flush()
	s.groups, s.readers = nil, nil
	s.result.check()
	return s.result.err
}

func (s *sourceReader) flush() {
	same := make([]bool, len(s.readers))
	for i, r := range s.readers {
		kind := s.plan.inputs[i].shape.kind
		same[i] = r == nil || kind.isNumeric() && r.kind() == kind
	}
	s.result.groups.merge(s.groups, same, s.value)
}

// value returns the value of a raw one of an input, as one of the kind that the input has in all
// types.
func (s *sourceReader) value(in int, raw int64) Value {
	of := &s.plan.inputs[in]
	if of.reader != nil {
		return s.readers[in].value(raw)
	}
	return s.readers[in].value(raw).in(of.shape.kind, s.shapeOf(of), s.plan)
}

// shapeOf returns the shape of an input that is a field in the type.
func (b *binding) shapeOf(in *input) shape {
	if in.node.op != opField || in.fields[in.node.index].join >= 0 {
		return in.shape
	}
	s, _, err := in.fields[in.node.index].path.resolve(b.typ, b.plan.o.isJava())
	if err != nil {
		return in.shape
	}
	return s
}

// zone returns the zone of times of day.
func (p *Plan) zone() *time.Location { return cmp.Or(p.o.Zone, time.UTC) }
