package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// ErrNoRecording says that the virtual machine records nothing that can be followed, or
// nothing for this stream.
var ErrNoRecording = errors.New("stream: nothing is recorded; enable some events, or name settings")

// errOwnHandler says that a handler waits for itself.
var errOwnHandler = errors.New("stream: a handler cannot wait until its own stream has ended; close it, or stop it in another goroutine")

// RecordingStream is a stream of what a running virtual machine records, and of a recording
// that it is made to make. It is what jdk.jfr.consumer.RecordingStream is in the JDK, from
// outside.
//
// If something is set that is to be recorded, by Enable, Disable or SetSettings, starting the
// stream starts a recording, and its end, for whatever reason, stops that. What others had
// recorded before is not delivered unless [Stream.SetStartTime] asks for it; what they record
// meanwhile is. If somebody else stops the recording the stream ends. With nothing set it
// follows what is recorded already.
//
// The recording outlives a process that is killed: its name, which begins with "mmapjfr
// stream" and the number of the process, is what jcmd PID JFR.stop name=... takes.
type RecordingStream struct {
	*Stream
	recorder   *jvmRecorder
	dispatcher atomic.Uint64 // the goroutine that calls handlers
	mu         sync.Mutex    // guards what follows
	config     recordingConfig
}

// Attach attaches to the virtual machine that runs as a process, through the interface that
// jcmd uses; see [attach.Open] for what it takes, and for errors. Nothing is recorded before
// the stream is started. Close the stream even if it never is.
func Attach(pid int) (*RecordingStream, error) {
	vm, err := attach.Open(context.Background(), pid)
	if err != nil {
		return nil, err
	}
	r := &RecordingStream{recorder: newJVMRecorder(vm)}
	r.config.maxAge = defaultAge
	r.Stream = newStream(r.open)
	r.Stream.finish = r.finish
	r.Stream.recordedSettings = r.eventSettings
	return r, nil
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

// ended tells whether the context has ended. A connection can time out the moment before.
func ended(ctx context.Context) bool {
	if late, ok := ctx.Deadline(); ok && !time.Now().Before(late) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// withCause adds to an error that the context has ended, if it has.
func withCause(ctx context.Context, err error) error {
	if err != nil && ended(ctx) && !errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// options returns what is to be recorded, and how many changes made it that.
func (r *RecordingStream) options() (attach.RecordingOptions, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.options(), r.config.version
}

// eventSettings returns what of events is to be recorded.
func (r *RecordingStream) eventSettings() []attach.EventSetting {
	o, _ := r.options()
	return o.Events
}

// Update makes the running recording one with all that has been set since it was started: a
// new one takes its place without a gap. What it had recorded before is not in what
// [RecordingStream.Dump] writes any more. A stream that followed what others record gets a
// recording of its own. Before the stream is started there is nothing to update; what is set
// then comes with the start. It fails with what the virtual machine says, and then the
// recording is as it was.
func (r *RecordingStream) Update(ctx context.Context) error {
	return withCause(ctx, r.recorder.update(ctx, r.options))
}

// Dump writes what the recording holds to a file: all that has been recorded since it was
// started or updated, as far as age and size have left it there. The file is written by the
// virtual machine: the path is one of its own, and relative to its working directory. It fails
// with [ErrNoRecording] if the stream has no recording of its own, with [ErrNotStarted] before
// the start and with [ErrClosed] after the end.
func (r *RecordingStream) Dump(ctx context.Context, path string) error {
	id, err := r.recorder.recordingID(ctx)
	if err != nil {
		return err
	}
	return withCause(ctx, r.recorder.vm.Dump(ctx, id, path))
}

// Stop stops the recording, waits until all that it has recorded has been delivered, and
// ends the stream. If the stream has no recording of its own it ends with what has been
// flushed. A handler cannot wait for itself: called by one, Stop fails at once and stops
// nothing. When the context ends, the stream still ends when it has delivered what there is.
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

// goroutineNumber returns the number of the goroutine that it is called in, which no other one ever
// has. There is no other way to tell a handler that waits for itself from somebody else who
// waits while a handler is under way. It is 0, the number of none, should the runtime write
// stacks in another way than it does.
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
