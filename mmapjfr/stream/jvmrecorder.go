package stream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// jvmRecorder is a virtual machine that a stream is attached to, with what it records for the
// stream.
type jvmRecorder struct {
	vm         *attach.VM
	liveness   *repository.Liveness
	livenessMu sync.Mutex  // of who asks life
	stopped    atomic.Bool // that nothing more is to come than what there is by now

	// turn is held by whoever has the virtual machine start or stop something; it guards what
	// follows.
	locked         chan struct{}
	started        bool // that the stream has been started
	ended          bool // that it has ended, and nothing is to be started any more
	current        jvmRecording
	toStop         []jvmRecording    // that are to be stopped
	currentVersion int               // how many changes of what is wanted the current one has
	source         *repositorySource // nil before the stream has one
}

// jvmRecording is one that the virtual machine has been asked for.
type jvmRecording struct {
	name string
	id   int // 0 if nobody knows whether it has been started
}

func newJVMRecorder(vm *attach.VM) *jvmRecorder {
	return &jvmRecorder{vm: vm, liveness: repository.NewLivenessOf("", vm.PID()), locked: make(chan struct{}, 1)}
}

// stopTimeout is how long stopping a recording may take when the stream has ended.
var stopTimeout = 10 * time.Second

// exitPollInterval is how often a virtual machine is looked after that is about to exit.
const exitPollInterval = 20 * time.Millisecond

// lock waits for the turn.
func (r *jvmRecorder) lock(ctx context.Context) error {
	select {
	case r.locked <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unlock hands the turn on.
func (r *jvmRecorder) unlock() { <-r.locked }

// recordingCount counts the recordings that this process has asked for.
var recordingCount atomic.Int64

// uniqueName returns a name that no other recording has: by it a recording is found of which
// nobody knows whether it has been started. Processes in containers often have the same
// number.
func uniqueName() string {
	return fmt.Sprintf("mmapjfr stream %d-%d-%s", os.Getpid(), recordingCount.Add(1), rand.Text()[:8])
}

// startRecording starts a recording, and stops those that there were before. It does nothing if the
// current one has all changes.
func (r *jvmRecorder) startRecording(ctx context.Context, o attach.RecordingOptions, changes int) error {
	if changes != r.currentVersion {
		o.Name = uniqueName()
		id, err := r.vm.StartRecording(ctx, o)
		if errors.Is(err, attach.ErrNoAnswer) || errors.Is(err, attach.ErrBadReply) {
			r.toStop = append(r.toStop, jvmRecording{name: o.Name})
		}
		if err != nil {
			return err
		}
		if r.current.id != 0 {
			r.toStop = append(r.toStop, r.current)
		}
		r.current, r.currentVersion = jvmRecording{o.Name, id}, changes
	}
	r.pinChunks(ctx)
	return r.stopOld(ctx)
}

// pinChunks keeps the chunks that are to be delivered from being removed with a recording.
func (r *jvmRecorder) pinChunks(ctx context.Context) {
	if r.source != nil && len(r.toStop) > 0 {
		r.source.pinAll(ctx)
	}
}

// stopOld stops all recordings that are no longer wanted. What could not be stopped stays for
// the next time.
func (r *jvmRecorder) stopOld(ctx context.Context) error {
	var errs []error
	r.toStop = slices.DeleteFunc(r.toStop, func(rec jvmRecording) bool {
		err := r.ensureStopped(ctx, rec)
		errs = append(errs, err)
		return err == nil
	})
	return errors.Join(errs...)
}

// close stops all recordings, and lets nobody start another one.
func (r *jvmRecorder) close(ctx context.Context) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	r.ended, r.source = true, nil
	if r.current.id != 0 {
		r.toStop = append(r.toStop, r.current)
		r.current = jvmRecording{}
	}
	return r.stopOld(ctx)
}

// ensureStopped makes sure that the virtual machine does not record any more.
func (r *jvmRecorder) ensureStopped(ctx context.Context, rec jvmRecording) error {
	if r.exited() {
		return nil
	}
	if rec.id != 0 && r.vm.Stop(ctx, rec.id) == nil {
		return nil
	}
	// Somebody else may have stopped it, or it was never started.
	goes, err := r.running(ctx, rec)
	for _, id := range goes {
		err = errors.Join(err, r.vm.Stop(ctx, id))
	}
	if err == nil || r.awaitExit(ctx, err) {
		return nil
	}
	return fmt.Errorf("the recording %q of process %d may go on; end it with jcmd %d JFR.stop name=%q: %w", rec.name, r.vm.PID(), r.vm.PID(), rec.name, err)
}

// running returns the numbers that the virtual machine has given to a recording: none if it
// does not run.
func (r *jvmRecorder) running(ctx context.Context, rec jvmRecording) (ids []int, err error) {
	list, err := r.vm.Recordings(ctx)
	for _, other := range list {
		if other.Name == rec.name && isActive(other) {
			ids = append(ids, other.ID)
		}
	}
	return ids, err
}

// isActive tells whether a recording runs, or is going to.
func isActive(r attach.Recording) bool { return r.State == "running" || r.State == "delayed" }

// awaitExit tells whether the virtual machine does not answer since it ends, and waits for that:
// it takes no commands when it is nearly over.
func (r *jvmRecorder) awaitExit(ctx context.Context, err error) bool {
	if !errors.Is(err, attach.ErrNoAnswer) && !errors.Is(err, attach.ErrNoProcess) && !errors.Is(err, attach.ErrBadReply) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for !r.exited() {
		select {
		case <-time.After(exitPollInterval):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// exited tells whether the virtual machine has ended.
func (r *jvmRecorder) exited() bool {
	r.livenessMu.Lock()
	defer r.livenessMu.Unlock()
	return r.liveness.State() == repository.Dead
}

// stop stops the recording. What has been recorded up to now is all that is delivered.
func (r *jvmRecorder) stop(ctx context.Context) error {
	defer r.stopped.Store(true)
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	if r.stopped.Load() {
		return nil
	}
	own := r.current.id != 0
	if own {
		r.toStop = append(r.toStop, r.current)
		r.current = jvmRecording{}
	}
	r.pinChunks(ctx)
	err := r.stopOld(ctx)
	if r.source != nil {
		r.source.pinLast(ctx, own && err == nil)
	}
	return err
}

// checkStopped is called where a chunk ends. It waits until what may have ended it is done, and, if that
// is asked for, finds out whether somebody else has stopped the recording.
func (r *jvmRecorder) checkStopped(ctx context.Context, ask bool) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	if !ask || r.current.id == 0 || r.stopped.Load() {
		return nil
	}
	ids, err := r.running(ctx, r.current)
	if err != nil || len(ids) > 0 {
		return nil // one that does not answer may do so the next time, or be gone
	}
	r.current = jvmRecording{}
	r.source.pinLast(ctx, true)
	r.stopped.Store(true)
	return nil
}
