package print

import (
	"context"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// windowSize is how many entries a window holds at most.
const windowSize = 1_000_000

// windowGrown is how many entries a window has when it gets room for all.
const windowGrown = 1 << 14

// window brings events into the order in which they ended, unless an event is more than
// its size too late. An event in it takes 48 bytes.
type window struct {
	size    int
	entries heap // with what happens to which event: see happening
	// events are those in the window, by the number that is in their entries, and free
	// are the numbers that are not in use.
	events   []mmapjfr.Event
	free     []uint32
	contexts contexts
	yield    func(item) bool
}

// happening is what happens to an event at a point in time: the highest bits of the number of an entry. Of
// entries at the same time, what begins comes first. The heap decides the rest.
type happening uint32

const (
	contextBegins happening   = iota << 30 // a contextual event encloses others from now on
	contextEnds                            // it no longer does
	eventEnds                              // the event is yielded
	whichEvent    = 1<<30 - 1              // the bits of the event's number
)

// sorted calls yield with the events in the order in which they ended, within a window of that size: those that
// ended together in that of the JSON document.
func (w *walker) sorted(ctx context.Context, size int, recs []*mmapjfr.Recording, yield func(item) bool) error {
	s := &sorter{size: size, yield: yield}
	for i, rec := range recs {
		if more, err := w.eventsOf(ctx, i, rec, s.add); !more {
			return err
		}
	}
	s.shrink(0)
	return nil
}

// inWindow calls yield with the events in the order in which they ended, within a window
// of that size, and with the events that enclose them. Events that ended together come in the order of the
// JDK's text.
func (w *walker) inWindow(ctx context.Context, size int, recs []*mmapjfr.Recording, yield func(item) bool) error {
	win := &window{size: size, yield: yield}
	for i, rec := range recs {
		outer := contextualEvents(rec, w.Filters)
		more, err := w.eventsOf(ctx, i, rec, func(ev mmapjfr.Event) bool {
			if outer.types != nil {
				if !outer.before(ev.Offset(), win.addContext) {
					return false
				}
				if same, ok := outer.at(ev.Offset()); ok {
					win.addBounds(same)
				}
			}
			win.add(ev, engine.EventEndNanos(ev), eventEnds)
			return win.shrink(win.size)
		})
		if !more {
			return err
		}
		if !outer.before(afterAll, win.addContext) {
			return nil
		}
	}
	win.shrink(0)
	return nil
}

// addContext adds a contextual event that is not to be written. It is false if yield was.
func (w *window) addContext(ev mmapjfr.Event) bool {
	w.addBounds(ev)
	return w.shrink(w.size)
}

func (w *window) addBounds(ev mmapjfr.Event) {
	w.add(ev, ev.StartNanos(), contextBegins)
	w.add(ev, engine.EventEndNanos(ev), contextEnds)
}

func (w *window) add(ev mmapjfr.Event, nanos int64, what happening) {
	number := uint32(len(w.events))
	if n := len(w.free); n > 0 {
		number, w.free = w.free[n-1], w.free[:n-1]
		w.events[number] = ev.Detached()
	} else {
		if number == windowGrown { // not in steps, each of which copies
			w.events = slices.Grow(w.events, w.size)
			w.entries.grow(w.size)
		}
		w.events = append(w.events, ev.Detached())
	}
	rank := uint32(0)
	if what != contextBegins {
		rank = 1
	}
	w.entries.add(entry{timeOf(nanos), rank, number | uint32(what)})
}

// shrink handles the first entries until no more than size are left. It is false if yield
// was.
func (w *window) shrink(size int) bool {
	for w.entries.len() > size {
		e := w.entries.remove()
		number := e.number & whichEvent
		ev := w.events[number]
		w.free = append(w.free, number)
		switch happening(e.number &^ whichEvent) {
		case contextBegins:
			w.contexts.begin(ev)
		case contextEnds:
			w.contexts.end(ev)
		default:
			if !w.yield(item{event: ev, context: w.contexts.of(ev)}) {
				return false
			}
		}
	}
	return true
}

// pathEventThread leads to the thread that an event happened in. Others have no context.
var pathEventThread = mmapjfr.Path("eventThread")

// isContextual reports whether events of the type enclose others.
func isContextual(t mmapjfr.Type) bool {
	return slices.ContainsFunc(t.Fields(), func(f mmapjfr.Field) bool { return annotated(f.Annotations(), jdktypes.Contextual) })
}

// contexts are the contextual events that have begun and not ended, for each thread.
type contexts struct {
	threads map[threadOf]*threadContext
}

// threadOf tells threads apart by their numbers and names: those that lie in events have no key.
type threadOf struct {
	java, os int64
	name     string
}

// threadOfEvent returns the thread that an event happened in; false if it is not known.
func threadOfEvent(ev mmapjfr.Event) (threadOf, bool) {
	t := ev.Get(pathEventThread).Thread()
	return threadOf{java: t.JavaThreadID(), os: t.OSThreadID(), name: t.Name()}, !t.IsZero()
}

// threadContext are the contextual events of a thread, in the order in which they
// began. One that has ended leaves a zero event.
type threadContext struct {
	begun []mmapjfr.Event
	at    map[mmapjfr.Event]int
	// shown are those that have not ended; nil if it has to be made. A list is not changed
	// once it is made, as events that are to be written hold it.
	shown []mmapjfr.Event
}

// begin adds an event, which encloses others from now on.
func (c *contexts) begin(ev mmapjfr.Event) {
	thread, ok := threadOfEvent(ev)
	if !ok {
		return
	}
	if c.threads == nil {
		c.threads = make(map[threadOf]*threadContext)
	}
	t := c.threads[thread]
	if t == nil {
		t = &threadContext{at: make(map[mmapjfr.Event]int)}
		c.threads[thread] = t
	}
	t.at[ev] = len(t.begun)
	t.begun = append(t.begun, ev)
	t.shown = nil
}

// end removes an event.
func (c *contexts) end(ev mmapjfr.Event) {
	key, known := threadOfEvent(ev)
	t := c.threads[key]
	if !known || t == nil {
		return
	}
	at, ok := t.at[ev]
	if !ok {
		return
	}
	delete(t.at, ev)
	if len(t.at) == 0 {
		delete(c.threads, key)
		return
	}
	t.begun[at] = mmapjfr.Event{}
	t.shown = nil
	if len(t.begun) > 2*len(t.at) {
		t.compact()
	}
}

// compact drops the events that have ended.
func (t *threadContext) compact() {
	n := 0
	for _, ev := range t.begun {
		if !ev.IsZero() {
			t.begun[n], t.at[ev] = ev, n
			n++
		}
	}
	t.begun = t.begun[:n]
}

// of returns the events that enclose this one: none if it is contextual itself.
func (c *contexts) of(ev mmapjfr.Event) []mmapjfr.Event {
	if len(c.threads) == 0 {
		return nil
	}
	thread, ok := threadOfEvent(ev)
	if !ok || isContextual(ev.Type()) {
		return nil
	}
	t := c.threads[thread]
	if t == nil {
		return nil
	}
	if t.shown == nil {
		t.compact()
		t.shown = append(t.shown, t.begun...)
	}
	return t.shown
}

// afterAll is an offset that no event reaches.
const afterAll = math.MaxUint64

// contextCursor finds the contextual events of a recording, whether the filters select
// them or not. The zero contextCursor finds none.
type contextCursor struct {
	cursor *mmapjfr.Cursor
	types  map[mmapjfr.Type]bool // nil at the end
	ready  bool                  // the cursor is at an event that has not been passed on
}

// contextualEvents returns a cursor over those of the chunks that events with these filters are read of. It reports no
// errors: the walk over all events does.
func contextualEvents(rec *mmapjfr.Recording, filters []mmapjfr.Filter) contextCursor {
	var names []string
	types := make(map[mmapjfr.Type]bool)
	list, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	for _, t := range list {
		if isContextual(t) {
			types[t] = true
			names = append(names, t.Name())
		}
	}
	chunks := engine.SelectionChunks(rec.Select(filters...))
	if names == nil || len(chunks) == 0 {
		return contextCursor{}
	}
	of := mmapjfr.ChunkRange{From: chunks[0].Offset(), To: chunks[len(chunks)-1].Offset() + 1}
	return contextCursor{cursor: engine.RecordingSelectIn(rec, of, mmapjfr.Types(names...)).Cursor(), types: types}
}

// before calls yield with the events that begin before an offset. It is false if yield was.
func (e *contextCursor) before(offset uint64, yield func(mmapjfr.Event) bool) bool {
	for e.find() && e.cursor.Event().Offset() < offset {
		e.ready = false
		if !yield(e.cursor.Event()) {
			return false
		}
	}
	return true
}

// at returns the event that begins at an offset, after a call of before with the same
// offset. It is false without one.
func (e *contextCursor) at(offset uint64) (ev mmapjfr.Event, ok bool) {
	if !e.find() || e.cursor.Event().Offset() != offset {
		return ev, false
	}
	e.ready = false
	return e.cursor.Event(), true
}

// find goes to the next event, unless the cursor is ready. It is false at the end.
func (e *contextCursor) find() bool {
	for !e.ready && e.types != nil {
		switch {
		case e.cursor.Next():
			e.ready = e.types[e.cursor.Event().Type()]
		case e.cursor.Err() == nil:
			e.types = nil
		}
	}
	return e.ready
}
