package print

import (
	"math"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendTimespan appends a length of time.
func (r *textRenderer) appendTimespan(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch v.Int() {
	case math.MinInt64:
		return append(dst, "N/A"...)
	case math.MaxInt64:
		return append(dst, "Forever"...)
	}
	d := spanOf(s.unit, v)
	if r.exact {
		return append(d.appendExact(dst), " s"...)
	}
	if d == (span{}) {
		return append(dst, "0 s"...)
	}
	if d.seconds < 0 {
		dst = append(dst, '-')
		d = d.negated()
	}
	return d.appendRounded(dst)
}

// negated returns the span in the other direction.
func (s span) negated() span {
	if s.nanos == 0 {
		return span{-s.seconds, 0}
	}
	return span{-s.seconds - 1, 1e9 - s.nanos}
}

// appendExact appends a span in seconds with nine digits behind the point. To the
// JDK it is a double: beyond 104 days the last digits are not those of the file. Of
// spans too long for nanoseconds, which it refuses, they are.
func (s span) appendExact(dst []byte) []byte {
	if nanos, ok := s.inNanos(); ok {
		return appendFixed(dst, float64(nanos)/1e9, 9)
	}
	if s.seconds < 0 {
		dst = append(dst, '-')
		s = s.negated()
	}
	dst = strconv.AppendUint(dst, uint64(s.seconds), 10)
	return appendDigits(append(dst, '.'), s.nanos, 9)
}

// inNanos returns the span in nanoseconds; false if these are too many.
func (s span) inNanos() (n int64, ok bool) {
	whole, rest := s.seconds, s.nanos
	if whole < 0 {
		whole, rest = whole+1, rest-1e9
	}
	const most = math.MaxInt64 / 1_000_000_000
	if whole > most || whole < -most {
		return 0, false
	}
	n = whole*1e9 + rest
	return n, (rest >= 0) == (n >= whole*1e9)
}

// appendRounded appends a positive span in three digits, or two units.
func (s span) appendRounded(dst []byte) []byte {
	if s.seconds == 0 && s.nanos < 1e3 {
		return append(appendDecimal(dst, s.nanos, 6), " ms"...)
	}
	if s.seconds == 0 {
		unit := power10(length10(s.nanos) - 3)
		s.nanos = (s.nanos + unit/2) / unit * unit
		if s.nanos < 1e9 {
			digits := 9 - length10(s.nanos)
			return append(appendDecimal(dst, s.nanos/power10(6-digits), digits), " ms"...)
		}
		s = span{1, 0}
	}
	if s.seconds < 60 {
		unit := power10(length10(s.seconds))
		millis := (s.nanos/1e6 + unit/2) / unit * unit
		s = span{s.seconds + millis/1e3, millis % 1e3 * 1e6}
		if s.seconds < 60 {
			digits := 3 - length10(s.seconds)
			all := s.seconds*1e3 + s.nanos/1e6
			return append(appendDecimal(dst, all/power10(3-digits), digits), " s"...)
		}
	}
	return s.appendLong(dst)
}

// appendLong appends a span of a minute or more, in its two greatest units.
func (s span) appendLong(dst []byte) []byte {
	seconds := uint64(s.seconds) // which is not negative, and has room for rounding
	if seconds < 3600 {
		if s.nanos >= 5e8 {
			seconds++
		}
		if seconds < 3600 {
			return appendPair(dst, seconds, 60, " m ", " s")
		}
	} else if seconds < 86400 {
		seconds = (seconds + 30) / 60 * 60
	} else {
		seconds = (seconds + 1800) / 3600 * 3600
	}
	if seconds < 86400 {
		return appendPair(dst, seconds/60, 60, " h ", " m")
	}
	return appendPair(dst, seconds/3600, 24, " d ", " h")
}

// appendPair appends a number in units of so many, and the rest.
func appendPair(dst []byte, n, unit uint64, name, restName string) []byte {
	dst = append(strconv.AppendUint(dst, n/unit, 10), name...)
	return append(strconv.AppendUint(dst, n%unit, 10), restName...)
}

// appendDecimal appends n with so many of its digits behind a point.
func appendDecimal(dst []byte, n int64, digits int) []byte {
	unit := power10(digits)
	dst = strconv.AppendInt(dst, n/unit, 10)
	if digits == 0 {
		return dst
	}
	return appendDigits(append(dst, '.'), n%unit, digits)
}

// length10 returns how many digits a number has.
func length10(n int64) int {
	digits := 1
	for n >= 10 {
		n /= 10
		digits++
	}
	return digits
}

func power10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
