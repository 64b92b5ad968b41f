package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// untilFirst is the percentage of garbage until the first collection, which then comes when the
// heap has 16 MiB. Go begins at 4 MiB.
const untilFirst = 400

// collections says when garbage is collected.
var collections struct {
	mu      sync.Mutex
	delayed bool // the first one has not begun
	percent int  // from the first one on
}

// DelayGC puts off the first collection of garbage: most commands end before they need one. The
// variable GOGC of the environment has its way.
func DelayGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	c := &collections
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delayed, c.percent = true, debug.SetGCPercent(untilFirst)
	type marker struct{ _ *byte }
	runtime.AddCleanup(new(marker), func(int) { // the first collection finds that nothing refers to it
		c.mu.Lock()
		defer c.mu.Unlock()
		c.delayed = false
		debug.SetGCPercent(c.percent)
	}, 0)
}

// SetGCPercent sets how much garbage there may be, as [debug.SetGCPercent] does, from the first
// collection on. It returns a function that undoes that. It does nothing if the environment has
// GOGC.
func SetGCPercent(percent int) (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	c := &collections
	set := func(percent int) (before int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.delayed {
			before, c.percent = c.percent, percent
			return before
		}
		return debug.SetGCPercent(percent)
	}
	before := set(percent)
	return func() { set(before) }
}

// LimitMemory makes Go collect garbage more often where the process comes near that many bytes, as
// [debug.SetMemoryLimit] does. Where more is in use than seven eighths of it there is an eighth for
// garbage, and no limit at all where more than the limit is in use: Go would collect over and over.
// It returns a function that undoes that. It does nothing if the environment has GOMEMLIMIT.
func LimitMemory(bytes int64) (undo func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	l := &limit{bytes: bytes, before: debug.SetMemoryLimit(bytes)}
	l.await()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.undone = true
		debug.SetMemoryLimit(l.before)
	}
}

// limit is a limit of memory that holds while little is in use.
type limit struct {
	bytes, before int64

	mu     sync.Mutex
	undone bool
}

// await adjusts the limit after each collection.
func (l *limit) await() {
	type marker struct{ _ *byte }
	runtime.AddCleanup(new(marker), func(l *limit) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.undone {
			return
		}
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		now, live := l.before, int64(sample[0].Value.Uint64())
		if live <= l.bytes {
			now = max(l.bytes, live+l.bytes/8)
		}
		if now != debug.SetMemoryLimit(-1) {
			debug.SetMemoryLimit(now)
		}
		l.await()
	}, l)
}
