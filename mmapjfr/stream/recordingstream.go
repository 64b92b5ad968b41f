package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// ErrNoRecording says that the virtual machine makes no recording that can be followed, or none for
// this stream.
var ErrNoRecording = errors.New("stream: nothing is recorded; enable some events, or name settings")

// errOwnHandler says that a handler waits for the end of its own stream.
var errOwnHandler = errors.New("stream: a handler cannot wait until its own stream has ended; close it, or stop it in another goroutine")

// RecordingStream is a stream of what a running virtual machine records, and of a recording that
// the stream makes. It is jdk.jfr.consumer.RecordingStream of the JDK, from outside.
//
// If Enable, Disable or SetSettings has been called, Start starts a recording, and the end of the
// stream stops it. What was recorded before is not delivered unless [Stream.SetStartTime] asks for
// it; what other recordings record meanwhile is. If another process stops the recording, the stream
// reports [ErrStopped] and ends. Without any settings the stream follows what is recorded already, as
// long as anything is.
//
// The recording has an end, and the stream renews it before that, so that it does not go on for long if
// this process is killed: 12 minutes at most, or twice the age of [RecordingStream.SetMaxAge] and two
// minutes, and two days without a limit of age. [attach.VM.RemoveLeft] stops it before. Its name begins
// with "mmapjfr stream" and the number of the process.
type RecordingStream struct {
	*Stream
	recorder   *jvmRecorder
	dispatcher atomic.Uint64 // the goroutine that calls handlers, see goroutineNumber
	mu         sync.Mutex    // guards what follows
	config     attach.RecordingOptions
	changes    int // of config
}

// Attach attaches to the virtual machine of a process, through the interface that jcmd uses; see
// [attach.Open] for its conditions and errors. Nothing is recorded before the stream is started.
// Close the stream even if it is never started.
func Attach(pid int) (*RecordingStream, error) {
	vm, err := attach.Open(context.Background(), pid)
	if err != nil {
		return nil, err
	}
	return AttachTo(vm), nil
}

// AttachTo is [Attach] for a virtual machine that has been attached to.
func AttachTo(vm *attach.VM) *RecordingStream {
	r := &RecordingStream{recorder: &jvmRecorder{
		vm: vm, liveness: repository.NewLivenessOf("", vm.PID()), locked: make(chan struct{}, 1),
	}}
	r.config.MaxAge = defaultAge
	r.Stream = newStream(r.open)
	r.Stream.finish = r.finish
	r.Stream.recordedSettings = r.eventSettings
	return r
}

// VM returns the virtual machine.
func (r *RecordingStream) VM() *attach.VM { return r.recorder.vm }

// open starts the recording and follows the repository.
func (r *RecordingStream) open(ctx context.Context, o *settings) (source, error) {
	r.dispatcher.Store(goroutineNumber())
	s, err := r.recorder.open(ctx, r.options, o)
	if err != nil && ended(ctx) {
		return nil, context.Cause(ctx) // which is why
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ended reports whether the context has ended. A connection may time out a moment earlier than the
// context.
func ended(ctx context.Context) bool {
	if late, ok := ctx.Deadline(); ok && !time.Now().Before(late) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// withCause adds the cause of the context to an error, if the context has ended.
func withCause(ctx context.Context, err error) error {
	if err != nil && ended(ctx) && !errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// options returns what is to be recorded, and the version of that.
func (r *RecordingStream) options() (attach.RecordingOptions, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.config
	o.Settings, o.Events = slices.Clone(o.Settings), slices.Clone(o.Events)
	return o, r.changes
}

// eventSettings returns the settings of events that are to be recorded.
func (r *RecordingStream) eventSettings() []attach.EventSetting {
	o, _ := r.options()
	return o.Events
}

// Update replaces the running recording by one with all settings of this moment, without a gap.
// [RecordingStream.Dump] then no longer writes what was recorded before. A stream that followed
// other recordings gets one of its own. Before the start Update does nothing, since Start uses all
// settings. If the virtual machine refuses, Update returns its error, and the recording stays as it
// was.
func (r *RecordingStream) Update(ctx context.Context) error {
	return withCause(ctx, r.recorder.update(ctx, r.options))
}

// Dump writes the recording to a file: all that was recorded since it was started or updated, as
// far as it is within the limits of age and size; without a limit of age, at least the last day. The
// virtual machine writes the file: the path is one of its file system, and relative to its working
// directory. Dump fails with [ErrNoRecording] if the stream has no recording of its own, with
// [ErrNotStarted] before the start, and with [ErrClosed] after the end.
func (r *RecordingStream) Dump(ctx context.Context, path string) error {
	id, err := r.recorder.recordingID(ctx)
	if err != nil {
		return err
	}
	return withCause(ctx, r.recorder.vm.Dump(ctx, id, path))
}

// Stop stops the recording, waits until everything recorded has been delivered, and ends the
// stream. A stream without a recording of its own ends at the last flush. Called by a handler of
// the stream, Stop fails at once and stops nothing, because the handler would wait for itself. If
// the context ends, Stop returns, and the stream ends when it has delivered everything.
func (r *RecordingStream) Stop(ctx context.Context) error {
	if n := r.dispatcher.Load(); n != 0 && n == goroutineNumber() {
		return errOwnHandler
	}
	if !r.hasStarted() {
		return r.Close()
	}
	err := withCause(ctx, r.recorder.stop(ctx))
	if e := r.await(ctx); err == nil {
		err = e
	}
	return err
}

// finish is called when the stream has ended.
func (r *RecordingStream) finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return r.recorder.close(ctx)
}

// goroutineNumber returns the number of the calling goroutine, as stack traces show it. No other
// goroutine ever has the same. Only the number distinguishes a handler that calls Stop from another
// goroutine that calls Stop while a handler runs. It is 0 if the runtime writes stack traces in
// another way.
func goroutineNumber() uint64 {
	var stack [64]byte
	text := stack[:runtime.Stack(stack[:], false)]
	text, _ = bytes.CutPrefix(text, []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// defaultAge is how much of a recording stays on disk by default: what has been delivered is not
// needed any more.
const defaultAge = 5 * time.Minute

// EventSettings are the settings of an event type. Its methods change them, and return it for
// further calls. Once the stream is running, [RecordingStream.Update] applies changes.
type EventSettings struct {
	stream *RecordingStream
	name   string
}

// Enable makes the recording record events of a type, by its full name such as "jdk.CPULoad".
func (r *RecordingStream) Enable(name string) *EventSettings {
	return (&EventSettings{r, name}).With("enabled", "true")
}

// Disable makes the recording record no events of a type.
func (r *RecordingStream) Disable(name string) *EventSettings {
	return (&EventSettings{r, name}).With("enabled", "false")
}

// With sets one of the settings of the type, as the JDK writes it: "throttle" to "100/s".
func (e *EventSettings) With(setting, value string) *EventSettings {
	e.stream.change(func(o *attach.RecordingOptions) {
		s := attach.EventSetting{Event: e.name, Setting: setting, Value: value}
		i := slices.IndexFunc(o.Events, func(e attach.EventSetting) bool { return e.Event == s.Event && e.Setting == s.Setting })
		if i < 0 {
			o.Events = append(o.Events, s)
		} else {
			o.Events[i] = s
		}
	})
	return e
}

// WithPeriod records an event of the type once per period. For other periods, such as everyChunk,
// use With.
func (e *EventSettings) WithPeriod(d time.Duration) *EventSettings {
	return e.With("period", timespan(d))
}

// WithThreshold records only events that last at least d.
func (e *EventSettings) WithThreshold(d time.Duration) *EventSettings {
	return e.With("threshold", timespan(d))
}

// WithoutThreshold records events of any duration.
func (e *EventSettings) WithoutThreshold() *EventSettings { return e.WithThreshold(0) }

// WithStackTrace records stack traces with the events.
func (e *EventSettings) WithStackTrace() *EventSettings { return e.With("stackTrace", "true") }

// WithoutStackTrace records no stack traces with the events.
func (e *EventSettings) WithoutStackTrace() *EventSettings { return e.With("stackTrace", "false") }

// SetSettings makes the recording start from sets of settings, each of which overrides the ones
// before: default and profile of the JDK, or paths of .jfc files that the virtual machine can read.
// Settings of single types override them.
func (r *RecordingStream) SetSettings(names ...string) {
	r.change(func(o *attach.RecordingOptions) { o.Settings = slices.Clone(names) })
}

// SetMaxAge sets how much of the recording stays on disk, for [RecordingStream.Dump] and for slow
// handlers: five minutes by default; 0 is no limit of age. Without any limit virtual machines keep
// 250 MB.
func (r *RecordingStream) SetMaxAge(d time.Duration) {
	r.changeLimit(func(o *attach.RecordingOptions) { o.MaxAge = d })
}

// SetMaxSize sets how many bytes of the recording stay on disk; 0, the default, is no limit of
// size.
func (r *RecordingStream) SetMaxSize(bytes int64) {
	r.changeLimit(func(o *attach.RecordingOptions) { o.MaxSize = bytes })
}

// SetFlushInterval sets how often events are flushed, and thus delivered: every second by default,
// which is also the shortest interval. A virtual machine uses the shortest interval of all its
// recordings.
func (r *RecordingStream) SetFlushInterval(d time.Duration) {
	r.changeLimit(func(o *attach.RecordingOptions) { o.FlushInterval = d })
}

// timespan writes a duration as the JDK reads it.
func timespan(d time.Duration) string { return strconv.FormatInt(int64(d), 10) + " ns" }

// change changes what is recorded.
func (r *RecordingStream) change(f func(*attach.RecordingOptions)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.config)
	r.changes++
}

// changeLimit changes a limit of the recording, if there is to be one. A limit alone does not make
// one.
func (r *RecordingStream) changeLimit(f func(*attach.RecordingOptions)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.config)
	if r.changes > 0 {
		r.changes++
	}
}
