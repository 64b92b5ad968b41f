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
	// pollInterval is how often to look where the system does not notify.
	pollInterval = 20 * time.Millisecond
	// minInterval is the least time from one return of Wait to the next.
	minInterval = 5 * time.Millisecond
	// maxDrain is how long to take notifications for, if there are ever more.
	maxDrain = time.Millisecond
)

// ErrClosed says that a [Watch] has been closed.
var ErrClosed = errors.New("watch is closed")

// Watch notices that something may have changed in directories and files. Files in
// directories that are in a directory do not belong to it.
//
// It takes the system's notifications. Where there are none it says of every 20 ms that
// something may have changed.
type Watch struct {
	notifier *fsnotify.Watcher // nil where there is none
	timer    *time.Timer       // of Wait
	last     time.Time         // when Wait returned
	changed  chan struct{}     // something of what follows has changed

	mu      sync.Mutex
	paths   map[string]pathState
	missing int  // how many paths are lost
	silent  int  // how many paths are mute
	added   bool // there is a path that Wait has not told of
	closed  bool
	done    chan struct{}

	failed   atomic.Bool // notifications do not work
	overflow atomic.Bool // some were lost
	failures sync.WaitGroup
}

// pathState is whether there are notifications about a path.
type pathState int

const (
	notified pathState = iota
	missing            // not there
	silent             // there are none
)

// NewWatch returns a Watch of directories and files, which need not be there yet. Look at
// them after that, and then wait. It is to be closed.
func NewWatch(path ...string) *Watch {
	// Windows tells of what is written to a file when it is closed, or when its cache
	// sees fit.
	if runtime.GOOS == "windows" {
		return NewPollingWatch(path...)
	}
	notifier, err := fsnotify.NewWatcher()
	if err != nil {
		notifier = nil
	}
	return newWatch(notifier, path)
}

// NewPollingWatch is like [NewWatch], but does without the system's notifications.
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

// Add watches one more directory or file. As what happened to it before is not known, it
// counts as a change. A directory that is in one that is watched may be watched too; to
// watch a file in one only makes work.
func (w *Watch) Add(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path = filepath.Clean(path)
	if _, ok := w.paths[path]; ok || w.closed {
		return
	}
	w.setState(path, w.listen(path))
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
	w.remove(path)
	if state == notified && w.notifier != nil {
		_ = w.notifier.Remove(path) // it may have gone by itself
	}
	w.wake()
}

// set watches these and nothing else.
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
func (w *Watch) polling() bool { return w.notifier == nil || w.failed.Load() || w.silent > 0 }

// Wait returns nil when something may have changed since it returned last, or since
// [NewWatch], or when that time has gone by. It returns the error of ctx if that is done,
// and [ErrClosed] if the Watch is closed. It does not return more often than every 5 ms,
// so a change is told at once if there was none for a while. It may also return without
// a change. It may not be called while it is waiting already.
func (w *Watch) Wait(ctx context.Context, atMost time.Duration) error {
	err := w.wait(ctx, atMost)
	w.last = time.Now()
	return err
}

func (w *Watch) wait(ctx context.Context, atMost time.Duration) error {
	end := time.Now().Add(atMost)
	// What comes meanwhile stays with the system, which makes one of many writes to a
	// file.
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
		polling, someLost := w.polling(), w.missing > 0
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

// state returns why there is nothing to wait for, if so.
func (w *Watch) state(ctx context.Context) error {
	select {
	case <-w.done:
		return ErrClosed
	default:
		return ctx.Err()
	}
}

// pathsChanged tells whether a path has been added or has come back, or a notification was lost.
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
				w.setState(path, w.listen(path))
			}
		}
	}
	if w.missing > 0 && !w.closed {
		for path, state := range w.paths {
			if state != missing {
				continue
			}
			if now := w.listen(path); now != missing {
				w.setState(path, now)
				news = true
			}
		}
	}
	return news
}

// drain takes what notifications there are, and tells whether there were any.
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
			// The notifier may have more, but has had no time yet to hand out the next.
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

// handle notes that there was a notification. That is enough, unless it says that a path
// is not there any more or not the same.
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
	// Chmod comes when a file is removed that somebody has open, Create when one takes
	// the place of another.
	if state, ok := w.paths[ev.Name]; ok && state == notified {
		w.setState(ev.Name, w.listen(ev.Name))
	}
}

// takeErrors takes the notifier's errors until it is closed. It takes no lock: the
// notifier may wait for it while [Watch.Add] waits for the notifier.
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

// listen asks for notifications about a path, maybe once more.
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

// setState notes a path's state.
func (w *Watch) setState(path string, state pathState) {
	w.remove(path)
	w.paths[path] = state
	w.count(state, 1)
}

// remove forgets a path.
func (w *Watch) remove(path string) {
	if state, ok := w.paths[path]; ok {
		w.count(state, -1)
		delete(w.paths, path)
	}
}

func (w *Watch) count(state pathState, by int) {
	switch state {
	case missing:
		w.missing += by
	case silent:
		w.silent += by
	}
}

// wake makes Wait look at what has changed in the Watch.
func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Close ends watching. Whoever waits gets [ErrClosed].
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
