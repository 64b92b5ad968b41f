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

// recorder is a virtual machine that a stream is attached to, with what it records for the
// stream.
type recorder struct {
	vm      *attach.VM
	life    *repository.Life
	asking  sync.Mutex  // of who asks life
	stopped atomic.Bool // that nothing more is to come than what there is by now

	// turn is held by whoever has the virtual machine start or stop something; it guards what
	// follows.
	turn    chan struct{}
	opened  bool // that the stream has been started
	ended   bool // that it has ended, and nothing is to be started any more
	current recording
	stale   []recording       // that are to be stopped
	applied int               // how many changes of what is wanted the current one has
	source  *repositorySource // nil before the stream has one
}

// recording is one that the virtual machine has been asked for.
type recording struct {
	name string
	id   int // 0 if nobody knows whether it has been started
}

func newRecorder(vm *attach.VM) *recorder {
	return &recorder{vm: vm, life: repository.NewLifeOf("", vm.PID()), turn: make(chan struct{}, 1)}
}

// stopWithin is how long stopping a recording may take when the stream has ended.
var stopWithin = 10 * time.Second

// exitEvery is how often a virtual machine is looked after that is about to exit.
const exitEvery = 20 * time.Millisecond

// take waits for the turn.
func (r *recorder) take(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// give hands the turn on.
func (r *recorder) give() { <-r.turn }

// streams counts the recordings that this process has asked for.
var streams atomic.Int64

// uniqueName returns a name that no other recording has: by it a recording is found of which
// nobody knows whether it has been started. Processes in containers often have the same
// number.
func uniqueName() string {
	return fmt.Sprintf("mmapjfr stream %d-%d-%s", os.Getpid(), streams.Add(1), rand.Text()[:8])
}

// record starts a recording, and stops those that there were before. It does nothing if the
// current one has all changes.
func (r *recorder) record(ctx context.Context, o attach.RecordingOptions, changes int) error {
	if changes != r.applied {
		o.Name = uniqueName()
		id, err := r.vm.StartRecording(ctx, o)
		if errors.Is(err, attach.ErrNoAnswer) || errors.Is(err, attach.ErrBadReply) {
			r.stale = append(r.stale, recording{name: o.Name})
		}
		if err != nil {
			return err
		}
		if r.current.id != 0 {
			r.stale = append(r.stale, r.current)
		}
		r.current, r.applied = recording{o.Name, id}, changes
	}
	r.hold(ctx)
	return r.clear(ctx)
}

// hold keeps the chunks that are to be delivered from being removed with a recording.
func (r *recorder) hold(ctx context.Context) {
	if r.source != nil && len(r.stale) > 0 {
		r.source.hold(ctx)
	}
}

// clear stops all recordings that are no longer wanted. What could not be stopped stays for
// the next time.
func (r *recorder) clear(ctx context.Context) error {
	var errs []error
	r.stale = slices.DeleteFunc(r.stale, func(rec recording) bool {
		err := r.drop(ctx, rec)
		errs = append(errs, err)
		return err == nil
	})
	return errors.Join(errs...)
}

// close stops all recordings, and lets nobody start another one.
func (r *recorder) close(ctx context.Context) error {
	if err := r.take(ctx); err != nil {
		return err
	}
	defer r.give()
	r.ended, r.source = true, nil
	if r.current.id != 0 {
		r.stale = append(r.stale, r.current)
		r.current = recording{}
	}
	return r.clear(ctx)
}

// drop makes sure that the virtual machine does not record any more.
func (r *recorder) drop(ctx context.Context, rec recording) error {
	if r.gone() {
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
	if err == nil || r.exits(ctx, err) {
		return nil
	}
	return fmt.Errorf("the recording %q of process %d may go on; end it with jcmd %d JFR.stop name=%q: %w", rec.name, r.vm.PID(), r.vm.PID(), rec.name, err)
}

// running returns the numbers that the virtual machine has given to a recording: none if it
// does not run.
func (r *recorder) running(ctx context.Context, rec recording) (ids []int, err error) {
	list, err := r.vm.Recordings(ctx)
	for _, other := range list {
		if other.Name == rec.name && underWay(other) {
			ids = append(ids, other.ID)
		}
	}
	return ids, err
}

// underWay tells whether a recording runs, or is going to.
func underWay(r attach.Recording) bool { return r.State == "running" || r.State == "delayed" }

// exits tells whether the virtual machine does not answer since it ends, and waits for that:
// it takes no commands when it is nearly over.
func (r *recorder) exits(ctx context.Context, err error) bool {
	if !errors.Is(err, attach.ErrNoAnswer) && !errors.Is(err, attach.ErrNoProcess) && !errors.Is(err, attach.ErrBadReply) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	for !r.gone() {
		select {
		case <-time.After(exitEvery):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// gone tells whether the virtual machine has ended.
func (r *recorder) gone() bool {
	r.asking.Lock()
	defer r.asking.Unlock()
	return r.life.Ask() == repository.Dead
}

// end stops the recording. What has been recorded up to now is all that is delivered.
func (r *recorder) end(ctx context.Context) error {
	defer r.stopped.Store(true)
	if err := r.take(ctx); err != nil {
		return err
	}
	defer r.give()
	if r.stopped.Load() {
		return nil
	}
	own := r.current.id != 0
	if own {
		r.stale = append(r.stale, r.current)
		r.current = recording{}
	}
	r.hold(ctx)
	err := r.clear(ctx)
	if r.source != nil {
		r.source.seal(ctx, own && err == nil)
	}
	return err
}

// look is called where a chunk ends. It waits until what may have ended it is done, and, if that
// is asked for, finds out whether somebody else has stopped the recording.
func (r *recorder) look(ctx context.Context, ask bool) error {
	if err := r.take(ctx); err != nil {
		return err
	}
	defer r.give()
	if !ask || r.current.id == 0 || r.stopped.Load() {
		return nil
	}
	ids, err := r.running(ctx, r.current)
	if err != nil || len(ids) > 0 {
		return nil // one that does not answer may do so the next time, or be gone
	}
	r.current = recording{}
	r.source.seal(ctx, true)
	r.stopped.Store(true)
	return nil
}
