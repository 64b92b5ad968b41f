package verify

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
)

// event checks an event.
func (w *walker) event(ev *index.EventHeader) {
	if w.types == nil {
		w.events++
		return // noTypes has reported why
	}
	if ev.Type == headerType && w.isHeader(ev) {
		w.report(overlappingChunk, ev.Offset, "", "a chunk begins here, inside of another")
		return
	}
	typ := w.types.ByID(ev.Type)
	if typ == nil {
		if typ = w.describe(ev.Type); typ == nil {
			w.report(unknownType, ev.Offset, "", "its type %d is not described", ev.Type)
			return
		}
	}
	w.begin, w.typeName = ev.Offset, typ.Name
	if !typ.IsEvent() {
		w.report(notAnEvent, ev.Offset, typ.Name, "type %d is not an event type", typ.ID)
		return
	}
	w.events++
	p := w.program(typ)
	if p.unreadable != "" {
		w.report(unreadableEvent, ev.Offset, typ.Name, "%s", p.unreadable)
		return
	}
	w.loaded = [loads]int64{loadStart: unknownTicks}
	end := int(ev.End())
	next, ok := w.value(p, int(ev.Body()), end)
	switch {
	case !ok:
		w.arrays = w.arrays[:0]
		w.report(w.fault.kind, ev.Offset, typ.Name, "%s", w.fault.text)
	case next < end:
		w.report(eventTrailingBytes, ev.Offset, typ.Name, "%s", plural("%d bytes are left after the last field", end-next))
	}
	if ok {
		w.time(ev, w.loaded[loadStart], w.loaded[loadDuration])
	}
}

// headerType is the type that an event header has if it is the beginning of a chunk header.
const headerType schema.TypeID = 'L'

// isHeader reports whether an event header is the beginning of a chunk header.
func (w *walker) isHeader(ev *index.EventHeader) bool {
	h, ok := wire.ReadHeader(w.data[ev.Offset:])
	return ok && h.Readable() && h.TicksPerSecond > 0
}

// chunkTime is when a chunk was recorded, in ticks of its clock.
type chunkTime struct {
	begin int64
	// length is the duration; the greatest int64 if that is not known.
	length int64
	// perNano is the number of ticks in a nanosecond; 0 if the clock cannot be right.
	perNano float64
}

func timeOf(c *index.Chunk) chunkTime {
	h := c.Header()
	if h.TicksPerSecond <= 0 {
		return chunkTime{}
	}
	t := chunkTime{begin: h.StartTicks, length: math.MaxInt64, perNano: float64(h.TicksPerSecond) / 1e9}
	if h.Finished() && h.DurationNanos >= 0 && c.TrailingErr() == nil {
		// No event may lie outside because a number was rounded.
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

// unknownTicks stands for a time or a duration that is not known.
const unknownTicks = math.MinInt64

// time checks when an event began, and how long it lasted.
func (w *walker) time(ev *index.EventHeader, begin, lasted int64) {
	t := &w.s.time
	if lasted < 0 && lasted != unknownTicks {
		w.report(negativeDuration, ev.Offset, w.typeName, "it lasts %d ticks", lasted)
	}
	if t.perNano == 0 || begin == unknownTicks {
		return
	}
	switch since := begin - t.begin; {
	case begin > t.begin && since > t.length && t.duration(since-t.length) > late:
		w.report(eventTime, ev.Offset, w.typeName, "it begins %s after the end of the chunk", t.duration(since-t.length))
	case since < 0 && t.duration(-since-max(lasted, 0)) > late:
		w.report(eventTime, ev.Offset, w.typeName, "it ends %s before the beginning of the chunk", t.duration(-since-max(lasted, 0)))
	}
}

const (
	// A pause between two chunks is reported if it is longer, and so is an overlap.
	pause, overlap = time.Second, 10 * time.Millisecond
	// late is how far outside the time of its chunk an event can be: its thread may write it late,
	// after the chunk has changed.
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
		s.report(chunkOrder, startAt, "", "the chunk begins %s before the previous chunk", time.Duration(a.StartNanos-b.StartNanos))
	case since < -overlap && a.Finished():
		s.report(chunkOrder, startAt, "", "the chunk begins %s before the end of the previous chunk", -since)
	case since > pause && jvmid.Same(a, b) && before.TrailingErr() == nil:
		s.report(chunkGap, startAt, "", "the chunk begins %s after the end of the previous chunk", since)
	}
	if a.Final() && jvmid.Same(a, b) {
		s.report(finalChunk, 0, "", "the previous chunk says that its virtual machine wrote no other")
	}
}
