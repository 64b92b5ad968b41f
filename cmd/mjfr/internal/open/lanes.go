package open

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// states says what a thread does while events of a type last, in the order in which lanes are drawn.
var states = []struct {
	name  string
	types []string
}{
	{"running", []string{"jdk.ExecutionSample", "jdk.CPUTimeSample", "jdk.NativeMethodSample", "profiler.WallClockSample"}},
	{"parked", []string{"jdk.ThreadPark"}},
	{"blocked", []string{"jdk.JavaMonitorEnter"}},
	{"waiting", []string{"jdk.JavaMonitorWait"}},
	{"sleeping", []string{"jdk.ThreadSleep"}},
	{"io", []string{"jdk.FileRead", "jdk.FileWrite", "jdk.FileForce", "jdk.SocketRead", "jdk.SocketWrite"}},
	{"pinned", []string{"jdk.VirtualThreadPinned"}},
}

// threadKey tells threads apart.
type threadKey struct {
	name    string
	id      int64 // in Java, or else in the operating system
	virtual bool
}

// threadCount is how many events of the lanes a thread has.
type threadCount struct {
	threadKey
	events uint64
}

// threadDocument is a thread with its lanes.
type threadDocument struct {
	Name    string         `json:"name"`
	ID      int64          `json:"id"`
	Virtual bool           `json:"virtual"`
	Samples uint64         `json:"samples"` // events of all lanes
	Lanes   []laneDocument `json:"lanes"`
}

// laneDocument is when a thread was in a state: the begin and the end, in milliseconds since 1970, and the number of
// events, one after the other.
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
	all, err := x.threads(r.Context(), &what)
	if err != nil {
		return nil, err
	}
	text := strings.ToLower(r.URL.Query().Get("q"))
	all = slices.DeleteFunc(slices.Clone(all), func(t threadCount) bool { return !strings.Contains(strings.ToLower(t.name), text) })
	shown := all[min(numbers[0], len(all)):]
	shown = shown[:min(numbers[1], len(shown))]
	list, err := x.drawn(r.Context(), &what, shown, max(1, numbers[2]))
	if err != nil {
		return nil, err
	}
	return map[string]any{"total": len(all), "threads": list}, nil
}

// keyOf returns what tells the thread of an event apart.
func keyOf(t mmapjfr.Thread) threadKey {
	id := t.JavaThreadID()
	if id <= 0 {
		id = t.OSThreadID()
	}
	return threadKey{t.Name(), id, t.IsVirtual()}
}

// laneTypes returns the events of all lanes.
func laneTypes() mmapjfr.Filter {
	var names []string
	for _, s := range states {
		names = append(names, s.types...)
	}
	return mmapjfr.Types(names...)
}

// chunkThread is a thread of a chunk.
type chunkThread struct {
	chunk mmapjfr.Chunk
	key   int64
}

// threadSum counts the events of threads.
type threadSum struct {
	threads map[chunkThread]*threadCount
}

func (s *threadSum) add(ev mmapjfr.Event) error {
	t := ev.Thread()
	if t.IsZero() {
		return nil
	}
	key := chunkThread{ev.Chunk(), t.Key()}
	c := s.threads[key]
	if c == nil {
		if s.threads == nil {
			s.threads = map[chunkThread]*threadCount{}
		}
		c = &threadCount{threadKey: keyOf(t)}
		s.threads[key] = c
	}
	c.events++
	return nil
}

func (s *threadSum) join(o *threadSum) {
	if s.threads == nil {
		s.threads = o.threads
		return
	}
	for key, c := range o.threads {
		if have := s.threads[key]; have != nil {
			have.events += c.events
		} else {
			s.threads[key] = c
		}
	}
}

// threads returns the threads with events of the lanes, those with most of them first.
func (x *explorer) threads(ctx context.Context, what *chosen) ([]threadCount, error) {
	asked := fmt.Sprint(*what)
	x.listing.Lock()
	if x.laneAsked == asked {
		defer x.listing.Unlock()
		return x.laneThreads, nil
	}
	x.listing.Unlock()
	events := map[threadKey]uint64{}
	for _, rec := range x.set.Recordings {
		// What cannot be read is said by the page with the file; the rest has been counted.
		sum, _ := mmapjfr.Fold(ctx, rec.Select(append(what.filters(), laneTypes())...), (*threadSum).add, (*threadSum).join)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, c := range sum.threads {
			events[c.threadKey] += c.events
		}
	}
	list := make([]threadCount, 0, len(events))
	for key, n := range events {
		list = append(list, threadCount{key, n})
	}
	slices.SortFunc(list, func(a, b threadCount) int {
		return cmp.Or(cmp.Compare(b.events, a.events), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	x.listing.Lock()
	defer x.listing.Unlock()
	x.laneAsked, x.laneThreads = asked, list
	return list, nil
}

// drawing is the lanes of some threads, as one worker has found them.
type drawing struct {
	number  map[threadKey]int // of the threads that are drawn
	pixels  [][]pixels        // of a thread, then of a state; nil without events
	threads map[chunkThread]int
}

// pixels are those of a lane: how many events begin at each, and whether one covers it.
type pixels []struct {
	begun   uint32
	covered bool
}

// drawn returns threads with their lanes.
func (x *explorer) drawn(ctx context.Context, what *chosen, threads []threadCount, width int) ([]threadDocument, error) {
	from, to := x.length(what)
	perPixel := max(1, float64(to.Sub(from))/float64(width))
	number := map[threadKey]int{}
	for i, t := range threads {
		number[t.threadKey] = i
	}
	stateOf := map[string]int{}
	for i, s := range states {
		for _, name := range s.types {
			stateOf[name] = i
		}
	}
	list := make([]threadDocument, len(threads))
	for i, t := range threads {
		list[i] = threadDocument{t.name, t.id, t.virtual, t.events, []laneDocument{}}
	}
	// An event that began before the time can last until then.
	until := chosen{to: what.to, threads: what.threads}
	all := newDrawing(number, len(threads))
	for _, rec := range x.set.Recordings {
		workers := make([]*drawing, rec.Workers())
		for i := range workers {
			workers[i] = newDrawing(number, len(threads))
		}
		_ = rec.Select(append(until.filters(), laneTypes())...).Parallel(ctx, func(worker int, ev mmapjfr.Event) error {
			if begin, end := ev.StartNanos()-from.UnixNano(), ev.EndNanos()-from.UnixNano(); end >= 0 {
				workers[worker].draw(ev, stateOf[ev.Type().Name()], float64(begin)/perPixel, float64(end)/perPixel, width)
			}
			return nil
		}) // as above
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, d := range workers {
			all.join(d)
		}
	}
	for i := range list {
		for s, p := range all.pixels[i] {
			if p != nil {
				list[i].Lanes = append(list[i].Lanes, laneDocument{states[s].name, p.spans(millis(from), perPixel/1e6)})
			}
		}
	}
	return list, nil
}

func newDrawing(number map[threadKey]int, threads int) *drawing {
	d := &drawing{number: number, threads: map[chunkThread]int{}, pixels: make([][]pixels, threads)}
	for i := range d.pixels {
		d.pixels[i] = make([]pixels, len(states))
	}
	return d
}

// draw draws an event.
func (d *drawing) draw(ev mmapjfr.Event, state int, begin, end float64, width int) {
	t := ev.Thread()
	if t.IsZero() {
		return
	}
	key := chunkThread{ev.Chunk(), t.Key()}
	n, known := d.threads[key]
	if !known {
		var is bool
		if n, is = d.number[keyOf(t)]; !is {
			n = -1
		}
		d.threads[key] = n
	}
	if n < 0 || begin >= float64(width) {
		return
	}
	lane := &d.pixels[n][state]
	if *lane == nil {
		*lane = make(pixels, width)
	}
	first := int(max(0, begin))
	(*lane)[first].begun++
	for i := first; i <= int(min(end, float64(width-1))); i++ {
		(*lane)[i].covered = true
	}
}

// join adds what another worker has drawn.
func (d *drawing) join(o *drawing) {
	for i, lanes := range o.pixels {
		for s, lane := range lanes {
			have := &d.pixels[i][s]
			if *have == nil {
				*have = lane
				continue
			}
			for p := range lane {
				(*have)[p].begun += lane[p].begun
				(*have)[p].covered = (*have)[p].covered || lane[p].covered
			}
		}
	}
}

// spans returns the begin, the end and the number of events of each row of pixels that events cover.
func (p pixels) spans(from, perPixel float64) (list []float64) {
	for i := 0; i < len(p); i++ {
		if !p[i].covered {
			continue
		}
		begin, events := i, uint32(0)
		for ; i < len(p) && p[i].covered; i++ {
			events += p[i].begun
		}
		list = append(list, from+float64(begin)*perPixel, from+float64(i)*perPixel, float64(events))
	}
	return list
}

// length returns the time that the lanes show.
func (x *explorer) length(what *chosen) (from, to time.Time) {
	from, to = x.set.Span()
	if !what.from.IsZero() {
		from = what.from
	}
	if !what.to.IsZero() {
		to = what.to
	}
	return from, to
}
