package jvmstats

import "time"

// leap is the greatest difference in time between an event and those before it. A larger one needs
// a second event as evidence.
const leap = int64(time.Minute)

// clock is the time of the events, in nanoseconds. It never goes back: if the clock of the events
// was set back, or the recording of another JVM follows, the clock is ahead of the events by shift.
type clock struct {
	first, now int64 // 0 before the first event
	shift      int64

	// ahead is the time of an event far in the future, which another event must confirm; 0 if there
	// was no such event.
	ahead int64
	// Since the last flush: any is true if there were events, fresh if one of them was of the last
	// minute, and stale is the greatest time of the older ones.
	any, fresh bool
	stale      int64
	// flushed is the time of the caller at the last flush that had events.
	flushed time.Time
	// reached is the time of the clock at flushed.
	reached int64
}

// see takes the time of an event and returns the second that the event counts for.
func (c *clock) see(nanos int64) (second int64) {
	c.any = true
	if nanos <= 0 { // the event has no time
		return c.second()
	}
	t := nanos + c.shift
	switch {
	case c.now == 0:
		c.first, c.now = t, t
	case t > c.now+leap && (c.ahead == 0 || max(t-c.ahead, c.ahead-t) > leap):
		c.ahead = t
		return c.second()
	case t < c.now-leap:
		c.stale = max(c.stale, t)
	default:
		c.fresh, c.ahead, c.now = true, 0, max(c.now, t)
	}
	return t / int64(time.Second)
}

// flush ends a flush at a time of the caller, if that is not zero.
func (c *clock) flush(at time.Time) {
	switch {
	case !c.any && !c.flushed.IsZero() && !at.IsZero():
		c.now = max(c.now, c.reached+int64(at.Sub(c.flushed)))
	case !c.fresh && c.stale != 0: // the clock of the events has changed
		c.shift += c.now - c.stale
	}
	if c.any {
		c.flushed, c.reached = at, c.now
	}
	c.any, c.fresh, c.stale = false, false, 0
}

// second returns the current second.
func (c *clock) second() int64 { return c.now / int64(time.Second) }

// time returns the time of the events for one of the clock.
func (c *clock) time(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos-c.shift).UTC()
}

// covered returns the length of the last seconds up to now, in seconds. The current second is not
// over, and a young stream has fewer. It is at least one.
func (c *clock) covered(seconds int64) float64 {
	from := max(c.first, (c.second()-seconds+1)*int64(time.Second))
	return max(1, time.Duration(c.now-from).Seconds())
}
