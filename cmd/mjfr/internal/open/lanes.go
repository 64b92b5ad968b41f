package open

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// states says what a thread does while events of a type last, in the order in which lanes are
// drawn. Samples are of a moment: where a thread was at it, and whether it ran.
var states = []struct {
	name  string
	types []string
}{
	{"running", []string{"jdk.ExecutionSample", "jdk.CPUTimeSample", "profiler.WallClockSample"}},
	{"parked", []string{"jdk.ThreadPark"}},
	{"blocked", []string{"jdk.JavaMonitorEnter"}},
	{"waiting", []string{"jdk.JavaMonitorWait"}},
	{"sleeping", []string{"jdk.ThreadSleep"}},
	{"io", []string{"jdk.FileRead", "jdk.FileWrite", "jdk.FileForce", "jdk.SocketRead", "jdk.SocketWrite"}},
	{"pinned", []string{"jdk.VirtualThreadPinned"}},
	{"native", []string{"jdk.NativeMethodSample"}},
}

// The numbers of some states.
const (
	running  = 0
	blocked  = 2
	sleeping = 4
	native   = 7
)

// typeStates are the numbers of the states by the types of events that show them.
var typeStates = func() map[string]int {
	numbers := map[string]int{}
	for i, s := range states {
		for _, name := range s.types {
			numbers[name] = i
		}
	}
	return numbers
}()

var pathState = mmapjfr.Path("state")

// stateOf returns the state that an event shows, whether it is a sample, and whether it is of a
// type of lanes at all. Profilers sample threads that do not run, too: they say so. A sample of
// native code says nothing: most such threads wait in it, for a connection or data.
func stateOf(ev mmapjfr.Event) (state int, sample, ok bool) {
	state, ok = typeStates[ev.Type().Name()]
	if state == running && ok {
		switch ev.Get(pathState).StrView() {
		case "", "STATE_DEFAULT", "STATE_RUNNABLE": // CPUTimeSample has none
		default:
			state = sleeping
		}
		return state, true, ok
	}
	return state, state == native, ok
}

// threadKey tells threads apart.
type threadKey struct {
	name    string
	id      int64 // in Java, or else in the operating system
	virtual bool
}

// title returns what a thread is called: virtual threads need no name, and that of others can be
// blank.
func (k threadKey) title() string {
	switch {
	case strings.TrimSpace(k.name) != "" || k.id <= 0:
		return k.name
	case k.virtual:
		return fmt.Sprint("virtual thread ", k.id)
	}
	return fmt.Sprint("thread ", k.id)
}

// threadDocument is a thread with its lanes.
type threadDocument struct {
	Name    string         `json:"name"`
	ID      int64          `json:"id"`
	Virtual bool           `json:"virtual"`
	Samples uint64         `json:"samples"` // events of all lanes
	Running uint64         `json:"running"` // samples in which it ran
	Lanes   []laneDocument `json:"lanes"`
	Blocks  []blockDoc     `json:"blocks,omitempty"`
}

// blockDoc is when a thread was blocked, and by whom: the longest time in each pixel.
type blockDoc struct {
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Owner   string  `json:"owner"` // which had the monitor when the thread began to wait
	OwnerID int64   `json:"ownerId"`
	Class   string  `json:"class"` // of the monitor
}

// mostBlocks is how many of the longest times of a thread are listed.
const mostBlocks = 100

// laneDocument is when a thread was in a state: the begin and the end, in milliseconds since 1970,
// and the number of events, one after the other.
type laneDocument struct {
	State string    `json:"state"`
	Spans []float64 `json:"spans"`
}

const (
	usualThreads = 50
	mostThreads  = 200
	usualWidth   = 1000
	mostWidth    = 8192
)

// lanes answers with what some threads did when. Spans that are nearer than a pixel are one.
func (x *explorer) lanes(r *http.Request) (any, error) {
	what, err := choose(r)
	if err != nil {
		return nil, err
	}
	var numbers [3]int
	for i, n := range []struct {
		name        string
		usual, most int
	}{{"offset", 0, 1 << 30}, {"limit", usualThreads, mostThreads}, {"width", usualWidth, mostWidth}} {
		if numbers[i], err = number(r, n.name, n.usual, n.most); err != nil {
			return nil, err
		}
	}
	offset, most, width := numbers[0], numbers[1], max(1, numbers[2])
	all, pauses, err := x.threads(r.Context(), &what, width)
	if err != nil {
		return nil, err
	}
	text := strings.ToLower(r.URL.Query().Get("q"))
	all = slices.DeleteFunc(slices.Clone(all), func(t *threadLanes) bool { return !strings.Contains(strings.ToLower(t.name), text) })
	from, perPixel := x.scale(&what, width)
	list := []threadDocument{}
	for _, t := range all[min(offset, len(all)):min(offset+most, len(all))] {
		d := threadDocument{t.name, t.id, t.virtual, t.events, t.running, []laneDocument{}, t.longestBlocks()}
		for state, spans := range t.lanes {
			if spans != nil {
				d.Lanes = append(d.Lanes, laneDocument{states[state].name, inMillis(spans, millis(from), perPixel/1e6)})
			}
		}
		list = append(list, d)
	}
	spans, lengths := make([]pixels, len(pauses)), make([]float64, len(pauses))
	for i, p := range pauses {
		spans[i], lengths[i] = p.pixels, float64(p.length)/1e6
	}
	return map[string]any{
		"total": len(all), "threads": list, "pauses": append([]float64{}, inMillis(spans, millis(from), perPixel/1e6)...), "paused": lengths,
	}, nil
}

// inMillis returns the begin, the end and the number of events of spans of pixels.
func inMillis(spans []pixels, from, perPixel float64) (list []float64) {
	for _, s := range spans {
		list = append(list, from+float64(s.from)*perPixel, from+float64(s.to)*perPixel, float64(s.events))
	}
	return list
}

// keyOf returns what tells the thread of an event apart.
func keyOf(t mmapjfr.Thread) threadKey {
	id := t.JavaThreadID()
	if id <= 0 {
		id = t.OSThreadID()
	}
	return threadKey{t.Name(), id, t.IsVirtual()}
}

// laneTypes returns the events of all lanes, and of more types.
func laneTypes(more ...string) mmapjfr.Filter {
	return mmapjfr.Types(append(slices.Collect(maps.Keys(typeStates)), more...)...)
}

// chunkThread is a thread of a chunk.
type chunkThread struct {
	chunk mmapjfr.Chunk
	key   int64
}

// pixels are those that events cover without a gap, up to but not including the last one.
type pixels struct{ from, to, events uint32 }

// threadLanes are the lanes of a thread.
type threadLanes struct {
	threadKey
	events, running uint64
	lanes           [][]pixels          // by state; nil without events
	blocks          map[uint32]blockDoc // by pixel
}

// block keeps the longest time of each pixel in which the thread was blocked.
func (t *threadLanes) block(pixel uint32, from, to int64, ev mmapjfr.Event) {
	d := blockDoc{From: float64(from) / 1e6, To: float64(to) / 1e6}
	if have, ok := t.blocks[pixel]; ok && have.To-have.From >= d.To-d.From {
		return
	}
	owner := ev.Get(pathOwner).Thread()
	key := keyOf(owner)
	d.Owner, d.OwnerID, d.Class = key.name, key.id, ev.Get(pathMonitor).Class().Name()
	if t.blocks == nil {
		t.blocks = map[uint32]blockDoc{}
	}
	t.blocks[pixel] = d
}

// longestBlocks returns the longest times that the thread was blocked, in the order of time.
func (t *threadLanes) longestBlocks() []blockDoc {
	list := slices.Collect(maps.Values(t.blocks))
	slices.SortFunc(list, func(a, b blockDoc) int {
		return cmp.Or(cmp.Compare(b.To-b.From, a.To-a.From), cmp.Compare(a.From, b.From))
	})
	list = list[:min(len(list), mostBlocks)]
	slices.SortFunc(list, func(a, b blockDoc) int { return cmp.Compare(a.From, b.From) })
	return list
}

// add adds an event to a lane.
func (t *threadLanes) add(state int, p pixels) {
	t.events += uint64(p.events)
	if state == running {
		t.running += uint64(p.events)
	}
	lane := &t.lanes[state]
	if n := len(*lane); n > 0 {
		if last := &(*lane)[n-1]; p.from >= last.from && p.from <= last.to {
			last.to = max(last.to, p.to)
			last.events += p.events
			return
		}
	}
	*lane = append(*lane, p)
}

// join joins spans that overlap or touch.
func (t *threadLanes) join() {
	for state, lane := range t.lanes {
		slices.SortFunc(lane, func(a, b pixels) int { return cmp.Compare(a.from, b.from) })
		t.lanes[state] = nil
		events, ran := t.events, t.running
		for _, p := range lane {
			t.add(state, p)
		}
		t.events, t.running = events, ran
	}
}

// scale returns the time at the left, and how many nanoseconds a pixel stands for.
func (x *explorer) scale(what *chosen, width int) (from time.Time, perPixel float64) {
	from, to := x.set.Span()
	if !what.from.IsZero() {
		from = what.from
	}
	if !what.to.IsZero() {
		to = what.to
	}
	return from, max(1, float64(to.Sub(from))/float64(width))
}

// threads returns the threads with events of the lanes: those that ran most first, then those with
// most events. Pauses are those of all threads.
func (x *explorer) threads(ctx context.Context, what *chosen, width int) (list []*threadLanes, pauses []pausePixels, err error) {
	asked := fmt.Sprint(*what, width)
	x.listing.Lock()
	list, pauses = x.laneThreads, x.lanePauses
	same, known := x.laneAsked == asked, x.laneLost
	x.listing.Unlock()
	if same {
		x.lost(ctx).note(known...)
		return list, pauses, nil
	}
	all := map[threadKey]*threadLanes{}
	for _, rec := range x.set.Recordings {
		if err := x.draw(ctx, rec, what, width, all); err != nil {
			return nil, nil, err
		}
	}
	if pauses, err = x.pauses(ctx, what, width); err != nil {
		return nil, nil, err
	}
	list = make([]*threadLanes, 0, len(all))
	for _, t := range all {
		t.join()
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *threadLanes) int {
		return cmp.Or(cmp.Compare(b.running, a.running), cmp.Compare(b.events, a.events), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	x.listing.Lock()
	defer x.listing.Unlock()
	x.laneAsked, x.laneThreads, x.lanePauses, x.laneLost = asked, list, pauses, x.lost(ctx).list()
	return list, pauses, nil
}

// mostPauses is how many pauses are drawn, of each processor that reads them.
const mostPauses = 1 << 20

// pausePixels are pixels in which the JVM stopped all threads, and for how long in all.
type pausePixels struct {
	pixels
	length time.Duration
}

// pauses returns when the JVM stopped all threads to collect garbage.
func (x *explorer) pauses(ctx context.Context, what *chosen, width int) (list []pausePixels, err error) {
	from, perPixel := x.scale(what, width)
	until := chosen{to: what.to}
	var all []pausePixels
	for _, rec := range x.set.Recordings {
		workers := make([][]pausePixels, engine.RecordingWorkers(rec))
		err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
			if engine.EventEndNanos(ev) >= from.UnixNano() && len(workers[worker]) < mostPauses {
				workers[worker] = append(workers[worker], pausePixels{pixelsOf(ev, from, perPixel, width), ev.Duration()})
			}
		}, append(until.filters(), mmapjfr.Types(pauseType))...)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.Concat(workers...)...)
	}
	slices.SortFunc(all, func(a, b pausePixels) int { return cmp.Compare(a.from, b.from) })
	for _, p := range all {
		if n := len(list); n > 0 && p.from <= list[n-1].to {
			last := &list[n-1]
			last.to, last.events, last.length = max(last.to, p.to), last.events+p.events, last.length+p.length
			continue
		}
		list = append(list, p)
	}
	return list, nil
}

// pixelsOf returns the pixels that an event covers, which lasts after the time at the left.
func pixelsOf(ev mmapjfr.Event, from time.Time, perPixel float64, width int) pixels {
	at := func(ns int64) uint32 {
		return uint32(min(max(0, float64(ns-from.UnixNano()))/perPixel, float64(width-1)))
	}
	return pixels{at(ev.StartNanos()), at(engine.EventEndNanos(ev)) + 1, 1}
}

// draw adds the events of a recording to lanes.
func (x *explorer) draw(ctx context.Context, rec *mmapjfr.Recording, what *chosen, width int, all map[threadKey]*threadLanes) error {
	from, perPixel := x.scale(what, width)
	workers := make([]map[chunkThread]*threadLanes, engine.RecordingWorkers(rec))
	for i := range workers {
		workers[i] = map[chunkThread]*threadLanes{}
	}
	// An event that began before the time can last until then.
	until := chosen{to: what.to, threads: what.threads}
	err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
		thread := ev.Thread()
		if thread.IsZero() || engine.EventEndNanos(ev) < from.UnixNano() {
			return
		}
		key := chunkThread{ev.Chunk(), thread.Key()}
		t := workers[worker][key]
		if t == nil {
			t = &threadLanes{threadKey: keyOf(thread), lanes: make([][]pixels, len(states))}
			workers[worker][key] = t
		}
		state, _, _ := stateOf(ev)
		on := pixelsOf(ev, from, perPixel, width)
		t.add(state, on)
		if state == blocked {
			t.block(on.from, ev.StartNanos(), engine.EventEndNanos(ev), ev)
		}
	}, append(until.filters(), laneTypes())...)
	if err != nil {
		return err
	}
	for _, threads := range workers {
		for _, t := range threads {
			have := all[t.threadKey]
			if have == nil {
				all[t.threadKey] = t
				continue
			}
			have.events, have.running = have.events+t.events, have.running+t.running
			for pixel, b := range t.blocks {
				if known, ok := have.blocks[pixel]; !ok || known.To-known.From < b.To-b.From {
					if have.blocks == nil {
						have.blocks = map[uint32]blockDoc{}
					}
					have.blocks[pixel] = b
				}
			}
			for state, lane := range t.lanes {
				have.lanes[state] = append(have.lanes[state], lane...)
			}
		}
	}
	return nil
}
