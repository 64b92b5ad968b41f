package print

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What the JDK writes for times that stand for something else.
const (
	isoNoDuration = "PT-2562047788015215H-30M-8S"
	isoForever    = "PT2562047788015215H30M7.999999999S"
	isoNoTime     = "-999999999-01-01T00:00+18:00"
)

// timeNumber returns the number that a time or a length of time is: the least long if it
// is not known, and the greatest if it has no end. In floating point these are NaN and the
// infinities, and what is too long to be told in nanoseconds has no end.
func timeNumber(v mmapjfr.Value) int64 {
	switch {
	case !isFloat(v):
		return v.Int()
	case v.IsUnset():
		return math.MinInt64
	case v.Duration() == mmapjfr.Forever:
		return math.MaxInt64
	}
	return max(v.Int(), math.MinInt64+1)
}

func isFloat(v mmapjfr.Value) bool {
	return v.Kind() == mmapjfr.KindFloat || v.Kind() == mmapjfr.KindDouble
}

// spanOf returns the length of time that a value is. Its number is neither the least long
// nor the greatest, which stand for something else.
func spanOf(unit mmapjfr.Unit, v mmapjfr.Value) javatext.Span {
	if unit == mmapjfr.TimespanTicks || isFloat(v) {
		return javatext.SpanOf(mmapjfr.TimespanNanos, int64(v.Duration()))
	}
	return javatext.SpanOf(unit, v.Int())
}

// appendISODuration appends a length of time as java.time.Duration writes it.
func appendISODuration(dst []byte, unit mmapjfr.Unit, v mmapjfr.Value) []byte {
	switch timeNumber(v) {
	case math.MinInt64:
		return append(dst, isoNoDuration...)
	case math.MaxInt64:
		return append(dst, isoForever...)
	}
	return spanOf(unit, v).AppendISO(dst)
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
	if timeNumber(v) == math.MinInt64 {
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
		dst = javatext.AppendDigits(dst, c.secs, 2)
	}
	switch {
	case nanos == 0:
	case nanos%1e6 == 0:
		dst = javatext.AppendDigits(append(dst, '.'), nanos/1e6, 3)
	case nanos%1e3 == 0:
		dst = javatext.AppendDigits(append(dst, '.'), nanos/1e3, 6)
	default:
		dst = javatext.AppendDigits(append(dst, '.'), nanos, 9)
	}
	return append(dst, c.suffix...)
}

// set makes the text of a second.
func (c *isoClock) set(t time.Time, sec int64) {
	t = t.In(c.zone)
	c.second, c.secs = sec, int64(t.Second())
	c.minute = javatext.AppendYear(c.minute[:0], t.Year())
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
