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

// spans are parts of the time of recordings, of all threads or of single ones.
type spans struct {
	byThread bool
	recs     map[mmapjfr.Chunk]*mmapjfr.Recording
	byKey    map[threadOf][]window // sorted, without overlaps
}

type threadOf struct {
	rec  *mmapjfr.Recording
	java int64
	os   int64
}

// window is a time from its first nanosecond to the one after its last.
type window struct{ from, to int64 }

var pathTag = mmapjfr.Path("tag")

// slowRequests returns the times in which threads were busy with requests for a time at least:
// events of a type, or spans and traced methods without one. With a tag only its spans count.
// Events are written at their end; those of requests that never ended are not known.
func slowRequests(ctx context.Context, recs []*mmapjfr.Recording, least time.Duration, typ, tag string) (*spans, error) {
	types := []string{"profiler.Span", "jdk.MethodTrace"}
	switch {
	case typ != "":
		types = []string{typ}
	case tag != "":
		types = types[:1]
	}
	return newSpans(ctx, recs, true, types, func(ev mmapjfr.Event) bool {
		return ev.Duration() >= least && (tag == "" || ev.Str(pathTag) == tag)
	})
}

// pauses returns the times in which garbage collections stopped all threads.
func pauses(ctx context.Context, recs []*mmapjfr.Recording) (*spans, error) {
	return newSpans(ctx, recs, false, []string{"jdk.GCPhasePause"}, func(mmapjfr.Event) bool { return true })
}

func newSpans(ctx context.Context, recs []*mmapjfr.Recording, byThread bool, types []string, counts func(mmapjfr.Event) bool) (*spans, error) {
	w := &spans{byThread: byThread, recs: make(map[mmapjfr.Chunk]*mmapjfr.Recording), byKey: make(map[threadOf][]window)}
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
				w.byKey[key] = append(w.byKey[key], window{ev.StartNanos(), engine.EventEndNanos(ev)})
			}
		}
	}
	for key, list := range w.byKey {
		w.byKey[key] = union(list)
	}
	return w, errors.Join(errs...)
}

// key returns the thread of an event. Threads have numbers of their own in each recording.
func (w *spans) key(ev mmapjfr.Event) threadOf {
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

// isEmpty reports whether there are no windows at all.
func (w *spans) isEmpty() bool { return len(w.byKey) == 0 }

// contains reports whether an event of the recordings began in a window, of its thread if the
// windows are of single threads. Several goroutines may call it at once.
func (w *spans) contains(ev mmapjfr.Event) bool {
	list := w.byKey[w.key(ev)]
	at := ev.StartNanos()
	i, exact := slices.BinarySearchFunc(list, at, func(s window, at int64) int { return cmp.Compare(s.from, at) })
	if exact {
		i++
	}
	return i > 0 && at < list[i-1].to
}
