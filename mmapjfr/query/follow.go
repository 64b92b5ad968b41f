package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// Window is the answer to a statement for a length of time of a stream.
type Window struct {
	// From and To are the flushes of the stream that begin and end it, on the clock of the
	// recording. The last window of a stream can be shorter than the others.
	From, To time.Time
	Result   *Result
}

// Follow answers the statement for one length of time of a stream after the other: for the events between
// the first flush after that time has passed and the one before. It starts the stream, and returns when
// that ends or the context does, after it has answered for the rest. Answer is called by one goroutine;
// its error ends Follow, and rows are valid until it returns. So does [ErrTooMuch].
//
// The statement is planned when its event types appear, and again when types change. Follow returns the
// error of the plan if they never do.
//
// An event is joined with events that were flushed by the end of its window: those of this window, of
// the one before, and the last one before these. If it finds none, it waits for those of the next
// window, and counts there. With ASOF it does not wait.
func (s *Statement) Follow(ctx context.Context, from *stream.Stream, every time.Duration, o Options, answer func(w Window) error) error {
	if s.keepsEvents() {
		if err := from.SetReuse(false); err != nil {
			return err
		}
	}
	f := &follower{st: s, o: o, every: every, answer: answer, close: from.Close, weights: weigh.NewWeights()}
	from.OnMetadata(func(m stream.Metadata) error { f.types(m.Types); return nil })
	from.OnEvent(func(ev mmapjfr.Event) error {
		if f.begin.IsZero() {
			f.begin = ev.Start()
		}
		f.add(ev)
		return nil
	})
	from.OnFlush(func() error { f.flushed(from.LastFlush()); return nil })
	err := from.Start(ctx)
	if at := from.LastFlush(); at.After(f.last) {
		f.last = at // the context ended before handlers of the flush were called
	}
	f.end()
	return cmp.Or(f.err, err, f.wrong)
}

// keepsEvents reports whether events are read again at the end of their window: rows that are events, and
// events that are joined.
func (s *Statement) keepsEvents() bool { return len(s.joins) > 0 || !s.IsGrouped() }

// follower answers a statement for one length of time after the other.
type follower struct {
	st     *Statement
	o      Options
	every  time.Duration
	answer func(w Window) error

	close func() error // ends the stream

	plan  *Plan // nil as long as the stream has no event types of the statement
	wrong error // why there is no plan
	found *Partial
	joins windowJoins
	begin time.Time // of the window
	last  time.Time // the last flush
	err   error     // has ended the stream

	weights *weigh.Weights
}

// fail ends the stream with an error. Handlers cannot: it goes on after their errors.
func (f *follower) fail(err error) {
	if err != nil && f.err == nil {
		f.err = err
		_ = f.close() // cannot fail once the stream runs
	}
}

// add adds an event to the window.
func (f *follower) add(e mmapjfr.Event) {
	switch {
	case f.found == nil:
		f.weights.Add(e)
	case f.err != nil:
	case len(f.plan.joins) > 0:
		f.weights.Add(e)
		f.fail(f.joins.add(f.found, e))
	default:
		f.found.Add(e)
		f.fail(f.found.Err())
	}
}

// types plans the statement, when event types are there or change.
func (f *follower) types(types []mmapjfr.Type) {
	plan, err := f.st.Plan(types, f.o)
	if f.wrong = err; err != nil {
		return // a type can come later
	}
	if f.plan != nil && f.plan.signature() == plan.signature() {
		f.plan = plan
		return
	}
	f.end()
	f.plan = plan
	f.next()
}

// flushed answers when enough time has passed.
func (f *follower) flushed(at time.Time) {
	if f.last = at; f.begin.IsZero() {
		f.begin = at
	}
	if f.found != nil {
		f.found.flushed()
	}
	if at.Sub(f.begin) >= f.every {
		f.end()
	}
}

// end answers for the time that has passed, and begins the next window.
func (f *follower) end() {
	if f.found == nil || f.err != nil || !f.last.After(f.begin) {
		return
	}
	if len(f.plan.joins) > 0 {
		f.joins.end(f.found)
		if f.fail(f.found.Err()); f.err != nil {
			return
		}
	}
	w := Window{From: f.begin, To: f.last}
	f.found.SetSpan(w.From, w.To)
	w.Result = f.found.Result()
	f.begin = f.last
	f.next()
	f.fail(f.answer(w))
}

// next begins with no events, and with the settings that are known.
func (f *follower) next() {
	f.found = f.plan.NewPartial()
	f.found.weights = f.weights
}

// windowJoins joins the events of a stream.
type windowJoins struct {
	lists   [][]joinedEvent // by join: those that others are joined with
	older   []int           // by join: how many of them are not of this window
	rows    []row           // are to be joined
	waiting int             // how many of them are of the window before
}

// add keeps an event for the end of the window.
func (w *windowJoins) add(r *Partial, e mmapjfr.Event) error {
	p := r.plan
	if w.lists == nil {
		w.lists, w.older = make([][]joinedEvent, len(p.joins)), make([]int, len(p.joins))
	}
	for i := range p.joins {
		j := &p.joins[i]
		if !j.types[e.Type().Name()] {
			continue
		}
		if one, ok := j.joinedOf(e); ok {
			w.lists[i] = append(w.lists[i], one)
		}
		if len(w.lists[i]) > maxJoined {
			return j.tooMany()
		}
	}
	for i := range p.sources {
		if p.sources[i].takes(e) {
			w.rows = append(w.rows, row{event: e.Detached(), at: r.moment(e, i)})
		}
	}
	if len(w.rows) > maxRows {
		return fmt.Errorf("%w: more than %d events of a window are to be joined; make it shorter, or add WHERE", ErrTooMuch, maxRows)
	}
	return nil
}

// end adds the events that find others to a partial result.
func (w *windowJoins) end(r *Partial) {
	joins := make([]*joined, len(w.lists))
	for i, events := range w.lists {
		joins[i] = &joined{mode: r.plan.joins[i].mode, events: slices.Clone(events)}
		joins[i].sortEvents()
		w.forget(i)
	}
	var waiting []row
	for n, one := range w.rows {
		one.rowJoins = &rowJoins{joins, make([]int32, len(joins)), r.weights}
		if one.join() {
			r.addRow(one)
			r.check()
		} else if n >= w.waiting {
			one.at.flush = -1 // before all of the next window
			waiting = append(waiting, one)
		}
		if r.err != nil {
			return
		}
	}
	w.rows, w.waiting = waiting, len(waiting)
}

// forget drops the events of the window before, but for the last one.
func (w *windowJoins) forget(join int) {
	older, events := w.older[join], w.lists[join]
	if older > 0 {
		last := slices.MaxFunc(events[:older], func(a, b joinedEvent) int { return cmp.Compare(a.start, b.start) })
		events = append([]joinedEvent{last}, events[older:]...)
	}
	w.lists[join], w.older[join] = events, len(events)
}

// Add adds one event, such as one of a stream, if the statement takes it. It is slower than [Read],
// and does not join events: with DURING, WITHIN or ASOF it adds nothing, and [Partial.Err] says so. Events of a chunk must be
// added in the order of the file for FIRST, LAST and the order of equal rows to be those of Read. Samples weigh
// what the settings say that are among the events added before.
func (r *Partial) Add(e mmapjfr.Event) {
	if len(r.plan.joins) > 0 && r.err == nil {
		r.err = errors.New("DURING, WITHIN and ASOF need recordings: events one by one are not joined")
	}
	if r.err != nil {
		return
	}
	if r.weights == nil {
		r.weights = weigh.NewWeights()
	}
	r.weights.Add(e)
	for i := range r.plan.sources {
		if r.plan.sources[i].takes(e) {
			r.add(e, i)
		}
	}
	r.check()
}

// add adds an event that a source takes.
func (r *Partial) add(e mmapjfr.Event, source int) {
	r.addRow(row{event: e, at: r.moment(e, source), rowJoins: &rowJoins{weights: r.weights}})
}

// moment returns where an event stands that comes now.
func (r *Partial) moment(e mmapjfr.Event, source int) moment {
	m := []moment{{chunk: e.Chunk().Start().UnixNano(), flush: r.flush, end: engine.EventEndTicks(e), offset: e.Offset(), source: int32(source)}}
	r.plan.setTimes(m, e.Chunk())
	return m[0]
}

// addRow adds an event with those that it is joined with.
func (r *Partial) addRow(one row) {
	b := newRowDecoder(r.plan)
	b.chunk, b.typ, b.source = one.event.Chunk(), one.event.Type(), int(one.at.source)
	b.weights = r.weights
	if r.rows != nil {
		one.event = one.event.Detached()
		one.keys = make([]int64, max(len(r.plan.order)-1, 0))
		for j, o := range r.plan.order {
			*one.order(j) = r.rows.values.raw(b.ofRow(&one, &r.plan.inputs[r.plan.outputs[o.output].node.index]))
		}
		r.rows.list = append(r.rows.list, one)
		r.rows.prune()
		return
	}
	f := &feed{moments: []moment{one.at}, n: 1}
	for i := range r.plan.inputs {
		in := &r.plan.inputs[i]
		raw, of := int64(nullRaw), reader(nil)
		if b.has(in) {
			raw = r.groups.values.raw(b.ofRow(&one, in))
			of = &rawReader{&r.groups.values, in.shape.kind}
		}
		f.columns, f.readers = append(f.columns, []int64{raw}), append(f.readers, of)
	}
	r.groups.add(f, make([]uint32, 1), make([]int64, len(r.plan.keys)))
}

// has reports whether events of the type and the source have one of the fields of an input.
func (b *binding) has(in *input) bool {
	for i := range in.fields {
		if b.fieldReader(&in.fields[i]) != nil {
			return true
		}
	}
	return !in.isNull()
}

// flushed says that the events which follow come from the next flush of their chunk: the order of
// events is that of flushes first.
func (r *Partial) flushed() {
	if r.flush < math.MaxInt32 {
		r.flush++
	}
}

// rawReader has raw values of a partial result.
type rawReader struct {
	values *values
	is     Kind
}

func (r *rawReader) kind() Kind                                { return r.is }
func (r *rawReader) value(raw int64) Value                     { return r.values.value(r.is, raw) }
func (r *rawReader) read(_ *mmapjfr.Batch, _ []int, _ []int64) {}

// SetSpan sets bounds of the time that rates are taken over, of which zero times are none. Otherwise it is that of
// the recordings that were read.
func (r *Partial) SetSpan(from, to time.Time) {
	if r.groups != nil {
		r.groups.span.limit(from, to)
	}
}
