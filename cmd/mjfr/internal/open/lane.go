package open

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// laneEvent is an event that shows what a thread did at a moment.
type laneEvent struct {
	State    string     `json:"state"`
	Sample   bool       `json:"sample"` // it is of a moment, and does not last
	Type     string     `json:"type"`
	Label    string     `json:"label"`
	Start    float64    `json:"start"`
	Duration int64      `json:"duration"` // in nanoseconds
	At       eventPlace `json:"at"`
	Top      string     `json:"top"`   // the innermost frame outside the JDK, or else the innermost; "" without a stack
	Class    string     `json:"class"` // of the monitor, or of what a thread is parked for
	Owner    string     `json:"owner"` // that had the monitor
}

// laneDoc is what a thread did at a moment.
type laneDoc struct {
	Total  int         `json:"total"`
	Events []laneEvent `json:"events"` // some of them: what lasts longest first, then samples
}

const (
	// usualLaneEvents is how many events an answer has.
	usualLaneEvents = 6
	// mostKeptEvents is how many events are kept to choose from.
	mostKeptEvents = 1000
)

// lane answers with the events that show what a thread did at a moment, or near it.
func (x *explorer) lane(r *http.Request) (any, error) {
	q := r.URL.Query()
	id, err := strconv.ParseInt(cmp.Or(q.Get("id"), "0"), 10, 64)
	if err != nil {
		return nil, wrong("id=%s: give the number of a thread, as /api/lanes has it", q.Get("id"))
	}
	at, err := timeOf(q.Get("at"), "at")
	switch {
	case err != nil:
		return nil, err
	case at.IsZero():
		return nil, wrong("at: give a moment, in milliseconds since 1970")
	}
	around, err := strconv.ParseFloat(cmp.Or(q.Get("around"), "0"), 64)
	if err != nil || !(around >= 0 && around < 1e9) {
		return nil, wrong("around=%s: give milliseconds", q.Get("around"))
	}
	most, err := number(r, "limit", usualLaneEvents, mostKeptEvents)
	if err != nil {
		return nil, err
	}
	near := time.Duration(around * 1e6)
	from, to := at.Add(-near).UnixNano(), at.Add(near).UnixNano()
	key := threadKey{name: q.Get("name"), id: id}
	ofThread := mmapjfr.ThreadsFunc(func(t mmapjfr.Thread) bool {
		k := keyOf(t)
		return k.name == key.name && k.id == key.id
	})
	d := &laneDoc{Events: []laneEvent{}}
	until := chosen{to: at.Add(near + 1)}
	events, err := x.lasting(r.Context(), from, to, mostKeptEvents, append(until.filters(), laneTypes(), ofThread)...)
	if err != nil {
		return nil, err
	}
	pauses, err := x.lasting(r.Context(), from, to, mostKeptEvents, append(until.filters(), mmapjfr.Types(pauseType))...)
	if err != nil {
		return nil, err
	}
	d.Total = len(events) + len(pauses)
	for _, ev := range slices.Concat(pauses, events) {
		if len(d.Events) == most {
			break
		}
		d.Events = append(d.Events, x.laneEvent(ev))
	}
	return d, nil
}

// lasting returns events that last in a time: the longest first, and then samples. It keeps at most
// that number of each worker.
func (x *explorer) lasting(ctx context.Context, from, to int64, most int, filters ...mmapjfr.Filter) (all []mmapjfr.Event, err error) {
	for _, rec := range x.set.Recordings {
		workers := make([][]mmapjfr.Event, engine.RecordingWorkers(rec))
		err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
			if engine.EventEndNanos(ev) >= from && ev.StartNanos() <= to && len(workers[worker]) < most {
				workers[worker] = append(workers[worker], ev.Detached())
			}
		}, filters...)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.Concat(workers...)...)
	}
	slices.SortStableFunc(all, func(a, b mmapjfr.Event) int {
		return cmp.Or(cmp.Compare(engine.EventEndNanos(b)-b.StartNanos(), engine.EventEndNanos(a)-a.StartNanos()), cmp.Compare(a.StartNanos(), b.StartNanos()), cmp.Compare(a.Offset(), b.Offset()))
	})
	return all, nil
}

var pathParked = mmapjfr.Path("parkedClass")

// laneEvent describes an event of a lane, or a pause.
func (x *explorer) laneEvent(ev mmapjfr.Event) laneEvent {
	state, sample, ok := stateOf(ev)
	d := laneEvent{
		State: "paused", Sample: sample, Type: ev.Type().Name(), Label: labelOf(ev.Type()), Start: millis(ev.Start()), Duration: engine.EventEndNanos(ev) - ev.StartNanos(), At: x.place(ev),
		Class: cmp.Or(ev.Get(pathMonitor).Class().Name(), ev.Get(pathParked).Class().Name()), Owner: keyOf(ev.Get(pathOwner).Thread()).title(),
	}
	if ok {
		d.State = states[state].name
	}
	d.Top = topOf(ev.StackTrace())
	return d
}

// topOf returns the innermost frame outside the JDK, or else the innermost one.
func topOf(s mmapjfr.StackTrace) (top string) {
	for f := range s.Frames() {
		if top == "" {
			top = inspect.Frame(f)
		}
		name := f.Method().Class().Name()
		if !slices.ContainsFunc(ofJDK, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return inspect.Frame(f)
		}
	}
	return top
}

// ofJDK are how the names of classes of the JDK begin.
var ofJDK = []string{"java.", "javax.", "jdk.", "sun.", "com.sun."}
