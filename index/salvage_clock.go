package index

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// second is one in nanoseconds.
const second = int64(time.Second)

// ticks returns how many ticks so many nanoseconds last.
func ticks(h wire.Header, nanos int64) float64 {
	return float64(nanos) * float64(h.TicksPerSecond) / float64(second)
}

// plausible tells whether a clock can be right, and the first checkpoint was written
// within a day of its start.
func (s *salvager) plausible(h wire.Header) bool {
	const day = 24 * 3600 * second
	return h.SaneClock() && (!s.timed || math.Abs(float64(s.first)-float64(h.StartTicks)) <= ticks(h, day))
}

// ownClock makes sure that the chunk has a clock that can be right, its own or one that
// a copy of the header has.
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

// window is between which ticks events begin; it is open if the clock is not known.
type window struct {
	from, to int64
	open     bool
}

// times returns when the events of the chunk can have begun, with a second more on both
// sides, or, if it is not known when the chunk ended, with an hour more at the end. Near
// the beginning of the clock there is less before the chunk: small numbers are everywhere.
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

// timely tells whether an event or a checkpoint began while the chunk was written.
// Events that say no time are.
func (s *salvager) timely(types *schema.TypeSet, rec EventHeader) bool {
	if s.window.open || rec.Type == schema.MetadataID {
		return true
	}
	class := types.EventType(rec.Type)
	if rec.Type == schema.CheckpointID || class == nil {
		return s.within(rec, rec.Body())
	}
	plan, err := class.Plan()
	if err != nil {
		return false
	}
	time, _ := types.TimeAndThreadSlots(class)
	if time < 0 {
		return true
	}
	pos, ok := plan.SlotOffset(s.c.data[:rec.End()], int(rec.Body()), time)
	return ok && s.within(rec, uint64(pos))
}

// within tells whether at a place in a frame there is a time at which the chunk was written.
func (s *salvager) within(rec EventHeader, pos uint64) bool {
	start, n := s.c.encoding.Long(s.c.data[pos:rec.End()])
	return n > 0 && start >= s.window.from && start <= s.window.to
}
