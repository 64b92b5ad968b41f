package print

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What NDJSON, CSV and TSV write is the same, but for quotes: values for programs.
//
//   - Points in time are as in RFC 3339, with nine digits behind the point, in UTC
//     unless there is a Zone.
//   - Lengths of time are in nanoseconds, whatever the recording counts in. What has
//     no end is 9223372036854775807.
//   - Data amounts are in bytes or bits, percentages are fractions of 1, and
//     addresses are plain numbers.
//   - What is not there, or not known, is null, or nothing in a row: references to
//     nothing, constants that were not recorded, the least long where it is a point in
//     time or a length of time, NaN and infinities. Other integers are written as they
//     are, the least int and long too.
//   - Classes have their names as in Java, "java.lang.String" or "byte[]"; methods
//     are "java.lang.String.indexOf(String, int)"; frames are methods with a colon
//     and the line if it is known.

// appendPlain appends what is neither a string, a struct nor an array; nothing if it
// is not known.
func (c *plainClock) appendPlain(dst []byte, unit mmapjfr.Unit, unsigned bool, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case mmapjfr.KindChar:
		return utf8.AppendRune(dst, rune(v.Int()))
	}
	switch {
	case unit.IsTimespan() || unit.IsTimestamp():
		return c.appendTime(dst, unit, v)
	case isFloat(v):
		return appendPlainFloat(dst, v.Float(), floatBits(v))
	case unsigned:
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

// appendTime appends a length of time or a point in time. Of these the least long
// alone stands for what is not known.
func (c *plainClock) appendTime(dst []byte, unit mmapjfr.Unit, v mmapjfr.Value) []byte {
	switch {
	case timeNumber(v) == math.MinInt64:
		return dst
	case unit.IsTimespan():
		return strconv.AppendInt(dst, int64(v.Duration()), 10)
	}
	return c.append(dst, v.Time())
}

// appendPlainFloat appends a number with the fewest digits that mean it; nothing if
// it is none.
func appendPlainFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}

// plainClock writes points in time. It keeps the text of the last second. It belongs
// to one goroutine.
type plainClock struct {
	zone   *time.Location
	second int64
	head   []byte // the text up to the second; empty if there is none
	suffix []byte // the offset from UTC
}

func newPlainClock(zone *time.Location) plainClock {
	if zone == nil {
		zone = time.UTC
	}
	return plainClock{zone: zone}
}

func (c *plainClock) append(dst []byte, t time.Time) []byte {
	if sec := t.Unix(); sec != c.second || len(c.head) == 0 {
		in := t.In(c.zone)
		c.second = sec
		c.head = javatext.AppendYear(c.head[:0], in.Year())
		c.head = append(in.AppendFormat(c.head, "-01-02T15:04:05"), '.')
		c.suffix = in.AppendFormat(c.suffix[:0], "Z07:00")
	}
	dst = append(dst, c.head...)
	dst = javatext.AppendDigits(dst, int64(t.Nanosecond()), 9)
	return append(dst, c.suffix...)
}
