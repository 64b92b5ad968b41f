package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// most is more than any number that is right, and so small that sums of it are too.
const most = 1 << 50

// amount returns a number that counts something: none is less than zero.
func amount(n int64) int64 { return min(max(n, 0), most) }

// size returns the amount that a path leads to.
func size(ev mmapjfr.Event, p *mmapjfr.FieldPath) int64 { return amount(ev.Int(p)) }

// length returns a length of time; 0 if it is not known or has no end.
func length(d time.Duration) time.Duration {
	if d < 0 || d == mmapjfr.Forever {
		return 0
	}
	return min(d, most)
}

// ratio returns the part of a whole that a path leads to.
func ratio(ev mmapjfr.Event, p *mmapjfr.FieldPath) float64 {
	if f := ev.Float(p); f > 0 { // it is not for NaN
		return min(f, 1)
	}
	return 0
}

// share returns the part of a whole.
func share(n, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
