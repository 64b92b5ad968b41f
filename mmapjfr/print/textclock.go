package print

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/javatext"
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
	if timeNumber(v) == math.MinInt64 {
		return append(dst, "N/A"...)
	}
	t := v.Time()
	if second := t.Unix(); second != c.second || len(c.time) == 0 {
		c.set(t.In(c.zone), second)
	}
	dst = append(dst, c.time...)
	if nanos := int64(t.Nanosecond()); exact {
		dst = javatext.AppendDigits(dst, nanos, 9)
	} else {
		dst = javatext.AppendDigits(dst, nanos/1e6, 3)
	}
	return append(dst, c.date...)
}

// set makes the text of a second.
func (c *textClock) set(t time.Time, second int64) {
	c.second = second
	c.time = append(t.AppendFormat(c.time[:0], "15:04:05"), '.')
	c.date = javatext.AppendDate(c.date[:0], t)
}
