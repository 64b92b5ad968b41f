package profile

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// windows returns a condition for what the flags say of the time of samples, and for another
// condition, which may be nil.
func (v *verb) windows(ctx context.Context, set *input.Set, where func(mmapjfr.Event) bool) (func(mmapjfr.Event) bool, error) {
	also := func(w *spans, in bool) {
		before := where
		where = func(ev mmapjfr.Event) bool { return w.contains(ev) == in && (before == nil || before(ev)) }
	}
	if v.latency > 0 {
		name, err := requestType(set, v.request)
		if err != nil {
			return nil, err
		}
		w, err := slowRequests(ctx, set.Recordings, v.latency, name, v.tag)
		if w == nil {
			return nil, err
		}
		if w.isEmpty() {
			v.noRequest = true
			what := cmp.Or(name, "profiler.Span or jdk.MethodTrace; name the event type of your requests with --latency-event")
			v.Report(fmt.Errorf("nothing took %v: the recording has no such %s", v.latency, what))
		}
		also(w, true)
	}
	if v.pauses != "" {
		w, err := pauses(ctx, set.Recordings)
		if w == nil {
			return nil, err
		}
		also(w, v.pauses == "in")
	}
	return where, nil
}

// requestType returns the full name of the type of --latency-event; "" without.
func requestType(set *input.Set, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	name, err := eventName(set, name)
	if err != nil {
		return "", err
	}
	for _, rec := range set.Recordings {
		t, ok := rec.Type(name)
		if !ok {
			continue
		}
		for _, field := range []string{"duration", "eventThread"} {
			if _, _, err := t.Resolve(mmapjfr.Path(field)); err != nil {
				return "", cli.Usagef("--latency-event %s: %v; requests have a duration and a thread", name, err)
			}
		}
	}
	return name, nil
}

// eventName returns the full name of an event type.
func eventName(set *input.Set, name string) (string, error) {
	types, _ := mmapjfr.EventTypes(set.Recordings) // reading the events reports errors
	t, err := engine.EventTypeNamed(types, name)
	return t.Name(), cli.Usage(err)
}
