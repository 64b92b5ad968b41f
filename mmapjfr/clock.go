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

func newClock(startNanos, startTicks, ticksPerSecond int64) clock {
	return clock{startTicks, startNanos, float64(ticksPerSecond) / 1e9}
}

// timestamp returns the nanoseconds since 1970 at which the clock showed ticks.
func (k *clock) timestamp(ticks int64) int64 {
	return k.startNanos + javaLong(float64(ticks-k.startTicks)/k.ticksPerNano)
}

// timespan returns how many nanoseconds so many ticks last.
func (k *clock) timespan(ticks int64) int64 {
	return javaLong(float64(ticks) / k.ticksPerNano)
}

// javaLong converts as Java does: towards zero, to the nearest long where there
// is none, and NaN to zero. Go leaves those cases to the processor.
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

// unixNano returns the time of so many nanoseconds since 1970, in UTC.
func unixNano(ns int64) time.Time { return time.Unix(0, ns).UTC() }
