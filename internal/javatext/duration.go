package javatext

import (
	"math"
	"strconv"

	"github.com/mmapjfr/jfr/internal/index/schema"
)

// Duration is a time span. Java's durations can be longer than Go's.
type Duration struct {
	Seconds int64
	Nanos   int64 // from 0 to 999,999,999, to be added to the seconds
}

// DurationOf returns the duration of a number in a unit, as the JDK reads it: microseconds beyond
// the range of nanoseconds wrap around. The number must not be the least long or the greatest,
// which stand for something else, and ticks must have been converted to nanoseconds.
func DurationOf(unit schema.Unit, n int64) Duration {
	perSecond := int64(1e9)
	switch unit {
	case schema.TimespanSeconds:
		perSecond = 1
	case schema.TimespanMillis:
		perSecond = 1e3
	case schema.TimespanMicros:
		n *= 1e3
	}
	d := Duration{n / perSecond, n % perSecond * (1e9 / perSecond)}
	if d.Nanos < 0 {
		d.Seconds, d.Nanos = d.Seconds-1, d.Nanos+1e9
	}
	return d
}

// Append appends the duration as jfr print does: in three digits, or two units.
func (d Duration) Append(dst []byte) []byte { return d.AppendMillis(dst, -1) }

// AppendMillis is [Duration.Append], except that less than a second has that number of digits
// after the point, of which only three are not zero. It is Append if the number is negative.
func (d Duration) AppendMillis(dst []byte, digits int) []byte {
	if d == (Duration{}) {
		return append(dst, "0 s"...)
	}
	if d.Seconds < 0 {
		dst = append(dst, '-')
		d = d.negated()
	}
	return d.appendRounded(dst, digits)
}

// negated returns the duration in the other direction.
func (d Duration) negated() Duration {
	if d.Nanos == 0 {
		return Duration{-d.Seconds, 0}
	}
	return Duration{-d.Seconds - 1, 1e9 - d.Nanos}
}

// AppendExact appends a duration in seconds with nine digits after the point. As in the
// JDK it is a double: beyond 104 days the last digits are not those of the file. Durations
// that are too long for nanoseconds, at which the JDK fails, have the digits of the file.
func (d Duration) AppendExact(dst []byte) []byte {
	if nanos, ok := d.inNanos(); ok {
		return AppendFixed(dst, float64(nanos)/1e9, 9)
	}
	if d.Seconds < 0 {
		dst = append(dst, '-')
		d = d.negated()
	}
	dst = strconv.AppendUint(dst, uint64(d.Seconds), 10)
	return AppendDigits(append(dst, '.'), d.Nanos, 9)
}

// inNanos returns the duration in nanoseconds; false if it is too long.
func (d Duration) inNanos() (n int64, ok bool) {
	whole, rest := d.Seconds, d.Nanos
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

// appendRounded appends a positive duration in three digits, or two units.
func (d Duration) appendRounded(dst []byte, digits int) []byte {
	if d.Seconds == 0 && d.Nanos < 1e3 {
		return appendMillis(dst, d.Nanos, digits, 6)
	}
	if d.Seconds == 0 {
		unit := power10(length10(d.Nanos) - 3)
		d.Nanos = (d.Nanos + unit/2) / unit * unit
		if d.Nanos < 1e9 {
			return appendMillis(dst, d.Nanos, digits, 9-length10(d.Nanos))
		}
		d = Duration{1, 0}
	}
	if d.Seconds < 60 {
		unit := power10(length10(d.Seconds))
		millis := (d.Nanos/1e6 + unit/2) / unit * unit
		d = Duration{d.Seconds + millis/1e3, millis % 1e3 * 1e6}
		if d.Seconds < 60 {
			digits := 3 - length10(d.Seconds)
			all := d.Seconds*1e3 + d.Nanos/1e6
			return append(appendDecimal(dst, all/power10(3-digits), digits), " s"...)
		}
	}
	return d.appendLong(dst)
}

// appendLong appends a duration of a minute or more, in its two greatest units.
func (d Duration) appendLong(dst []byte) []byte {
	seconds := uint64(d.Seconds) // not negative, and with room for rounding
	if seconds < 3600 {
		if d.Nanos >= 5e8 {
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

// appendMillis appends nanoseconds as milliseconds, with those digits after the point or, if
// their number is negative, as many as usual.
func appendMillis(dst []byte, nanos int64, digits, usual int) []byte {
	if digits < 0 {
		dst = appendDecimal(dst, nanos/power10(6-usual), usual)
	} else {
		dst = AppendFixed(dst, float64(nanos)/1e6, digits)
	}
	return append(dst, " ms"...)
}

// appendPair appends a number in a greater unit, and the rest.
func appendPair(dst []byte, n, unit uint64, name, restName string) []byte {
	dst = append(strconv.AppendUint(dst, n/unit, 10), name...)
	return append(strconv.AppendUint(dst, n%unit, 10), restName...)
}

// appendDecimal appends n with that number of its digits after a point.
func appendDecimal(dst []byte, n int64, digits int) []byte {
	unit := power10(digits)
	dst = strconv.AppendInt(dst, n/unit, 10)
	if digits == 0 {
		return dst
	}
	return AppendDigits(append(dst, '.'), n%unit, digits)
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

// AppendISO appends the duration as java.time.Duration writes it.
func (d Duration) AppendISO(dst []byte) []byte {
	if d == (Duration{}) {
		return append(dst, "PT0S"...)
	}
	dst = append(dst, "PT"...)
	whole := d.Seconds // towards zero
	if d.Seconds < 0 && d.Nanos > 0 {
		whole++
	}
	units := false
	if h := whole / 3600; h != 0 {
		dst, units = append(strconv.AppendInt(dst, h, 10), 'H'), true
	}
	if m := whole % 3600 / 60; m != 0 {
		dst, units = append(strconv.AppendInt(dst, m, 10), 'M'), true
	}
	rest := whole % 60
	if rest == 0 && d.Nanos == 0 && units {
		return dst
	}
	if rest == 0 && d.Seconds < 0 && d.Nanos > 0 {
		dst = append(dst, "-0"...)
	} else {
		dst = strconv.AppendInt(dst, rest, 10)
	}
	if nanos := d.Nanos; nanos > 0 {
		if d.Seconds < 0 {
			nanos = 1e9 - nanos
		}
		dst = append(dst, '.')
		dst = AppendDigits(dst, nanos, 9)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, 'S')
}
