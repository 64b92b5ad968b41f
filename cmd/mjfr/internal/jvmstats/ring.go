package jvmstats

// span is how many seconds a ring keeps: a minute, and a few for what comes late.
// It must be a power of two.
const span = 64

// ring is a number for each of the last seconds. The zero ring has 0 for all.
type ring struct {
	last int64 // the newest second that has a number
	n    [span]int64
}

// at returns the place of a second, or nil if it is too long ago.
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
