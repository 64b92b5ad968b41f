package print

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// What the JDK writes for times that stand for something else.
const (
	isoNoDuration = "PT-2562047788015215H-30M-8S"
	isoForever    = "PT2562047788015215H30M7.999999999S"
	isoNoTime     = "-999999999-01-01T00:00+18:00"
)

// span is a length of time: Java's durations reach further than Go's.
type span struct {
	seconds int64
	nanos   int64 // from 0 to 999,999,999, to be added to the seconds
}

// spanOf returns the length of time that a value is, as the JDK reads it: in
// microseconds beyond the range of nanoseconds it wraps around. The value is neither
// the least long nor the greatest, which stand for something else.
func spanOf(unit mmapjfr.Unit, v mmapjfr.Value) span {
	n, perSecond := v.Int(), int64(1e9)
	switch unit {
	case mmapjfr.TimespanSeconds:
		perSecond = 1
	case mmapjfr.TimespanMillis:
		perSecond = 1e3
	case mmapjfr.TimespanMicros:
		n *= 1e3
	case mmapjfr.TimespanTicks:
		n = int64(v.Duration())
	}
	s := span{n / perSecond, n % perSecond * (1e9 / perSecond)}
	if s.nanos < 0 {
		s.seconds, s.nanos = s.seconds-1, s.nanos+1e9
	}
	return s
}

// appendISODuration appends a length of time as java.time.Duration writes it.
func appendISODuration(dst []byte, unit mmapjfr.Unit, v mmapjfr.Value) []byte {
	switch v.Int() {
	case math.MinInt64:
		return append(dst, isoNoDuration...)
	case math.MaxInt64:
		return append(dst, isoForever...)
	}
	return spanOf(unit, v).appendISO(dst)
}

func (s span) appendISO(dst []byte) []byte {
	if s == (span{}) {
		return append(dst, "PT0S"...)
	}
	dst = append(dst, "PT"...)
	whole := s.seconds // cut towards zero
	if s.seconds < 0 && s.nanos > 0 {
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
	if rest == 0 && s.nanos == 0 && units {
		return dst
	}
	if rest == 0 && s.seconds < 0 && s.nanos > 0 {
		dst = append(dst, "-0"...)
	} else {
		dst = strconv.AppendInt(dst, rest, 10)
	}
	if nanos := s.nanos; nanos > 0 {
		if s.seconds < 0 {
			nanos = 1e9 - nanos
		}
		dst = append(dst, '.')
		dst = appendDigits(dst, nanos, 9)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, 'S')
}

// appendDigits appends a number with leading zeros.
func appendDigits(dst []byte, n int64, digits int) []byte {
	at := len(dst)
	for range digits {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= at; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// isoClock writes points in time as java.time.OffsetDateTime does. It keeps the
// text of the last second. It belongs to one goroutine.
type isoClock struct {
	zone   *time.Location
	second int64
	minute []byte // the text up to the minutes; empty if there is none
	secs   int64  // the seconds behind it
	suffix []byte // the offset from UTC
}

// enter sets the time zone.
func (c *isoClock) enter(zone *time.Location) {
	if c.zone != zone {
		c.zone, c.minute = zone, c.minute[:0]
	}
}

// append appends the point in time that a value is.
func (c *isoClock) append(dst []byte, v mmapjfr.Value) []byte {
	if v.Int() == math.MinInt64 {
		return append(dst, isoNoTime...)
	}
	t := v.Time()
	if sec := t.Unix(); sec != c.second || len(c.minute) == 0 {
		c.set(t, sec)
	}
	dst = append(dst, c.minute...)
	nanos := int64(t.Nanosecond())
	if c.secs != 0 || nanos != 0 {
		dst = append(dst, ':')
		dst = appendDigits(dst, c.secs, 2)
	}
	switch {
	case nanos == 0:
	case nanos%1e6 == 0:
		dst = appendDigits(append(dst, '.'), nanos/1e6, 3)
	case nanos%1e3 == 0:
		dst = appendDigits(append(dst, '.'), nanos/1e3, 6)
	default:
		dst = appendDigits(append(dst, '.'), nanos, 9)
	}
	return append(dst, c.suffix...)
}

// set makes the text of a second.
func (c *isoClock) set(t time.Time, sec int64) {
	t = t.In(c.zone)
	c.second, c.secs = sec, int64(t.Second())
	c.minute = appendYear(c.minute[:0], t.Year())
	c.minute = t.AppendFormat(c.minute, "-01-02T15:04")
	_, offset := t.Zone()
	switch {
	case offset == 0:
		c.suffix = append(c.suffix[:0], 'Z')
	case offset%60 != 0:
		c.suffix = t.AppendFormat(c.suffix[:0], "-07:00:05")
	default:
		c.suffix = t.AppendFormat(c.suffix[:0], "-07:00")
	}
}

// appendYear appends a year, which has a sign if it has not four digits.
func appendYear(dst []byte, year int) []byte {
	switch {
	case year > 9999:
		dst = append(dst, '+')
	case year < 0:
		dst, year = append(dst, '-'), -year
	}
	if year < 10000 {
		return appendDigits(dst, int64(year), 4)
	}
	return strconv.AppendInt(dst, int64(year), 10)
}
