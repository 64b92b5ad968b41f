package print

import (
	"cmp"
	"context"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// windowSize is how many moments wait at most.
const windowSize = 1_000_000

// window brings events into the order in which they ended, as far as no event comes
// a million others too late. An event that waits takes 48 bytes.
type window struct {
	size    int
	moments moments
	// slots are the events that wait, and free those of the slots that hold none.
	slots    []mmapjfr.Event
	free     []uint32
	contexts contexts
	yield    func(item) bool
	// chunks numbers the chunks of events in the order in which they came; nil if it
	// does not matter. last is the one that came last.
	chunks map[mmapjfr.Chunk]int
	last   mmapjfr.Chunk
}

// inWindow calls yield with the events in the order in which they ended, within a
// window. If it is asked to, it does so with the events that enclose them: those that
// ended together then come as the JDK's text has them, and else in the order of the
// JSON document, which is that of the clock of the chunk, and of the file.
func (o *Options) inWindow(ctx context.Context, recs []*mmapjfr.Recording, enclosed bool, yield func(item) bool) error {
	return o.inWindowOf(ctx, windowSize, recs, enclosed, yield)
}

func (o *Options) inWindowOf(ctx context.Context, size int, recs []*mmapjfr.Recording, enclosed bool, yield func(item) bool) error {
	w := &window{size: size, yield: yield}
	if !enclosed {
		w.chunks = make(map[mmapjfr.Chunk]int)
		w.moments.first = w.first
	}
	for _, rec := range recs {
		var outer enclosing
		if enclosed {
			outer = enclosingEvents(rec)
		}
		more, err := o.eventsOf(ctx, rec, func(ev mmapjfr.Event) bool {
			if !outer.before(ev.Offset(), w.enclose) {
				return false
			}
			if same, ok := outer.at(ev.Offset()); ok {
				w.addBounds(same)
			}
			w.add(ev, ev.EndNanos(), isShown)
			return w.shrink(w.size)
		})
		if !more {
			return err
		}
		if !outer.before(noOffset, w.enclose) {
			return nil
		}
	}
	w.shrink(0)
	return nil
}

// enclose adds an event that encloses others and is not to be shown. It is false if
// yield was.
func (w *window) enclose(ev mmapjfr.Event) bool {
	w.addBounds(ev)
	return w.shrink(w.size)
}

func (w *window) addBounds(ev mmapjfr.Event) {
	w.add(ev, ev.StartNanos(), begins)
	w.add(ev, ev.EndNanos(), ends)
}

// first reports which of two events comes first whose ends are equal in nanoseconds.
func (w *window) first(a, b uint32) bool {
	x, y := w.slots[a], w.slots[b]
	c, d := x.Chunk(), y.Chunk()
	switch {
	case c != d:
		return w.chunks[c] < w.chunks[d]
	case c.Index().Header().TicksPerSecond <= 1e9: // ends that differ do so in nanoseconds
		return x.Offset() < y.Offset()
	}
	return cmp.Or(cmp.Compare(endTicks(x), endTicks(y)), cmp.Compare(x.Offset(), y.Offset())) < 0
}

func (w *window) add(ev mmapjfr.Event, nanos int64, what happening) {
	if c := ev.Chunk(); w.chunks != nil && c != w.last {
		w.last, w.chunks[c] = c, len(w.chunks)
	}
	slot := uint32(len(w.slots))
	if n := len(w.free); n > 0 {
		slot, w.free = w.free[n-1], w.free[:n-1]
		w.slots[slot] = ev.Detached()
	} else {
		w.slots = append(w.slots, ev.Detached())
	}
	w.moments.add(moment{nanos, slot, what})
}

// shrink lets the first moments happen until no more than so many are left. It is
// false if yield was.
func (w *window) shrink(size int) bool {
	for len(w.moments.heap) > size {
		m := w.moments.remove()
		ev := w.slots[m.slot]
		w.free = append(w.free, m.slot)
		switch m.what {
		case begins:
			w.contexts.begin(ev)
		case ends:
			w.contexts.end(ev)
		default:
			if !w.yield(item{event: ev, context: w.contexts.of(ev)}) {
				return false
			}
		}
	}
	return true
}
