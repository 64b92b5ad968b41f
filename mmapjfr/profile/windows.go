package profile

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Windows are parts of the time of recordings, of all threads or of single ones.
type Windows struct {
	byThread bool
	recs     map[mmapjfr.Chunk]*mmapjfr.Recording
	spans    map[threadOf][]window // sorted, without overlaps
}

type threadOf struct {
	rec  *mmapjfr.Recording
	java int64
	os   int64
}

// window is a time from its first nanosecond to the one after its last.
type window struct{ from, to int64 }

var pathTag = mmapjfr.Path("tag")

// Requests are events that say what a thread was busy with, and for how long.
type Requests struct {
	// Least is how long they took at least.
	Least time.Duration
	// Type is the full name of their type; "" for profiler.Span and jdk.MethodTrace.
	Type string
	// Tag, if it is not "", is that of the spans that count. Without Type no other events do.
	Tag string
}

// SlowRequests returns the times in which threads were busy with requests. Their events are written at
// their end; those that never ended are not known.
func SlowRequests(ctx context.Context, recs []*mmapjfr.Recording, r Requests) (*Windows, error) {
	types := []string{"profiler.Span", "jdk.MethodTrace"}
	switch {
	case r.Type != "":
		types = []string{r.Type}
	case r.Tag != "":
		types = types[:1]
	}
	return newWindows(ctx, recs, true, types, func(ev mmapjfr.Event) bool {
		return ev.Duration() >= r.Least && (r.Tag == "" || ev.Str(pathTag) == r.Tag)
	})
}

// Pauses returns the times in which garbage collections stopped all threads.
func Pauses(ctx context.Context, recs []*mmapjfr.Recording) (*Windows, error) {
	return newWindows(ctx, recs, false, []string{"jdk.GCPhasePause"}, func(mmapjfr.Event) bool { return true })
}

func newWindows(ctx context.Context, recs []*mmapjfr.Recording, byThread bool, types []string, counts func(mmapjfr.Event) bool) (*Windows, error) {
	w := &Windows{byThread: byThread, recs: make(map[mmapjfr.Chunk]*mmapjfr.Recording), spans: make(map[threadOf][]window)}
	var errs []error
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			w.recs[c] = rec
		}
		for ev, err := range rec.Select(mmapjfr.Types(types...)).Events() {
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil:
				errs = append(errs, err)
			case counts(ev):
				key := w.key(ev)
				w.spans[key] = append(w.spans[key], window{ev.StartNanos(), engine.EventEndNanos(ev)})
			}
		}
	}
	for key, list := range w.spans {
		w.spans[key] = union(list)
	}
	return w, errors.Join(errs...)
}

// key returns the thread of an event. Threads have numbers of their own in each recording.
func (w *Windows) key(ev mmapjfr.Event) threadOf {
	rec := w.recs[ev.Chunk()]
	if !w.byThread {
		return threadOf{rec: rec}
	}
	t := ev.Thread()
	return threadOf{rec, t.JavaThreadID(), t.OSThreadID()}
}

// union sorts windows and joins those that overlap.
func union(list []window) (joined []window) {
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	for _, next := range list {
		if n := len(joined); n > 0 && next.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, next.to)
			continue
		}
		joined = append(joined, next)
	}
	return joined
}

// IsEmpty reports whether there are no windows at all.
func (w *Windows) IsEmpty() bool { return len(w.spans) == 0 }

// Contains reports whether an event of the recordings began in a window, of its thread if the
// windows are of single threads. Several goroutines may call it at once.
func (w *Windows) Contains(ev mmapjfr.Event) bool {
	list := w.spans[w.key(ev)]
	at := ev.StartNanos()
	i, exact := slices.BinarySearchFunc(list, at, func(s window, at int64) int { return cmp.Compare(s.from, at) })
	if exact {
		i++
	}
	return i > 0 && at < list[i-1].to
}
