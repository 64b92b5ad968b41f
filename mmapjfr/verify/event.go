package verify

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jvmid"
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
	typ := w.types.ByID(ev.Type)
	if typ == nil {
		if typ = w.describe(ev.Type); typ == nil {
			w.report(UnknownType, ev.Offset, "", "its type %d is not described", ev.Type)
			return
		}
	}
	w.begin, w.typeName = ev.Offset, typ.Name
	if !typ.IsEvent() {
		w.report(NotAnEvent, ev.Offset, typ.Name, "type %d is not an event type", typ.ID)
		return
	}
	w.events++
	p := w.program(typ)
	if p.unreadable != "" {
		w.report(UnreadableEvent, ev.Offset, typ.Name, "%s", p.unreadable)
		return
	}
	w.loaded = [loads]int64{loadStart: unknownTicks}
	end := int(ev.End())
	next, ok := w.value(p, int(ev.Body()), end)
	switch {
	case !ok:
		w.arrays = w.arrays[:0]
		if f := w.find(w.fault.kind, ev.Offset); f != nil {
			f.Type, f.Text = typ.Name, w.fault.text
		}
	case next < end:
		w.report(EventTrailingBytes, ev.Offset, typ.Name, "%s", plural("%d bytes are left after the last field", end-next))
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

// chunkTime is when a chunk was recorded, in ticks of its clock.
type chunkTime struct {
	begin int64
	// length is how long it took; the greatest if that is not known.
	length int64
	// perNano is how many ticks a nanosecond has; 0 if the clock cannot be believed.
	perNano float64
}

func timeOf(c *index.Chunk) chunkTime {
	h := c.Header()
	if h.TicksPerSecond <= 0 {
		return chunkTime{}
	}
	t := chunkTime{begin: h.StartTicks, length: math.MaxInt64, perNano: float64(h.TicksPerSecond) / 1e9}
	if h.Finished() && h.DurationNanos >= 0 && c.TrailingErr() == nil {
		// What was rounded must not make an event lie outside.
		if ticks := float64(h.DurationNanos)*t.perNano + t.perNano + 1; ticks < math.MaxInt64 {
			t.length = int64(ticks)
		}
	}
	return t
}

// duration returns how long these ticks last.
func (t *chunkTime) duration(ticks int64) time.Duration {
	nanos := float64(ticks) / t.perNano
	if math.Abs(nanos) >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(nanos)
}

// unknownTicks is a duration, or a time, that is not known.
const unknownTicks = math.MinInt64

// time checks when an event began, and how long it lasted.
func (w *walker) time(ev *index.EventHeader, begin, lasted int64) {
	t := &w.s.time
	if lasted < 0 && lasted != unknownTicks {
		w.report(NegativeDuration, ev.Offset, w.typeName, "it lasts %d ticks", lasted)
	}
	if t.perNano == 0 || begin == unknownTicks {
		return
	}
	switch since := begin - t.begin; {
	case begin > t.begin && since > t.length && t.duration(since-t.length) > late:
		w.report(EventTime, ev.Offset, w.typeName, "it begins %s after the end of the chunk", t.duration(since-t.length))
	case since < 0 && t.duration(-since-max(lasted, 0)) > late:
		w.report(EventTime, ev.Offset, w.typeName, "it ends %s before the beginning of the chunk", t.duration(-since-max(lasted, 0)))
	}
}

const (
	// pause is how long nothing is recorded between two chunks without being worth
	// a mention, and overlap how far one may begin before the end of the other.
	pause, overlap = time.Second, 10 * time.Millisecond
	// late is how far outside the time of its chunk an event is written as usual: its
	// thread gets to it late, or the chunk changes while it does.
	late = time.Second
)

// follows checks that the chunk begins when the one before it ends.
func (s *chunkCheck) follows(before *index.Chunk) {
	if before == nil {
		return
	}
	a, b := before.Header(), s.c.Header()
	end := a.StartNanos + max(a.DurationNanos, 0)
	switch since := time.Duration(b.StartNanos - end); {
	case b.StartNanos < a.StartNanos:
		s.report(ChunkOrder, startAt, "", "the chunk begins %s before the one in front of it", time.Duration(a.StartNanos-b.StartNanos))
	case since < -overlap && a.Finished():
		s.report(ChunkOrder, startAt, "", "the chunk begins %s before the end of the one in front of it", -since)
	case since > pause && jvmid.Same(a, b) && before.TrailingErr() == nil:
		s.report(ChunkGap, startAt, "", "the chunk begins %s after the end of the one in front of it", since)
	}
	if a.Final() && jvmid.Same(a, b) {
		s.report(FinalChunk, 0, "", "the chunk in front of it says that its virtual machine wrote no other")
	}
}
