package jvmstats

import "time"

// span is the number of seconds in a ring: a minute, and a few for late events. It must be a power
// of two.
const span = 64

// ring is a number for each of the last seconds. The zero ring has only zeros.
type ring struct {
	last int64 // the newest second that has a number
	n    [span]int64
}

// at returns the element of a second, or nil if the second is too old.
func (r *ring) at(second int64) *int64 {
	if second <= r.last-span {
		return nil
	}
	if second >= r.last+span {
		r.n, r.last = [span]int64{}, second
	}
	for r.last < second {
		r.last++
		r.n[r.last&(span-1)] = 0
	}
	return &r.n[second&(span-1)]
}

// add adds to the number of a second.
func (r *ring) add(second, n int64) {
	if at := r.at(second); at != nil {
		*at += n
	}
}

// raise makes the number of a second at least n.
func (r *ring) raise(second, n int64) {
	if at := r.at(second); at != nil {
		*at = max(*at, n)
	}
}

// sum returns the sum of that many seconds, of which now is the last.
func (r *ring) sum(now, seconds int64) (sum int64) {
	for second := max(now-seconds, r.last-span) + 1; second <= min(now, r.last); second++ {
		sum += r.n[second&(span-1)]
	}
	return sum
}

// peak returns the greatest number of that many seconds, of which now is the last.
func (r *ring) peak(now, seconds int64) (peak int64) {
	for second := max(now-seconds, r.last-span) + 1; second <= min(now, r.last); second++ {
		peak = max(peak, r.n[second&(span-1)])
	}
	return peak
}

// historyLen is the greatest number of points in a history.
const historyLen = 240

// history is the last points of a graph, at most one for each second.
type history[T any] struct {
	points []T
	next   int   // where the next one goes when the history is full
	second int64 // of the newest point
}

// add adds a point. If there is one of the same second, join makes one of both.
func (h *history[T]) add(second int64, p T, join func(old, p T) T) {
	if len(h.points) > 0 && second == h.second {
		last := h.last()
		*last = join(*last, p)
		return
	}
	h.second = second
	if h.points == nil {
		h.points = make([]T, 0, historyLen)
	}
	if len(h.points) < historyLen {
		h.points = append(h.points, p)
		return
	}
	h.points[h.next] = p
	h.next = (h.next + 1) % historyLen
}

// last returns the newest point, or nil if the history is empty.
func (h *history[T]) last() *T {
	if len(h.points) == 0 {
		return nil
	}
	return &h.points[(h.next+len(h.points)-1)%len(h.points)]
}

// forget removes all points.
func (h *history[T]) forget() { h.points, h.next = h.points[:0], 0 }

// list returns the points, the oldest first.
func (h *history[T]) list() []T {
	if len(h.points) == 0 {
		return nil
	}
	list := make([]T, 0, len(h.points))
	return append(append(list, h.points[h.next:]...), h.points[:h.next]...)
}

// newest returns the newer of two points.
func newest[T any](_, p T) T { return p }

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
