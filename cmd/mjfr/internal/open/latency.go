package open

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// latencyDocument is the slowest spans: events that last, such as requests.
type latencyDocument struct {
	Types []spanType     `json:"types"` // that can be chosen, those of the application first
	Spans []spanDocument `json:"spans"` // the slowest first
	Notes []string       `json:"notes,omitempty"`
}

// spanType is a type of spans.
type spanType struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Events      uint64 `json:"events"`
	Application bool   `json:"application"` // shown unless a type is chosen
}

// spanDocument is a slow event, and what its thread did meanwhile.
type spanDocument struct {
	Type     string         `json:"type"`
	Label    string         `json:"label"`
	Text     string         `json:"text"` // its texts, such as the path of a request
	Start    float64        `json:"start"`
	Duration int64          `json:"duration"` // in nanoseconds, as those of parts
	Thread   string         `json:"thread"`
	Title    string         `json:"threadTitle"` // what to call it, also without a name
	At       eventPlace     `json:"at"`
	Parts    []partDocument `json:"parts"` // together they are the duration
	Blocked  string         `json:"blocked,omitempty"`
	Samples  []samplesDoc   `json:"samples"` // by state
}

// samplesDoc is how many samples found a thread in a state.
type samplesDoc struct {
	State   string `json:"state"`
	Samples int    `json:"samples"`
	Top     string `json:"top"` // the frame that most of them have on top
}

// partDocument is how long a thread was in a state.
type partDocument struct {
	State string `json:"state"`
	Nanos int64  `json:"nanos"`
}

const (
	usualSpans = 30
	mostSpans  = 200
	// pauseType is the type of pauses of all threads.
	pauseType = "jdk.GCPhasePause"
	// mostTops is how many frames of a slow event are counted.
	mostTops = 1000
)

// latency answers with the slowest spans of a type, or of all types that the application has.
func (x *explorer) latency(r *http.Request) (any, error) {
	what, err := choose(r)
	if err != nil {
		return nil, err
	}
	most, err := number(r, "limit", usualSpans, mostSpans)
	if err != nil {
		return nil, err
	}
	d := &latencyDocument{Spans: []spanDocument{}}
	if d.Types, err = x.spanTypes(r.Context()); err != nil {
		return nil, err
	}
	var names []string
	chosen := r.URL.Query().Get("type")
	for _, t := range d.Types {
		if t.Name == chosen || chosen == "" && t.Application {
			names = append(names, t.Name)
		}
	}
	if chosen != "" && names == nil {
		return nil, wrong("type=%s: there are no such events with a thread and a duration; types lists the others", chosen)
	}
	if names == nil || most == 0 {
		return d, nil
	}
	spans, err := x.slowest(r.Context(), names, &what, most)
	if err != nil {
		return nil, err
	}
	if err := x.watch(r.Context(), spans); err != nil {
		return nil, err
	}
	for _, s := range spans {
		d.Spans = append(d.Spans, s.document(x))
	}
	if slices.ContainsFunc(spans, func(s *slowEvent) bool { return s.thread.virtual }) {
		d.Notes, err = x.virtualNotes(r.Context())
	}
	return d, err
}

// virtualNotes says what is not known of virtual threads. JDK 24 and 25 take them from their
// carrier when they wait for a monitor, and record no such event.
func (x *explorer) virtualNotes(ctx context.Context) ([]string, error) {
	s, err := x.count(ctx)
	if err != nil {
		return nil, err
	}
	const monitors = "jdk.JavaMonitorEnter"
	if !slices.ContainsFunc(s.Types, func(t *summary.Type) bool {
		return t.CurrentName() == monitors && t.Events > 0 && hasField(t.Type, "eventThread")
	}) {
		return nil, nil
	}
	plan, err := x.plan("select count(*) from " + monitors + " where eventThread.virtual = true")
	if err != nil {
		return nil, nil // older JVMs have no virtual threads
	}
	result, err := x.read(ctx, x.set.Recordings, plan, new(chosen), x.lost(ctx))
	if err != nil {
		return nil, err
	}
	for row, err := range result.Rows {
		if err != nil || row[0].Int() > 0 {
			return nil, err
		}
	}
	return []string{"No waits of virtual threads for monitors are recorded; JDK 24 and 25 record none. Such waits are other time."}, nil
}

// spanTypes returns the types of events that last and have a thread.
func (x *explorer) spanTypes(ctx context.Context) ([]spanType, error) {
	s, err := x.count(ctx)
	if err != nil {
		return nil, err
	}
	list := []spanType{}
	for _, t := range s.Types {
		if t.Events == 0 || t.Type.IsZero() || !hasField(t.Type, "duration") || !hasField(t.Type, "eventThread") {
			continue
		}
		if slices.ContainsFunc(list, func(o spanType) bool { return o.Name == t.CurrentName() }) {
			continue // programs can load a class of events more than once
		}
		list = append(list, spanType{t.CurrentName(), labelOf(t.Type), t.Events, isApplication(t.CurrentName())})
	}
	slices.SortStableFunc(list, func(a, b spanType) int {
		return cmp.Or(cmp.Compare(flag(b.Application), flag(a.Application)), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// isApplication reports whether the events of a type are of an application, and not of a JVM or a
// profiler that looks at threads.
func isApplication(name string) bool {
	_, looks := typeStates[name]
	return !strings.HasPrefix(name, "jdk.") && !looks
}

// slowEvent is an event that lasts.
type slowEvent struct {
	event    mmapjfr.Event
	thread   threadKey
	from, to int64 // nanoseconds since 1970
	watched
}

// watched is what a thread did in a time.
type watched struct {
	while   [][]interval // by state; after these, pauses of all threads
	longest int64        // that the thread was blocked for
	blocked string       // by whom
	samples []samples    // by state; nil without any
}

// samples are those of a thread in a state.
type samples struct {
	number int
	tops   map[string]int // by the frame on top
}

// interval is a time in nanoseconds.
type interval struct{ from, to int64 }

// slowest returns the longest events of some types, the longest first.
func (x *explorer) slowest(ctx context.Context, names []string, what *chosen, most int) ([]*slowEvent, error) {
	var all []*slowEvent
	shorten := func(list []*slowEvent) []*slowEvent {
		slices.SortFunc(list, func(a, b *slowEvent) int {
			return cmp.Or(cmp.Compare(b.to-b.from, a.to-a.from), cmp.Compare(a.from, b.from), cmp.Compare(a.event.Offset(), b.event.Offset()))
		})
		return list[:min(len(list), most)]
	}
	for _, rec := range x.set.Recordings {
		workers := make([][]*slowEvent, engine.RecordingWorkers(rec))
		least := make([]int64, engine.RecordingWorkers(rec))
		err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
			from, to := ev.StartNanos(), engine.EventEndNanos(ev)
			if to-from <= least[worker] {
				return
			}
			list := append(workers[worker], &slowEvent{event: ev.Detached(), from: from, to: to})
			if len(list) == 2*most {
				list = shorten(list)
				least[worker] = list[most-1].to - list[most-1].from - 1 // equal ones are in the order of time
			}
			workers[worker] = list
		}, append(what.filters(), mmapjfr.Types(names...))...)
		if err != nil {
			return nil, err
		}
		all = shorten(slices.Concat(append(workers, all)...))
	}
	for _, s := range all {
		s.thread = keyOf(s.event.Thread())
	}
	return all, nil
}

// watch finds out what the threads of spans did meanwhile.
func (x *explorer) watch(ctx context.Context, spans []*slowEvent) error {
	if len(spans) == 0 {
		return nil
	}
	last := slices.MaxFunc(spans, func(a, b *slowEvent) int { return cmp.Compare(a.to, b.to) })
	until := chosen{to: last.event.End()}
	byThread := map[threadKey][]int{}
	all := make([]int, len(spans))
	for i, s := range spans {
		all[i] = i
		byThread[s.thread] = append(byThread[s.thread], i)
	}
	for _, rec := range x.set.Recordings {
		known := make([]map[chunkThread][]int, engine.RecordingWorkers(rec))
		seen := make([][]watched, engine.RecordingWorkers(rec))
		for i := range known {
			known[i], seen[i] = map[chunkThread][]int{}, make([]watched, len(spans))
		}
		err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
			of := all
			if ev.Type().Name() != pauseType {
				thread := ev.Thread()
				key := chunkThread{ev.Chunk(), thread.Key()}
				list, ok := known[worker][key]
				if !ok {
					list = byThread[keyOf(thread)]
					known[worker][key] = list
				}
				of = list
			}
			for _, i := range of {
				seen[worker][i].add(spans[i], ev)
			}
		}, append(until.filters(), laneTypes(pauseType))...)
		if err != nil {
			return err
		}
		for _, list := range seen {
			for i := range list {
				spans[i].join(&list[i])
			}
		}
	}
	return nil
}

var pathOwner, pathMonitor = mmapjfr.Path("previousOwner"), mmapjfr.Path("monitorClass")

// add adds what an event says of a slow one. A slow event can be one that says what its thread did.
func (w *watched) add(s *slowEvent, ev mmapjfr.Event) {
	i := interval{max(ev.StartNanos(), s.from), min(engine.EventEndNanos(ev), s.to)}
	if i.from > i.to {
		return
	}
	state, sample, ok := stateOf(ev)
	if sample {
		top := ""
		for f := range ev.StackTrace().Frames() {
			top = inspect.Frame(f)
			break
		}
		w.sampled(state, top, 1)
		return
	}
	if !ok {
		state = len(states) // a pause
	}
	if w.while == nil {
		w.while = make([][]interval, len(states)+1)
	}
	list := append(w.while[state], i)
	if len(list) >= mostIntervals && len(list) == cap(list) {
		list = joined(list, (s.to-s.from)/mostIntervals)
	}
	w.while[state] = list
	if state == blocked && i.to-i.from > w.longest {
		w.longest = i.to - i.from
		w.blocked = ev.Get(pathOwner).Thread().Name() + " (" + ev.Get(pathMonitor).Class().Name() + ")"
	}
}

// mostIntervals is how many times of a state are kept apart, about: those that are nearer than this
// part of the whole are one.
const mostIntervals = 1 << 15

// sampled counts samples in a state with a frame on top; "" without a stack.
func (w *watched) sampled(state int, top string, number int) {
	if w.samples == nil {
		w.samples = make([]samples, len(states))
	}
	s := &w.samples[state]
	s.number += number
	s.count(top, number)
}

// count counts samples with a frame on top.
func (s *samples) count(top string, number int) {
	if top == "" {
		return
	}
	if s.tops == nil {
		s.tops = map[string]int{}
	}
	if _, known := s.tops[top]; known || len(s.tops) < mostTops {
		s.tops[top] += number
	}
}

// join adds what was seen in a part of the recordings.
func (w *watched) join(o *watched) {
	if w.while == nil {
		w.while = make([][]interval, len(states)+1)
	}
	for state, list := range o.while {
		w.while[state] = append(w.while[state], list...)
	}
	for state := range o.samples {
		w.sampled(state, "", o.samples[state].number)
		for top, n := range o.samples[state].tops {
			w.samples[state].count(top, n)
		}
	}
	if o.longest > w.longest {
		w.longest, w.blocked = o.longest, o.blocked
	}
}

// document describes a slow event. A time in two states counts for the first of them: a thread that
// waits is not delayed by a pause. What is left is "other": the thread ran, or nobody has seen what
// it did.
func (s *slowEvent) document(x *explorer) spanDocument {
	d := spanDocument{
		Type: s.event.Type().Name(), Label: labelOf(s.event.Type()), Text: textsOf(s.event), Start: millis(s.event.Start()), Duration: s.to - s.from,
		Thread: s.thread.name, Title: s.thread.title(), At: x.place(s.event), Parts: []partDocument{}, Blocked: s.blocked, Samples: []samplesDoc{},
	}
	for state, in := range s.samples {
		if in.number == 0 {
			continue
		}
		one := samplesDoc{State: states[state].name, Samples: in.number}
		if len(in.tops) > 0 {
			one.Top = slices.MaxFunc(slices.Sorted(maps.Keys(in.tops)), func(a, b string) int { return cmp.Compare(in.tops[a], in.tops[b]) })
		}
		d.Samples = append(d.Samples, one)
	}
	var covered []interval
	length := int64(0)
	for state, list := range s.while {
		covered = joined(append(covered, list...), 0)
		now := int64(0)
		for _, i := range covered {
			now += i.to - i.from
		}
		name := "paused"
		if state < len(states) {
			name = states[state].name
		}
		if now > length {
			d.Parts = append(d.Parts, partDocument{name, now - length})
		}
		length = now
	}
	if left := d.Duration - length; left > 0 {
		d.Parts = append(d.Parts, partDocument{"other", left})
	}
	return d
}

// joined returns the times that some intervals cover, in order and farther apart from each other
// than a gap.
func joined(list []interval, gap int64) (apart []interval) {
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	for _, i := range list {
		if n := len(apart); n > 0 && i.from <= apart[n-1].to+gap {
			apart[n-1].to = max(apart[n-1].to, i.to)
			continue
		}
		apart = append(apart, i)
	}
	return apart
}

// mostTexts is how many texts of a span are shown.
const mostTexts = 4

// textsOf returns the texts of an event, such as its path and its host.
func textsOf(ev mmapjfr.Event) string {
	var texts []string
	for f, v := range ev.Fields() {
		if f.Type().Name() == "java.lang.String" && len(texts) < mostTexts {
			if text := v.Str(); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, " ")
}
