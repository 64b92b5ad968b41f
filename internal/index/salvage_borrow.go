package index

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
)

// nearest calls f with the other chunks until f returns true, the nearest first, and of two
// equally near ones the earlier first.
func nearest(all []*salvager, number int, f func(other *salvager) bool) {
	for d := 1; d < len(all); d++ {
		for _, i := range []int{number - d, number + d} {
			if i >= 0 && i < len(all) && f(all[i]) {
				return
			}
		}
	}
}

// canLend reports whether the chunk can lend its metadata to another one.
func (s *salvager) canLend(other *salvager) bool {
	return s.types == s.c.number && s.clockOf == s.c.number && jvmid.Same(s.c.header, other.c.header)
}

// borrowMissing adds the types that the chunk's events need and its metadata does not describe,
// from the nearest chunk of the same virtual machine.
func (s *salvager) borrowMissing(all []*salvager) {
	c := s.c
	if s.types != c.number || s.clockOf < 0 || !s.undescribed(c.types.Load()) {
		return
	}
	nearest(all, c.number, func(other *salvager) bool {
		if !other.canLend(s) {
			return false
		}
		var trees []*schema.Tree
		for _, offset := range other.metadata {
			if ev, err := other.c.readMetadataEvent(offset); err == nil {
				if t, err := other.c.readTree(ev); err == nil {
					trees = append(trees, t)
				}
			}
		}
		own := c.types.Load()
		types := own.With(trees...)
		if s.undescribed(types) {
			own.Restore()
			return false
		}
		c.types.Store(types)
		s.classes = other.c.number
		return true
	})
	if s.classes >= 0 {
		s.walkAgain()
	}
}

// walkAgain walks through a chunk whose types have become known.
func (s *salvager) walkAgain() {
	s.limit = s.next
	s.c.setEnd(s.limit)
	s.follow()
}

// borrowTypes gives a chunk without metadata that of the nearest chunk of the same virtual machine
// whose types fit: fewer than one in four of the events found with them may be wrong.
func (s *salvager) borrowTypes(all []*salvager) {
	c := s.c
	if s.types >= 0 || s.clockOf < 0 {
		return
	}
	nearest(all, c.number, func(other *salvager) bool {
		if !other.canLend(s) {
			return false
		}
		types, err := other.c.Types()
		if err != nil {
			return false
		}
		c.types.Store(types)
		before, limit := s.salvageWalk, s.limit
		if s.walkAgain(); s.events > 4*s.unsound {
			s.types, c.typesErr = other.c.number, nil
			c.lender = other.c
			return true
		}
		s.salvageWalk, s.limit = before, limit
		c.types.Store(nil)
		return false
	})
}

// nextTo bounds how far, in nanoseconds, the end of one chunk and the beginning of the next one
// are apart in a virtual machine.
const nextTo = 10 * second

// borrowClock gives a chunk without a clock that of the chunk before or after, if that can be of
// the same virtual machine: the rest of its own clock agrees, and its checkpoints were written
// just after the end of that chunk, or just before its beginning.
func (s *salvager) borrowClock(all []*salvager) {
	if s.clockOf >= 0 || !s.timed {
		return
	}
	nearest(all, s.c.number, func(other *salvager) bool {
		if d := other.c.number - s.c.number; d != 1 && d != -1 {
			return true // the others are further away
		}
		h, o := &s.c.header, other.c.header
		if other.clockOf != other.c.number || !jvmid.SameFormat(*h, o) || !s.adjoins(other) {
			return false
		}
		if h.SaneRate() && h.TicksPerSecond != o.TicksPerSecond {
			return false
		}
		s.clockOf = other.c.number
		h.TicksPerSecond = o.TicksPerSecond
		if s.plausible(wire.Header{TicksPerSecond: o.TicksPerSecond, StartTicks: h.StartTicks, StartNanos: 1}) {
			h.StartNanos = o.StartNanos + int64(float64(h.StartTicks-o.StartTicks)/float64(o.TicksPerSecond)*float64(second))
			return true
		}
		h.StartTicks = s.first
		h.StartNanos = o.StartNanos + int64(float64(s.first-o.StartTicks)/float64(o.TicksPerSecond)*float64(second))
		return true
	})
}

// adjoins reports whether the checkpoints of a chunk were written just after the end of the chunk
// before, or just before the beginning of the chunk after it.
func (s *salvager) adjoins(other *salvager) bool {
	o := other.c.header
	if other.c.number < s.c.number {
		since := float64(s.first-o.StartTicks) - ticks(o, o.DurationNanos)
		return since >= -ticks(o, second) && since <= ticks(o, nextTo)
	}
	until := float64(o.StartTicks - s.last)
	return until >= -ticks(o, second) && until <= ticks(o, nextTo)
}

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
