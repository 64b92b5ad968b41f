package print

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// textClock writes points in time as text: 21:22:37.347 (2026-11-20). It keeps the
// text of the last second. It belongs to one goroutine.
type textClock struct {
	zone   *time.Location
	second int64
	time   []byte // the text up to the second; empty if there is none
	date   []byte // the text behind its fractions
}

// enter sets the time zone.
func (c *textClock) enter(zone *time.Location) {
	if c.zone != zone {
		c.zone, c.time = zone, c.time[:0]
	}
}

// append appends the point in time that a value is, in milliseconds or nanoseconds.
func (c *textClock) append(dst []byte, v mmapjfr.Value, exact bool) []byte {
	if v.Int() == math.MinInt64 {
		return append(dst, "N/A"...)
	}
	t := v.Time()
	if second := t.Unix(); second != c.second || len(c.time) == 0 {
		c.set(t.In(c.zone), second)
	}
	dst = append(dst, c.time...)
	if nanos := int64(t.Nanosecond()); exact {
		dst = appendDigits(dst, nanos, 9)
	} else {
		dst = appendDigits(dst, nanos/1e6, 3)
	}
	return append(dst, c.date...)
}

// set makes the text of a second.
func (c *textClock) set(t time.Time, second int64) {
	c.second = second
	c.time = append(t.AppendFormat(c.time[:0], "15:04:05"), '.')
	c.date = appendYearOfEra(append(c.date[:0], " ("...), t.Year())
	c.date = t.AppendFormat(c.date, "-01-02)")
}

// appendYearOfEra appends a year as Java's yyyy does: years before the first one
// count backwards, and what has more than four digits has a sign.
func appendYearOfEra(dst []byte, year int) []byte {
	if year <= 0 {
		year = 1 - year
	}
	if year > 9999 {
		return strconv.AppendInt(append(dst, '+'), int64(year), 10)
	}
	return appendDigits(dst, int64(year), 4)
}
