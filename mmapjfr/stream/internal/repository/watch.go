package repository

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// pollInterval is how often Wait returns if the system does not notify.
	pollInterval = 20 * time.Millisecond
	// minInterval is the least time between two returns of Wait.
	minInterval = 5 * time.Millisecond
	// maxDrain bounds the time for taking notifications if there are always more.
	maxDrain = time.Millisecond
)

// ErrClosed says that a [Watch] has been closed.
var ErrClosed = errors.New("watch is closed")

// Watch notices that something may have changed in directories and files. Files in subdirectories
// do not count.
//
// It uses the system's notifications. Without them it reports a possible change every 20 ms.
type Watch struct {
	notifier *fsnotify.Watcher // nil without notifications
	timer    *time.Timer       // of Wait
	last     time.Time         // when Wait returned
	changed  chan struct{}     // the fields after mu have changed

	mu     sync.Mutex
	paths  map[string]pathState
	added  bool // Wait has not reported a new path
	closed bool
	done   chan struct{}

	failed   atomic.Bool // notifications do not work
	overflow atomic.Bool // notifications were lost
	failures sync.WaitGroup
}

// pathState is whether there are notifications about a path.
type pathState int

const (
	notified pathState = iota
	missing            // not there
	silent             // there are none
)

// NewWatch returns a Watch of directories and files, which need not exist yet. Read them after
// that, and then wait. Close the Watch.
func NewWatch(path ...string) *Watch {
	// Windows notifies of writes to a file late: when the file is closed or its cache flushed.
	if runtime.GOOS == "windows" {
		return NewPollingWatch(path...)
	}
	notifier, err := fsnotify.NewWatcher()
	if err != nil {
		notifier = nil
	}
	return newWatch(notifier, path)
}

// NewPollingWatch is [NewWatch] without the system's notifications.
func NewPollingWatch(path ...string) *Watch {
	return newWatch(nil, path)
}

func newWatch(notifier *fsnotify.Watcher, path []string) *Watch {
	w := &Watch{
		notifier: notifier,
		timer:    time.NewTimer(time.Hour),
		changed:  make(chan struct{}, 1),
		paths:    map[string]pathState{},
		done:     make(chan struct{}),
	}
	for _, p := range path {
		w.Add(p)
	}
	w.added = false
	if notifier != nil {
		w.failures.Go(w.takeErrors)
	}
	return w
}

// Add watches one more directory or file. Adding counts as a change, because earlier changes are
// not known. A directory inside a watched directory may be watched, too; watching a file in one is
// of no use.
func (w *Watch) Add(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path = filepath.Clean(path)
	if _, ok := w.paths[path]; ok || w.closed {
		return
	}
	w.paths[path] = w.listen(path)
	w.added = true
	w.wake()
}

// Remove ends watching a directory or file.
func (w *Watch) Remove(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path = filepath.Clean(path)
	state, ok := w.paths[path]
	if !ok || w.closed {
		return
	}
	delete(w.paths, path)
	if state == notified && w.notifier != nil {
		_ = w.notifier.Remove(path) // the path may not exist any more
	}
	w.wake()
}

// set watches these paths and no others.
func (w *Watch) set(paths ...string) {
	w.mu.Lock()
	var old []string
	for p := range w.paths {
		if !slices.Contains(paths, p) {
			old = append(old, p)
		}
	}
	w.mu.Unlock()
	for _, p := range paths {
		w.Add(p)
	}
	for _, p := range old {
		w.Remove(p)
	}
}

// polling reports whether the system does not notify of changes of some path, so that Wait
// returns often. The lock is held.
func (w *Watch) polling() bool { return w.notifier == nil || w.failed.Load() || w.hasPath(silent) }

// hasPath reports whether a path is in a state. The lock is held.
func (w *Watch) hasPath(in pathState) bool {
	for _, state := range w.paths {
		if state == in {
			return true
		}
	}
	return false
}

// Wait returns nil when something may have changed since it last returned, or since [NewWatch], or
// when atMost has passed. It returns the error of ctx if that is done, and [ErrClosed] if the Watch
// is closed. It returns at most every 5 ms, but at once after a while without changes. It may
// return without a change. Only one goroutine may wait.
func (w *Watch) Wait(ctx context.Context, atMost time.Duration) error {
	err := w.wait(ctx, atMost)
	w.last = time.Now()
	return err
}

func (w *Watch) wait(ctx context.Context, atMost time.Duration) error {
	end := time.Now().Add(atMost)
	// The system merges notifications of writes to a file meanwhile.
	if err := w.pause(ctx, time.Until(w.last.Add(minInterval))); err != nil {
		return err
	}
	for {
		if w.drain() || w.pathsChanged() {
			return nil
		}
		left := time.Until(end)
		if left <= 0 {
			return ctx.Err()
		}
		w.mu.Lock()
		polling, someLost := w.polling(), w.hasPath(missing)
		w.mu.Unlock()
		if polling {
			return w.pause(ctx, min(left, pollInterval))
		}
		if someLost {
			left = min(left, pollInterval)
		}
		w.timer.Reset(left)
		select {
		case ev, ok := <-w.events():
			w.handle(ev, ok)
			return w.state(ctx)
		case <-w.changed:
		case <-w.timer.C:
		case <-w.done:
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pause waits for a time.
func (w *Watch) pause(ctx context.Context, d time.Duration) error {
	if d > 0 {
		w.timer.Reset(d)
		select {
		case <-w.timer.C:
		case <-w.done:
		case <-ctx.Done():
		}
	}
	return w.state(ctx)
}

// state returns the error with which Wait must end, if any.
func (w *Watch) state(ctx context.Context) error {
	select {
	case <-w.done:
		return ErrClosed
	default:
		return ctx.Err()
	}
}

// pathsChanged reports whether a path has been added or exists again, or a notification was lost.
func (w *Watch) pathsChanged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	news := w.added
	w.added = false
	if w.overflow.Swap(false) {
		news = true
		// It may have said that a path is not there any more.
		for path, state := range w.paths {
			if state == notified {
				w.paths[path] = w.listen(path)
			}
		}
	}
	for path, state := range w.paths {
		if state == missing && !w.closed {
			w.paths[path] = w.listen(path)
			news = news || w.paths[path] != missing
		}
	}
	return news
}

// drain takes all notifications, and reports whether there were any.
func (w *Watch) drain() bool {
	begin := time.Now()
	for some, idle := false, 0; ; {
		select {
		case ev, ok := <-w.events():
			w.handle(ev, ok)
			some, idle = true, 0
		default:
			if !some || idle == 3 {
				return some
			}
			// The notifier may not have sent the next one yet.
			idle++
			runtime.Gosched()
		}
		if time.Since(begin) > maxDrain {
			return some
		}
	}
}

func (w *Watch) events() <-chan fsnotify.Event {
	if w.notifier == nil {
		return nil
	}
	return w.notifier.Events
}

// handle handles a notification. It matters only if it says that a path was removed or replaced.
func (w *Watch) handle(ev fsnotify.Event, ok bool) {
	if ok && ev.Op&(fsnotify.Remove|fsnotify.Rename|fsnotify.Chmod|fsnotify.Create) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ok {
		w.failed.Store(true) // or it is closed
		return
	}
	// Chmod is sent when an open file is removed, Create when a file is replaced.
	if state, ok := w.paths[ev.Name]; ok && state == notified {
		w.paths[ev.Name] = w.listen(ev.Name)
	}
}

// takeErrors takes the notifier's errors until it is closed. It takes no lock: the notifier may
// wait for it while [Watch.Add] waits for the notifier.
func (w *Watch) takeErrors() {
	for err := range w.notifier.Errors {
		// A directory that was moved and then removed is an invalid argument.
		if errors.Is(err, fsnotify.ErrEventOverflow) || errors.Is(err, syscall.EINVAL) {
			w.overflow.Store(true)
		} else {
			w.failed.Store(true)
		}
		w.wake()
	}
}

// listen asks for notifications about a path, perhaps once more.
func (w *Watch) listen(path string) pathState {
	if w.notifier == nil || w.closed {
		return silent
	}
	err := w.notifier.Add(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing
	case err != nil || isRemote(path):
		return silent
	}
	return notified
}

// wake makes Wait look at the fields of the Watch.
func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Close ends the Watch. Wait then returns [ErrClosed].
func (w *Watch) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	close(w.done)
	if w.notifier == nil {
		return nil
	}
	err := w.notifier.Close()
	w.failures.Wait()
	return err
}
