package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

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

// merge adds another ring.
func (r *ring) merge(o *ring) {
	for second := o.last - span + 1; second <= o.last; second++ {
		r.add(second, o.n[second&(span-1)])
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

// most is greater than any valid number. Sums of it do not overflow.
const most = 1 << 50

// amount returns a number of things, which is never negative.
func amount(n int64) int64 { return min(max(n, 0), most) }

// size returns the amount at a path.
func size(ev mmapjfr.Event, p *mmapjfr.FieldPath) int64 { return amount(ev.Int(p)) }

// length returns a duration; 0 if it is not known or has no end.
func length(d time.Duration) time.Duration {
	if d < 0 || d == mmapjfr.Forever {
		return 0
	}
	return min(d, most)
}

// ratio returns the share at a path, from 0 to 1.
func ratio(ev mmapjfr.Event, p *mmapjfr.FieldPath) float64 {
	if f := ev.Float(p); f > 0 { // false for NaN
		return min(f, 1)
	}
	return 0
}

// share returns n as a share of all.
func share(n, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
