package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// jvmRecorder starts and stops the recordings that a stream makes in a virtual machine.
type jvmRecorder struct {
	vm         *attach.VM
	liveness   *repository.Liveness
	livenessMu sync.Mutex  // guards liveness
	stopped    atomic.Bool // nothing is to be delivered but what has been recorded by now

	// locked is a mutex: it holds a value while it is locked. It is a channel because commands to a
	// virtual machine can take long, and waiting for the lock must end with a context. It guards the
	// fields after it.
	locked         chan struct{}
	started        bool // the stream has been started
	ended          bool // the stream has ended: nothing more is started
	current        jvmRecording
	previous       jvmRecording            // that the current one has renewed: it has what was recorded before
	recorded       attach.RecordingOptions // of the current one
	begun          time.Time               // the current one was
	renewal        *time.Timer             // of the current one
	toStop         []jvmRecording
	currentVersion int               // how many changes of what is wanted the current one has
	source         *repositorySource // nil before the stream has one
	gap            error             // that is to be reported
}

// jvmRecording is a recording that the virtual machine was asked to make.
type jvmRecording struct {
	name string
	id   int // 0 if it is not known whether it has been started
}

// stopTimeout is how long stopping a recording may take when the stream has ended.
var stopTimeout = 10 * time.Second

// exitPollInterval is how often the end of the virtual machine is looked for.
const exitPollInterval = 20 * time.Millisecond

// lock waits for the lock.
func (r *jvmRecorder) lock(ctx context.Context) error {
	select {
	case r.locked <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unlock releases the lock.
func (r *jvmRecorder) unlock() { <-r.locked }

// IsOwnRecording reports whether a stream of this process has made the recording of that name.
func IsOwnRecording(name string) bool {
	return strings.HasPrefix(name, attach.StreamName) && attach.IsOwn(name)
}

// startRecording starts a recording, and stops the earlier ones. It does nothing if the current one
// has all changes.
func (r *jvmRecorder) startRecording(ctx context.Context, o attach.RecordingOptions, changes int) error {
	if changes != r.currentVersion {
		replaced := r.previous
		if err := r.startNext(ctx, o); err != nil {
			return err
		}
		r.toStop = appendKnown(r.toStop, replaced, r.previous)
		r.currentVersion, r.previous = changes, jvmRecording{}
	}
	r.pinChunks(ctx)
	return r.stopOld(ctx)
}

// startNext starts a recording that takes the place of the current one, which becomes the previous. It
// ends by itself if nobody renews it. Without a file, JDK 17 keeps it after that, and JDK 25 writes it
// into its working directory.
func (r *jvmRecorder) startNext(ctx context.Context, o attach.RecordingOptions) error {
	interval := renewalOf(o)
	o.Name, o.Duration, o.Filename = attach.OwnedName(attach.StreamName), leaseOf(o), os.DevNull
	if o.MaxAge == 0 && o.MaxSize == 0 {
		o.MaxSize = defaultSize
	}
	begun := time.Now() // no later than the JVM says
	id, err := r.vm.StartRecording(ctx, o)
	if errors.Is(err, attach.ErrNoAnswer) || errors.Is(err, attach.ErrBadReply) {
		r.toStop = append(r.toStop, jvmRecording{name: o.Name})
	}
	if err != nil {
		return err
	}
	r.previous, r.current = r.current, jvmRecording{o.Name, id}
	r.recorded, r.begun = o, begun
	r.renewIn(interval)
	return nil
}

// Recordings are renewed after renewInterval, or how much of them is kept if that is more. Each goes on
// until the second one after it is started, so that a dump has all that is kept. renewSlack is how late
// that may be.
var (
	renewInterval = defaultAge
	renewSlack    = 2 * time.Minute
	renewRetry    = 10 * time.Second
)

// defaultSize is how many bytes JVMs keep of a recording without a limit or an end.
const defaultSize = 250 << 20

// noAgeInterval is the interval of recordings that are kept without a limit of age.
const noAgeInterval = 24 * time.Hour

func renewalOf(o attach.RecordingOptions) time.Duration {
	if o.MaxAge == 0 {
		return noAgeInterval
	}
	return max(o.MaxAge, renewInterval)
}

// leaseOf returns how long a recording goes on if nobody renews it.
func leaseOf(o attach.RecordingOptions) time.Duration { return 2*renewalOf(o) + renewSlack }

// renewIn has the recording renewed after a time, and not before.
func (r *jvmRecorder) renewIn(d time.Duration) {
	if r.renewal != nil {
		r.renewal.Stop()
	}
	r.renewal = time.AfterFunc(d, func() {
		_ = r.lock(context.Background()) // which does not end
		defer r.unlock()
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if r.current.id == 0 || r.exited() {
			return
		}
		if err := r.renew(ctx); err != nil {
			r.renewIn(renewRetry)
		}
	})
}

// renew lets the recording go on. If it has ended meanwhile, another one begins, and nothing is left of
// those before.
func (r *jvmRecorder) renew(ctx context.Context) error {
	old, expired := r.previous, r.expired()
	if err := r.startNext(ctx, r.recorded); err != nil {
		return err
	}
	r.toStop = appendKnown(r.toStop, old)
	if expired {
		r.toStop = appendKnown(r.toStop, r.previous)
		r.previous = jvmRecording{}
		r.gap = fmt.Errorf("process %d: %w", r.vm.PID(), ErrGap)
	}
	r.pinChunks(ctx)
	_ = r.stopOld(ctx) // it is tried again, and they end by themselves
	return nil
}

// expired reports whether the current recording has ended because it was not renewed: this process, or
// the machine, slept. Clocks that go on then say so.
func (r *jvmRecorder) expired() bool {
	return time.Now().Round(0).Sub(r.begun.Round(0)) > leaseOf(r.recorded)-time.Second/10
}

// giveUp has the recordings of the stream stopped with the next ones.
func (r *jvmRecorder) giveUp() {
	if r.renewal != nil {
		r.renewal.Stop()
	}
	r.toStop = appendKnown(r.toStop, r.previous, r.current)
	r.previous, r.current = jvmRecording{}, jvmRecording{}
}

// appendKnown appends the recordings that there are.
func appendKnown(list []jvmRecording, more ...jvmRecording) []jvmRecording {
	for _, rec := range more {
		if rec.id != 0 {
			list = append(list, rec)
		}
	}
	return list
}

// pinChunks opens the chunks that are still to be delivered, before the virtual machine removes
// them with a recording.
func (r *jvmRecorder) pinChunks(ctx context.Context) {
	if r.source != nil && len(r.toStop) > 0 {
		r.source.pinAll(ctx)
	}
}

// stopOld stops all recordings that are not needed any more. It tries again the next time if one
// cannot be stopped.
func (r *jvmRecorder) stopOld(ctx context.Context) error {
	var errs []error
	r.toStop = slices.DeleteFunc(r.toStop, func(rec jvmRecording) bool {
		err := r.ensureStopped(ctx, rec)
		errs = append(errs, err)
		return err == nil
	})
	return errors.Join(errs...)
}

// close stops all recordings, and prevents that others are started.
func (r *jvmRecorder) close(ctx context.Context) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	r.ended, r.source = true, nil
	r.giveUp()
	return r.stopOld(ctx)
}

// ensureStopped stops a recording. It succeeds if the recording does not run.
func (r *jvmRecorder) ensureStopped(ctx context.Context, rec jvmRecording) error {
	if r.exited() {
		return nil
	}
	if rec.id != 0 && r.vm.Stop(ctx, rec.id) == nil {
		return nil
	}
	// Another process may have stopped it, or it was never started.
	goes, err := r.running(ctx, rec.name)
	for _, id := range goes {
		err = errors.Join(err, r.vm.Stop(ctx, id))
	}
	if err == nil || mayBeExit(err) && awaitEnd(ctx, stopTimeout, r.exited) {
		return nil
	}
	return fmt.Errorf("%w; end it with jcmd %d JFR.stop name=%q: %w", ErrLeft, r.vm.PID(), rec.name, err)
}

// running returns the ids of the recordings with a name that run, or will; of all if it is "".
func (r *jvmRecorder) running(ctx context.Context, name string) (ids []int, err error) {
	list, err := r.vm.Recordings(ctx)
	for _, rec := range list {
		if (name == "" || rec.Name == name) && (rec.State == "running" || rec.State == "delayed") {
			ids = append(ids, rec.ID)
		}
	}
	return ids, err
}

// mayBeExit reports whether err may come from the end of the virtual machine, which takes no commands
// when it is nearly over.
func mayBeExit(err error) bool {
	return !errors.Is(err, attach.ErrSuspended) &&
		(errors.Is(err, attach.ErrNoAnswer) || errors.Is(err, attach.ErrNoProcess) || errors.Is(err, attach.ErrBadReply))
}

// awaitEnd waits until something has ended, for a time at most, and reports whether it has.
func awaitEnd(ctx context.Context, most time.Duration, ended func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for !ended() {
		select {
		case <-time.After(exitPollInterval):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// exited reports whether the virtual machine has ended.
func (r *jvmRecorder) exited() bool {
	r.livenessMu.Lock()
	defer r.livenessMu.Unlock()
	return r.liveness.State() == repository.Dead
}

// stop stops the recording. The stream then delivers only what has been recorded by now.
func (r *jvmRecorder) stop(ctx context.Context) error {
	if err := r.lock(ctx); err != nil {
		r.stopped.Store(true)
		return err
	}
	defer r.unlock()
	if r.stopped.Load() {
		return nil
	}
	defer r.stopped.Store(true) // while checkStopped waits, to which nothing runs any more
	own := r.current.id != 0
	r.giveUp()
	r.pinChunks(ctx)
	err := r.stopOld(ctx)
	if r.source != nil {
		r.source.pinLast(ctx, own && err == nil)
	}
	return err
}

// checkStopped is called at the end of a chunk. It waits until a command that may have ended the
// chunk is done. With ask it finds out whether the recording has ended, which is an error.
func (r *jvmRecorder) checkStopped(ctx context.Context, ask bool) error {
	if ended, err := r.foundStopped(ctx, ask); !ended {
		return err
	}
	gone := func() bool { return r.exited() || r.source.removed() }
	if awaitEnd(ctx, maxWait, gone) || ctx.Err() != nil {
		return context.Cause(ctx) // virtual machines stop recordings when they exit
	}
	return fmt.Errorf("process %d: %w", r.vm.PID(), ErrStopped)
}

// foundStopped reports whether the recording has ended, and gives it up then.
func (r *jvmRecorder) foundStopped(ctx context.Context, ask bool) (ended bool, err error) {
	if err := r.lock(ctx); err != nil {
		return false, err
	}
	defer r.unlock()
	if err := r.gap; err != nil {
		r.gap = nil
		return false, err
	}
	if !ask || r.ended || r.stopped.Load() {
		return false, nil
	}
	goes, err := r.running(ctx, r.current.name)
	if err != nil || len(goes) > 0 {
		return false, nil // the next call may get an answer, or the virtual machine may have ended
	}
	if r.current.id != 0 && r.expired() && r.renew(ctx) == nil {
		return false, nil
	}
	r.giveUp()
	r.source.pinLast(ctx, true)
	r.stopped.Store(true)
	return true, nil
}

// optionsFunc returns what is to be recorded, and the version of that.
type optionsFunc func() (o attach.RecordingOptions, changes int)

// open starts a recording if one is configured, and follows the repository.
func (r *jvmRecorder) open(ctx context.Context, asked optionsFunc, o *settings) (source, error) {
	if err := r.lock(ctx); err != nil {
		return nil, err
	}
	defer r.unlock()
	if r.stopped.Load() {
		return nil, errClosing // nothing has been recorded
	}
	r.started = true
	before, err := listChunks(ctx, r.vm)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	options, changes := asked()
	if err := r.startRecording(ctx, options, changes); err != nil {
		return nil, err
	}
	own := r.current.id != 0
	if !own {
		if err := r.checkOthers(ctx); err != nil {
			return nil, err
		}
	}
	now, err := listChunks(ctx, r.vm)
	if err != nil {
		return nil, err
	}
	if now.dir == "" {
		return nil, r.noRecording()
	}
	first := own && o.from.IsZero()
	if first {
		o.from = began
		if f, ok := now.firstNew(before); ok {
			o.from = time.Unix(0, f.Start)
		}
	}
	if r.source, err = openRepositorySource(now.dir, *o, r); err != nil {
		return nil, err
	}
	if first {
		return &firstChunkSource{repositorySource: r.source, settings: o}, nil
	}
	return r.source, nil
}

// checkOthers returns an error if no recording runs.
func (r *jvmRecorder) checkOthers(ctx context.Context) error {
	goes, err := r.running(ctx, "")
	if err == nil && len(goes) == 0 {
		err = r.noRecording()
	}
	return err
}

func (r *jvmRecorder) noRecording() error {
	return fmt.Errorf("process %d: %w", r.vm.PID(), ErrNoRecording)
}

// update gives the recording the options that have been set.
func (r *jvmRecorder) update(ctx context.Context, asked optionsFunc) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	switch {
	case r.ended, r.stopped.Load():
		return ErrClosed
	case !r.started:
		return nil
	}
	options, changes := asked()
	return r.startRecording(ctx, options, changes)
}

// recordingID returns the id of the recording.
func (r *jvmRecorder) recordingID(ctx context.Context) (int, error) {
	if err := r.lock(ctx); err != nil {
		return 0, err
	}
	defer r.unlock()
	switch {
	case r.ended, r.stopped.Load():
		return 0, ErrClosed
	case !r.started:
		return 0, ErrNotStarted
	case r.current.id == 0:
		return 0, ErrNoRecording
	case r.expired():
		if err := r.renew(ctx); err != nil {
			return 0, err
		}
	}
	return cmp.Or(r.previous.id, r.current.id), nil
}

// firstChunkSource is a source that begins with the first chunk of a recording. Its start time is
// that of this chunk, and holds for this chunk only, even if the clock is set back later.
type firstChunkSource struct {
	*repositorySource
	settings *settings
	first    *mmapjfr.GrowingChunk
	passed   bool
}

func (f *firstChunkSource) next(ctx context.Context) (part, error) {
	p, err := f.repositorySource.next(ctx)
	switch {
	case f.passed || p.chunk == nil:
	case f.first == nil:
		f.first = p.chunk
	case f.first != p.chunk:
		f.first, f.passed, f.settings.from = nil, true, time.Time{}
	}
	return p, err
}

// chunkList is the list of chunks that a virtual machine has at a moment.
type chunkList struct {
	dir   string // "" before it has recorded anything
	files []repository.File
}

// listChunks returns the chunks of a virtual machine.
func listChunks(ctx context.Context, vm *attach.VM) (chunkList, error) {
	dir, err := vm.Repository(ctx)
	if err != nil || dir == "" {
		return chunkList{}, err
	}
	repo := repository.Open(dir)
	if err := repo.Scan(); err != nil {
		return chunkList{}, err
	}
	return chunkList{dir, repo.Files()}, nil
}

// firstNew returns the first chunk that is not in before. It returns false if there is no such
// chunk.
func (c chunkList) firstNew(before chunkList) (repository.File, bool) {
	for _, f := range c.files {
		if !slices.ContainsFunc(before.files, func(old repository.File) bool { return old.Path == f.Path }) {
			return f, true
		}
	}
	return repository.File{}, false
}
