package jvmstats

import "time"

// leap is by how much the time of an event may differ from that of those before it for
// it to be believed at once.
const leap = int64(time.Minute)

// clock tells the time by the events. It counts nanoseconds, and never goes back: where
// the clock of the events was set back, or another JVM's recording follows, what it
// tells runs ahead of them by shift.
type clock struct {
	first, now int64 // 0 before the first event
	shift      int64

	// ahead is when an event was that is so far in the future that another must
	// confirm it; 0 if there is none.
	ahead int64
	// Of the events since the last flush: whether there are any, whether one of them is
	// of the last minute, and when the newest was that is older.
	any, fresh bool
	stale      int64
	// flushed is the time of the caller at the last flush that had events.
	flushed time.Time
	// reached is what the clock told then.
	reached int64
}

// see takes note of an event and returns the second that it counts for.
func (c *clock) see(nanos int64) (second int64) {
	c.any = true
	if nanos <= 0 { // it does not say when it was
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

// flush takes note of the end of a flush, at that time of the caller. The zero time is
// none.
func (c *clock) flush(at time.Time) {
	switch {
	case !c.any && !c.flushed.IsZero() && !at.IsZero():
		c.now = max(c.now, c.reached+int64(at.Sub(c.flushed)))
	case !c.fresh && c.stale != 0: // the clock of the events is another one
		c.shift += c.now - c.stale
	}
	if c.any {
		c.flushed, c.reached = at, c.now
	}
	c.any, c.fresh, c.stale = false, false, 0
}

// second returns the current second.
func (c *clock) second() int64 { return c.now / int64(time.Second) }

// time returns the time as the events have it.
func (c *clock) time(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos-c.shift).UTC()
}

// covered returns how long, in seconds, the last seconds have been up to now, the
// current one not being over; less if the stream is younger. It is never less than one.
func (c *clock) covered(seconds int64) float64 {
	from := max(c.first, (c.second()-seconds+1)*int64(time.Second))
	return max(1, time.Duration(c.now-from).Seconds())
}
