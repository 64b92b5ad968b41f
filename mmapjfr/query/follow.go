package query

import (
	"cmp"
	"context"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
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
// error of the plan if they never do. Statements that join events cannot be followed.
func (s *Statement) Follow(ctx context.Context, from *stream.Stream, every time.Duration, o Options, answer func(w Window) error) error {
	if len(s.joins) > 0 {
		return s.errorAt(s.joins[0].event.pos, "a stream has no events to join others with; ask a recording")
	}
	f := &follower{st: s, o: o, every: every, answer: answer, close: from.Close, weights: profile.NewWeights()}
	from.OnMetadata(func(m stream.Metadata) error { f.types(m.Types); return nil })
	from.OnEvent(func(ev mmapjfr.Event) error {
		if f.begin.IsZero() {
			f.begin = ev.Start()
		}
		if f.found == nil {
			f.weights.Add(ev)
		} else if f.err == nil {
			f.found.Add(ev)
			f.fail(f.found.Err())
		}
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
	begin time.Time // of the window
	last  time.Time // the last flush
	err   error     // has ended the stream

	weights *profile.Weights
}

// fail ends the stream with an error. Handlers cannot: it goes on after their errors.
func (f *follower) fail(err error) {
	if err != nil && f.err == nil {
		f.err = err
		_ = f.close() // cannot fail once the stream runs
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
		f.found.Flushed()
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
	w := Window{From: f.begin, To: f.last}
	f.found.SetSpan(w.To.Sub(w.From))
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
