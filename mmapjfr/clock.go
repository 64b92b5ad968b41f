package mmapjfr

import (
	"math"
	"time"
)

// clock turns the ticks of a chunk into time (index/FORMAT.md, section 1.2). It
// computes as the JDK does, in floating point and rounding towards zero, so that
// times are equal to the nanosecond.
type clock struct {
	startTicks int64
	startNanos int64
	// ticksPerNano is how many ticks one nanosecond has.
	ticksPerNano float64
}

// timestamp returns the nanoseconds since 1970 at which the clock showed ticks.
func (k *clock) timestamp(ticks int64) int64 {
	return k.startNanos + k.timespan(ticks-k.startTicks)
}

// timespan returns how many nanoseconds that number of ticks lasts.
func (k *clock) timespan(ticks int64) int64 {
	const exact = 1 << 53 // floating point has all whole numbers up to there
	if k.ticksPerNano == 1 && ticks <= exact && ticks >= -exact {
		return ticks
	}
	return javaLong(float64(ticks) / k.ticksPerNano)
}

// javaLong converts as Java does: towards zero; to the nearest long what no long can hold;
// NaN to zero. In Go the result of those cases depends on the processor.
func javaLong(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// unixNano returns the time of that number of nanoseconds since 1970, in UTC.
func unixNano(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// since returns the first tick at which the time is ns or later; false if no tick is. Ticks
// whose time nanoseconds since 1970 cannot express come before or after all others.
func (k *clock) since(ns int64) (ticks int64, ok bool) {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if k.reaches(low, ns) {
		return low, true
	}
	if !k.reaches(high, ns) {
		return 0, false
	}
	for low+1 < high {
		mid := low + int64(uint64(high-low)/2)
		if k.reaches(mid, ns) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}

// reaches reports whether the time at that tick is ns or later. Unlike
// timestamp it never wraps around, so that it is true from some tick on.
func (k *clock) reaches(ticks, ns int64) bool {
	if k.ticksPerNano <= 0 {
		return k.startNanos >= ns // the clock stands still
	}
	since := ticks - k.startTicks
	switch {
	case ticks >= 0 && k.startTicks < 0 && since < 0:
		since = math.MaxInt64
	case ticks < 0 && k.startTicks >= 0 && since >= 0:
		since = math.MinInt64
	}
	nanos := javaLong(float64(since) / k.ticksPerNano)
	switch sum := k.startNanos + nanos; {
	case nanos > 0 && sum < k.startNanos:
		return true
	case nanos < 0 && sum > k.startNanos:
		return false
	default:
		return sum >= ns
	}
}
