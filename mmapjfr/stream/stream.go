package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// What can be wrong with how a stream is used. Errors match these with errors.Is.
var (
	// ErrStarted says that the stream has been started already: a stream runs once.
	ErrStarted = errors.New("stream: it has been started already")
	// ErrNotStarted says that the stream has not been started.
	ErrNotStarted = errors.New("stream: it has not been started")
	// ErrClosed says that the stream has been closed.
	ErrClosed = errors.New("stream: it has been closed")
	// ErrTimeout says that the stream had not ended when the time was over.
	ErrTimeout = errors.New("stream: it has not ended yet")
	// ErrKilled says that the virtual machine has gone without finishing its chunk. All
	// that it had flushed has been delivered.
	ErrKilled = errors.New("stream: the virtual machine has gone without finishing its recording")
)

// Stream delivers the events of a recording to handlers, and waits for more as long as the
// recording is being written. See the package documentation.
type Stream struct {
	handlers handlers
	stopping atomic.Bool                                            // that no other handler is to be called
	flushed  atomic.Int64                                           // see LastFlush
	open     func(ctx context.Context, o *settings) (source, error) // which may change them

	// recorded, if it is not nil, returns what of events is set to be recorded.
	recordedSettings func() []attach.EventSetting

	// finish, if it is not nil, is called when the stream ends, before the handlers are.
	finish func() error

	mu       sync.Mutex // guards what follows
	settings settings
	started  bool
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when the stream has ended
	err      error         // that it ended with
	ended    bool
}

// settings are what can be set before a stream starts.
type settings struct {
	from, to   time.Time
	ordered    bool
	keepEvents bool // that events are not used again
	noFollow   bool // that the stream ends at what has been flushed when it gets there
	// strings are those that all chunks of the stream hand out.
	strings *mmapjfr.StringTable
}

// newStream returns a stream with the JDK's defaults.
func newStream(open func(context.Context, *settings) (source, error)) *Stream {
	return &Stream{open: open, settings: settings{ordered: true, strings: new(mmapjfr.StringTable)}, done: make(chan struct{})}
}

// SetStartTime makes the stream deliver no events that ended before t. It decides, too,
// where a repository is begun with: in the newest chunk that begins at t or before; without
// a start time, at the end of what has been flushed. It fails if the stream has been started.
func (s *Stream) SetStartTime(t time.Time) error {
	return s.set(func(o *settings) { o.from = t })
}

// SetEndTime makes the stream deliver no events that ended after t, and end when something
// has been flushed later than t. It fails if the stream has been started.
func (s *Stream) SetEndTime(t time.Time) error {
	return s.set(func(o *settings) { o.to = t })
}

// SetOrdered says whether the events of a flush are delivered in the order in which they
// ended, which is the default, or in that of the file. Between flushes there is no order:
// an event that was written late may come behind one that ended after it. It fails if the
// stream has been started.
func (s *Stream) SetOrdered(ordered bool) error {
	return s.set(func(o *settings) { o.ordered = ordered })
}

// SetReuse says whether the memory of an event is used again for those behind it, which is
// the default: then an event, and all views that come out of it, are valid until
// the handler returns. Without reuse they are valid for as long as somebody has them, in
// any goroutine; what is read is copied for that: a flush at a time, but all of a file that is
// finished when the stream begins. It fails if the stream has been started.
func (s *Stream) SetReuse(reuse bool) error {
	return s.set(func(o *settings) { o.keepEvents = !reuse })
}

// SetFollow says whether the stream waits for more where what has been flushed ends, which
// is the default, or ends there. It fails if the stream has been started.
func (s *Stream) SetFollow(follow bool) error {
	return s.set(func(o *settings) { o.noFollow = !follow })
}

func (s *Stream) set(change func(*settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return ErrClosed
	case s.started:
		return ErrStarted
	}
	change(&s.settings)
	return nil
}

// Start delivers events until the stream ends, and returns when it has: when what it reads
// has ended, at the end time, or when it was closed; then the error is nil. When the context
// is cancelled it returns the cause. It fails if the source cannot be opened or read at all.
// What cannot be read of it goes to the handlers of [Stream.OnError], and the stream goes on.
//
// Handlers are called in this goroutine, one at a time.
func (s *Stream) Start(ctx context.Context) error {
	ctx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	return s.run(ctx, nil)
}

// StartAsync is Start in a goroutine of its own: it returns at once. What Start would have
// returned is what [Stream.AwaitTermination] returns.
func (s *Stream) StartAsync(ctx context.Context) error {
	ctx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	go func() { _ = s.run(ctx, nil) }() // AwaitTermination returns the error
	return nil
}

// AwaitTermination waits until the stream has ended, and returns what Start would have
// returned. It waits no longer than the timeout, and then fails with [ErrTimeout]; 0 is no
// timeout. It fails with [ErrNotStarted] if nobody has started the stream.
func (s *Stream) AwaitTermination(timeout time.Duration) error {
	s.mu.Lock()
	started := s.started || s.ended
	s.mu.Unlock()
	if !started {
		return ErrNotStarted
	}
	ctx := context.Background()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, ErrTimeout)
		defer cancel()
	}
	return s.await(ctx)
}

// hasStarted tells whether the stream has been started, and not ended before that.
func (s *Stream) hasStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// await waits until the stream has ended, or the context.
func (s *Stream) await(ctx context.Context) error {
	select {
	case <-s.done:
	case <-ctx.Done():
		select {
		case <-s.done: // both
		default:
			return context.Cause(ctx)
		}
	}
	return s.err
}

// LastFlush returns when the virtual machine flushed what was delivered last, by its clock,
// in UTC; the zero time if nothing has been flushed. In a handler it is that of the events
// before: of the flush itself in one of [Stream.OnFlush].
func (s *Stream) LastFlush() time.Time {
	ns := s.flushed.Load()
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// Close ends the stream, and does not wait until it has ended. A handler that is under way
// goes on, and what it fails with is told; no others are called but those of
// [Stream.OnClose], in the goroutine of Start. A handler may close its own stream. Close may
// be called more than once, and before Start, which then fails; then it calls those handlers
// itself.
func (s *Stream) Close() error {
	s.mu.Lock()
	if !s.started && !s.ended {
		s.ended = true
		s.mu.Unlock()
		if s.finish != nil {
			s.err = s.finish()
		}
		s.handlers.closed()
		close(s.done)
		return s.err
	}
	cancel := s.cancel
	s.mu.Unlock()
	s.stopping.Store(true)
	if cancel != nil {
		cancel(errClosing)
	}
	return nil
}

// Events starts the stream and returns its events, besides giving them to handlers: all of
// them, or those of the named types, see [mmapjfr.Types]. What cannot be read comes as an
// error, in its place, with a zero event. Leaving the loop closes the stream. When the
// context is cancelled the last thing to come is the cause.
//
// Events come when they have been flushed; between flushes the loop waits.
func (s *Stream) Events(ctx context.Context, names ...string) iter.Seq2[mmapjfr.Event, error] {
	return func(yield func(mmapjfr.Event, error) bool) {
		ctx, err := s.begin(ctx)
		if err != nil {
			yield(mmapjfr.Event{}, err)
			return
		}
		y := &yielder{yield: yield}
		s.handlers.addEvents(names, y.event)
		if err := s.run(ctx, y); err != nil && !y.stopped {
			yield(mmapjfr.Event{}, err)
		}
	}
}

// yielder gives what a stream delivers to a loop.
type yielder struct {
	yield    func(mmapjfr.Event, error) bool
	yielding bool // that the loop has the floor
	stopped  bool // that it has been left
}

// errLoopLeft ends a stream whose loop has been left.
var errLoopLeft = errors.New("the loop has been left")

func (y *yielder) event(ev mmapjfr.Event) error { return y.send(ev, nil) }

func (y *yielder) error(err error) error { return y.send(mmapjfr.Event{}, err) }

func (y *yielder) send(ev mmapjfr.Event, err error) error {
	y.yielding = true
	more := y.yield(ev, err)
	y.yielding = false
	if !more {
		y.stopped = true
		return errLoopLeft
	}
	return nil
}

// begin marks the stream as started.
func (s *Stream) begin(ctx context.Context) (context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.started:
		return nil, ErrStarted
	case s.ended:
		return nil, ErrClosed
	}
	if from, to := s.settings.from, s.settings.to; !from.IsZero() && !to.IsZero() && to.Before(from) {
		return nil, fmt.Errorf("stream: the end time %v is before the start time %v", to, from)
	}
	s.started = true
	ctx, s.cancel = context.WithCancelCause(ctx)
	return ctx, nil
}

// run delivers everything and ends the stream, also where the goroutine ends in it.
func (s *Stream) run(ctx context.Context, y *yielder) (err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err, s.ended = err, true
		s.cancel(nil)
		close(s.done)
	}()
	defer s.handlers.closed() // it may end the goroutine
	defer func() {
		if s.finish != nil {
			if e := s.finish(); err == nil {
				err = e
			} else if e != nil {
				err = errors.Join(err, e)
			}
		}
	}()
	if err := s.dispatch(ctx, y); err != errClosing {
		return err
	}
	return nil
}

// errClosing is why the context of a stream ends that is closed.
var errClosing = errors.New("the stream is closed")
