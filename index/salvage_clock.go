package index

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// second is one in nanoseconds.
const second = int64(time.Second)

// ticks returns how many ticks a number of nanoseconds lasts.
func ticks(h wire.Header, nanos int64) float64 {
	return float64(nanos) * float64(h.TicksPerSecond) / float64(second)
}

// plausible reports whether a clock can be right: the first checkpoint was written within a day of
// its start.
func (s *salvager) plausible(h wire.Header) bool {
	const day = 24 * 3600 * second
	return h.SaneClock() && (!s.timed || math.Abs(float64(s.first)-float64(h.StartTicks)) <= ticks(h, day))
}

// ownClock finds a clock of the chunk that can be right, in its header or in a copy of the header.
func (s *salvager) ownClock() {
	h := &s.c.header
	if s.plausible(*h) {
		s.clockOf = s.c.number
		return
	}
	for _, head := range s.copies {
		if s.plausible(head) {
			h.StartNanos, h.StartTicks, h.TicksPerSecond = head.StartNanos, head.StartTicks, head.TicksPerSecond
			s.clockOf, s.copied = s.c.number, true
			return
		}
	}
}

// window is the range of ticks in which events begin; it is open if the clock is not known.
type window struct {
	from, to int64
	open     bool
}

// writtenBetween returns when the events of the chunk can have begun. It adds a second on both
// sides, or an hour at the end if nobody knows when the chunk ended. It subtracts less if the
// clock was near 0: small numbers are everywhere in damaged bytes.
func (s *salvager) writtenBetween() window {
	h := s.c.header
	if s.clockOf < 0 {
		return window{open: true}
	}
	last := second + max(0, h.DurationNanos)
	if s.unfinished() || s.claimed == 0 || h.DurationNanos < 0 {
		last += 3600 * second
	}
	start := float64(h.StartTicks)
	from, to := start-min(ticks(h, second), start/4), start+ticks(h, last)
	if to >= math.MaxInt64 {
		return window{open: true}
	}
	return window{from: int64(from), to: int64(to)}
}

// timely reports whether an event or a checkpoint began while the chunk was written. Events
// without a time count as timely.
func (s *salvager) timely(types *schema.TypeSet, rec EventHeader) bool {
	if s.window.open || rec.Type == schema.MetadataID {
		return true
	}
	typ := types.EventType(rec.Type)
	if rec.Type == schema.CheckpointID || typ == nil {
		return s.within(rec, rec.Body())
	}
	plan, err := typ.Plan()
	if err != nil {
		return false
	}
	time, _ := types.TimeAndThreadSlots(typ)
	if time < 0 {
		return true
	}
	pos, ok := plan.SlotOffset(s.c.data[:rec.End()], int(rec.Body()), time)
	return ok && s.within(rec, uint64(pos))
}

// within reports whether the bytes at an offset in an event are a time at which the chunk was
// written.
func (s *salvager) within(rec EventHeader, pos uint64) bool {
	start, n := s.c.encoding.Long(s.c.data[pos:rec.End()])
	return n > 0 && start >= s.window.from && start <= s.window.to
}
