package print

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// NDJSON, CSV and TSV write the same values, except for quotes. They are for programs:
//
//   - Points in time are as in RFC 3339, with nine digits after the point, in UTC
//     unless there is a Zone.
//   - Time spans are in nanoseconds, whatever the unit in the recording. A span without
//     end is 9223372036854775807.
//   - Data amounts are in bytes or bits, percentages are fractions of 1, and
//     addresses are plain numbers.
//   - What is absent or unknown is null, or an empty cell: references to nothing,
//     constants that were not recorded, the least long where it is a point in time or a
//     time span, NaN and infinities. Other integers are written as they are, the least
//     int and long too.
//   - Classes have their names as in Java, "java.lang.String" or "byte[]"; methods
//     are "java.lang.String.indexOf(String, int)"; stack frames are methods with a colon
//     and the line if it is known.

// appendPlain appends what is neither a string, a struct nor an array; nothing if it
// is unknown.
func (c *clock) appendPlain(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch {
	case v.Kind() == mmapjfr.KindChar:
		return utf8.AppendRune(dst, rune(v.Int()))
	case v.Kind() == mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case s.unit.IsTimespan() || s.unit.IsTimestamp():
		switch {
		case timeNumber(v) == math.MinInt64:
			return dst
		case s.unit.IsTimespan():
			return strconv.AppendInt(dst, int64(v.Duration()), 10)
		}
		return c.appendRFC3339(dst, v.Time())
	case isFloat(v):
		return appendPlainFloat(dst, v.Float(), floatBits(v))
	}
	return appendNumber(dst, s, v)
}

// appendPlainFloat appends the shortest decimal number that is equal to f; nothing for
// NaN and infinities.
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

// appendLine appends the line of a stack frame, which follows its method.
func appendLine(dst []byte, f mmapjfr.Frame) []byte {
	if line := f.Line(); line > 0 {
		return strconv.AppendInt(append(dst, ':'), int64(line), 10)
	}
	return dst
}

// appendLoader appends the name of a class loader, or that of its class.
func appendLoader(dst []byte, l mmapjfr.ClassLoader) []byte {
	if name := l.Name(); name != "" {
		return append(dst, name...)
	}
	return append(dst, l.Type().JavaName()...)
}
