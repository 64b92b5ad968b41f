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
	ErrKilled = errors.New("stream: the JVM ended without finishing its recording")
	// ErrStopped says that the virtual machine goes on, and its recording has been stopped by
	// somebody else, or its duration is over.
	ErrStopped = errors.New("stream: the recording has ended, but the JVM is still running")
	// ErrLeft says that the virtual machine did not answer when a recording of the stream was to be
	// stopped. The recording ends later by itself, see [RecordingStream].
	ErrLeft = errors.New("a recording may go on")
	// ErrGap says that the recording of a stream had ended, because this process or the machine
	// slept for too long to renew it. What happened until then was not recorded; the stream goes on.
	ErrGap = errors.New("stream: the recording had ended while this process slept; another one has begun")
)

// Stream delivers the events of a recording to handlers. While the recording is being written it
// waits for more. See the package documentation.
type Stream struct {
	handlers handlers
	stopping atomic.Bool                                            // no other handler is to be called
	flushed  atomic.Int64                                           // see LastFlush
	open     func(ctx context.Context, o *settings) (source, error) // which may change them

	// recordedSettings, if not nil, returns the settings of events that are to be recorded.
	recordedSettings func() []attach.EventSetting

	// finish, if not nil, is called when the stream ends, before the handlers of the end.
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
	keepEvents bool // events are not reused
	noFollow   bool // the stream ends where nothing more has been flushed
	// strings are shared by all chunks of the stream.
	strings *mmapjfr.StringTable
}

// newStream returns a stream with the JDK's defaults.
func newStream(open func(context.Context, *settings) (source, error)) *Stream {
	return &Stream{open: open, settings: settings{ordered: true, strings: new(mmapjfr.StringTable)}, done: make(chan struct{})}
}

// SetStartTime makes the stream deliver only events that ended at t or later. It also decides where
// the stream of a repository begins: in the newest chunk that begins at t or before. Without a
// start time, such a stream begins at the end of what has been flushed. It fails if the stream has
// been started.
func (s *Stream) SetStartTime(t time.Time) error {
	return s.set(func(o *settings) { o.from = t })
}

// SetEndTime makes the stream deliver only events that ended at t or before, and end at the first
// flush after t. It fails if the stream has been started.
func (s *Stream) SetEndTime(t time.Time) error {
	return s.set(func(o *settings) { o.to = t })
}

// SetOrdered sets whether the events of a flush are delivered in the order in which they ended,
// which is the default, or in that of the file. Flushes are not ordered among each other: an event
// that was written late may follow one that ended after it. It fails if the stream has been
// started.
func (s *Stream) SetOrdered(ordered bool) error {
	return s.set(func(o *settings) { o.ordered = ordered })
}

// SetReuse sets whether the memory of an event is reused for the next ones, which is the default.
// Then an event and all views of it are valid until the handler returns. Without reuse they are
// valid for as long as they are referenced, in any goroutine; for that, bytes are copied flush by
// flush, or the whole file if it is finished when the stream begins. It fails if the stream has
// been started.
func (s *Stream) SetReuse(reuse bool) error {
	return s.set(func(o *settings) { o.keepEvents = !reuse })
}

// SetFollow sets whether the stream waits at the end of what has been flushed, which is the
// default, or ends there. It fails if the stream has been started.
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

// Start delivers events until the stream ends. It returns nil at the end of the recording, at the
// end time, or after Close, and the cause if the context is cancelled. It fails if the source
// cannot be opened or not be read at all. Other errors go to the handlers of [Stream.OnError], and
// the stream goes on.
//
// Handlers are called in this goroutine, one at a time.
func (s *Stream) Start(ctx context.Context) error {
	ctx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	return s.run(ctx, nil)
}

// StartAsync is Start in a goroutine of its own: it returns at once. [Stream.AwaitTermination]
// returns the result of Start.
func (s *Stream) StartAsync(ctx context.Context) error {
	ctx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	go func() { _ = s.run(ctx, nil) }() // AwaitTermination returns the error
	return nil
}

// AwaitTermination waits until the stream has ended, and returns the result of Start. After the
// timeout it fails with [ErrTimeout]; 0 means no timeout. It fails with [ErrNotStarted] if the
// stream has not been started.
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

// hasStarted reports whether the stream was started before it ended.
func (s *Stream) hasStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// await waits for the end of the stream or of the context.
func (s *Stream) await(ctx context.Context) error {
	select {
	case <-s.done:
	case <-ctx.Done():
		select {
		case <-s.done: // both have ended
		default:
			return context.Cause(ctx)
		}
	}
	return s.err
}

// LastFlush returns when the virtual machine wrote the flush that was delivered last, by its clock,
// in UTC; the zero time before the first flush. In a handler of events it is the time of the flush
// before; in one of [Stream.OnFlush], of the flush itself.
func (s *Stream) LastFlush() time.Time {
	ns := s.flushed.Load()
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// Close ends the stream without waiting for that. A handler that is running goes on, and its error
// is reported. Afterwards only handlers of [Stream.OnClose] are called, in the goroutine of Start.
// A handler may close its own stream. Close may be called more than once. If it is called before
// Start, it calls the handlers of OnClose itself, and Start fails.
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

// Events starts the stream and returns its events, besides giving them to handlers: all events, or
// those of the named types, see [mmapjfr.Types]. What cannot be read is returned as an error in its
// place, with a zero event. Leaving the loop closes the stream. If the context is cancelled, the
// last pair has the cause.
//
// Events are returned when they have been flushed; the loop waits between flushes.
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

// yielder passes events and errors to a loop.
type yielder struct {
	yield    func(mmapjfr.Event, error) bool
	yielding bool // the body of the loop is running
	stopped  bool // the loop has been left
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
	for h := range s.handlers.of(kindEvent) {
		if h.err != nil {
			return nil, h.err
		}
	}
	s.started = true
	ctx, s.cancel = context.WithCancelCause(ctx)
	return ctx, nil
}

// run delivers everything and ends the stream, even if a handler ends the goroutine.
func (s *Stream) run(ctx context.Context, y *yielder) (err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err, s.ended = err, true
		s.cancel(nil)
		close(s.done)
	}()
	defer s.handlers.closed() // a handler may end the goroutine
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

// errClosing is the cause with which Close cancels the context of a stream.
var errClosing = errors.New("the stream is closed")
