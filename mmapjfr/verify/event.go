package verify

import (
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// event checks an event.
func (w *walker) event(ev *index.EventHeader) {
	if w.types == nil {
		w.events++
		return // which has been told
	}
	if ev.Type == headerType && w.isHeader(ev) {
		w.report(OverlappingChunk, ev.Offset, "", "a chunk begins here, inside of another")
		return
	}
	class := w.types.ByID(ev.Type)
	if class == nil {
		if class = w.describe(ev.Type); class == nil {
			w.report(UnknownType, ev.Offset, "", "its class %d is not described", ev.Type)
			return
		}
	}
	w.begin, w.class = ev.Offset, class.Name
	if !class.IsEvent() {
		w.report(NotAnEvent, ev.Offset, class.Name, "class %d is no event type", class.ID)
		return
	}
	w.events++
	p := w.program(class)
	if p == nil {
		if f := w.find(UnreadableEvent, ev.Offset); f != nil {
			_, err := class.Plan()
			f.Type, f.Text = class.Name, reason(err)
		}
		return
	}
	w.loaded = [loads]int64{loadStart: unknownTicks}
	end := int(ev.End())
	next, ok := w.value(p, int(ev.Body()), end)
	switch {
	case !ok:
		w.arrays = w.arrays[:0]
		if f := w.find(w.fault.kind, ev.Offset); f != nil {
			f.Type, f.Text = class.Name, w.fault.text
		}
	case next < end:
		w.report(EventTrailingBytes, ev.Offset, class.Name, "%s", plural("%d bytes are left after the last field", end-next))
	}
	if ok {
		w.time(ev, w.loaded[loadStart], w.loaded[loadDuration])
	}
}

// headerType is the type that the header of a chunk has if it is taken for an event.
const headerType schema.TypeID = 'L'

// isHeader reports whether the header of another chunk begins where the event does.
func (w *walker) isHeader(ev *index.EventHeader) bool {
	h, ok := wire.ReadHeader(w.data[ev.Offset:])
	return ok && h.Readable() && h.TicksPerSecond > 0
}
