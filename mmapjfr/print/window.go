package print

import (
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
}

// inWindow calls yield with the events in the order in which they ended, within a
// window; and, if it is asked to, with the events that enclose them.
func (o *Options) inWindow(ctx context.Context, recs []*mmapjfr.Recording, enclosed bool, yield func(item) bool) error {
	return o.inWindowOf(ctx, windowSize, recs, enclosed, yield)
}

func (o *Options) inWindowOf(ctx context.Context, size int, recs []*mmapjfr.Recording, enclosed bool, yield func(item) bool) error {
	w := &window{size: size, yield: yield}
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

func (w *window) add(ev mmapjfr.Event, nanos int64, what happening) {
	slot := uint32(len(w.slots))
	if n := len(w.free); n > 0 {
		slot, w.free = w.free[n-1], w.free[:n-1]
		w.slots[slot] = ev.Detach()
	} else {
		w.slots = append(w.slots, ev.Detach())
	}
	w.moments.add(moment{nanos, slot, what})
}

// shrink lets the first moments happen until no more than so many are left. It is
// false if yield was.
func (w *window) shrink(size int) bool {
	for len(w.moments) > size {
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
