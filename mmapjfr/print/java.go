package print

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendNumber appends a boolean or a number as Java does.
func appendNumber(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch {
	case v.Kind() == mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case isFloat(v):
		return javatext.AppendFloat(dst, v.Float(), floatBits(v))
	case s.unsigned:
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

func isFloat(v mmapjfr.Value) bool {
	return v.Kind() == mmapjfr.KindFloat || v.Kind() == mmapjfr.KindDouble
}

// floatBits returns how many bits a float or double has.
func floatBits(v mmapjfr.Value) int {
	if v.Kind() == mmapjfr.KindFloat {
		return 32
	}
	return 64
}

func slashesToDots(name []byte) {
	for i, c := range name {
		if c == '/' {
			name[i] = '.'
		}
	}
}

// timeNumber returns the number of a point in time or a time span: math.MinInt64 if it is
// unknown, math.MaxInt64 if it has no end. In floating point these are NaN and the
// infinities, and what is too long for nanoseconds has no end.
func timeNumber(v mmapjfr.Value) int64 {
	switch {
	case !isFloat(v):
		return v.Int()
	case engine.ValueIsUnset(v):
		return math.MinInt64
	case v.Duration() == mmapjfr.Forever:
		return math.MaxInt64
	}
	return max(v.Int(), math.MinInt64+1)
}

// durationOf returns the time span that a value is, if timeNumber returns neither limit.
func durationOf(unit mmapjfr.Unit, v mmapjfr.Value) javatext.Duration {
	if unit == mmapjfr.TimespanTicks || isFloat(v) {
		return javatext.DurationOf(mmapjfr.TimespanNanos, int64(v.Duration()))
	}
	return javatext.DurationOf(unit, v.Int())
}

// appendISODuration appends a time span as java.time.Duration writes it.
func appendISODuration(dst []byte, unit mmapjfr.Unit, v mmapjfr.Value) []byte {
	switch timeNumber(v) {
	case math.MinInt64:
		return append(dst, javatext.NoDuration...)
	case math.MaxInt64:
		return append(dst, javatext.Forever...)
	}
	return durationOf(unit, v).AppendISO(dst)
}

// clock writes points in time. It keeps the text of the last second, without the
// fraction. It belongs to one goroutine.
type clock struct {
	zone       *time.Location
	second     int64
	head, tail []byte // the text before and after the fraction; head is empty at first
	// format appends to head and tail what they are for a point in time.
	format func(head, tail []byte, t time.Time) (newHead, newTail []byte)
}

// enter sets the time zone: the one that was asked for, or else that of the chunk.
func (c *clock) enter(chunk mmapjfr.Chunk, asked *time.Location) {
	zone := asked
	if zone == nil {
		zone = time.UTC
		if _, z, err := engine.ChunkRegion(chunk); err == nil {
			zone = z
		}
	}
	c.setZone(zone)
}

func (c *clock) setZone(zone *time.Location) {
	if c.zone != zone {
		c.zone, c.head = zone, c.head[:0]
	}
}

// set makes head and tail those of a point in time.
func (c *clock) set(t time.Time) {
	if second := t.Unix(); second != c.second || len(c.head) == 0 {
		c.second = second
		c.head, c.tail = c.format(c.head[:0], c.tail[:0], t.In(c.zone))
	}
}

// appendISO appends a point in time as java.time.OffsetDateTime writes it. The format is
// [javatext.OffsetTime].
func (c *clock) appendISO(dst []byte, v mmapjfr.Value) []byte {
	if timeNumber(v) == math.MinInt64 {
		return append(dst, javatext.NoTime...)
	}
	t := v.Time()
	c.set(t)
	return javatext.AppendOffsetTime(dst, c.head, c.tail, t.Nanosecond())
}

// appendText appends a point in time as text has it, in milliseconds or nanoseconds:
// 21:22:37.347 (2026-11-20). The format is textFormat.
func (c *clock) appendText(dst []byte, v mmapjfr.Value, exact bool) []byte {
	if timeNumber(v) == math.MinInt64 {
		return append(dst, "N/A"...)
	}
	t := v.Time()
	c.set(t)
	dst = append(dst, c.head...)
	if nanos := int64(t.Nanosecond()); exact {
		dst = javatext.AppendDigits(dst, nanos, 9)
	} else {
		dst = javatext.AppendDigits(dst, nanos/1e6, 3)
	}
	return append(dst, c.tail...)
}

func textFormat(head, tail []byte, t time.Time) ([]byte, []byte) {
	return t.AppendFormat(head, "15:04:05."), javatext.AppendDate(tail, t)
}

// appendRFC3339 appends a point in time as in RFC 3339. The format is rfcFormat.
func (c *clock) appendRFC3339(dst []byte, t time.Time) []byte {
	c.set(t)
	dst = javatext.AppendDigits(append(dst, c.head...), int64(t.Nanosecond()), 9)
	return append(dst, c.tail...)
}

func rfcFormat(head, tail []byte, t time.Time) ([]byte, []byte) {
	head = t.AppendFormat(javatext.AppendYear(head, t.Year()), "-01-02T15:04:05.")
	return head, t.AppendFormat(tail, "Z07:00")
}
