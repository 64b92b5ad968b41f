package query

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// AppendNumber appends a number or a length of time as the JDK's views show it, in its unit. Lengths of
// time below a second have that number of digits after the point, in milliseconds; -1 for the usual
// ones. It appends nothing for other values, and for numbers that views show as missing.
func AppendNumber(dst []byte, v Value, unit mmapjfr.Unit, rate bool, digits int) []byte {
	f := v.Float()
	switch {
	case v.kind == Timespan:
		return appendTimespan(dst, v.Int(), digits)
	case v.kind == Float && (math.IsNaN(f) || math.IsInf(f, -1)), v.kind == Int && v.Int() == math.MinInt64,
		v.kind != Int && v.kind != Unsigned && v.kind != Float:
		return dst
	}
	switch unit {
	case mmapjfr.Percentage:
		return append(javatext.AppendFixed(dst, f*100, 2), '%')
	case mmapjfr.Bytes, mmapjfr.Bits:
		return javatext.AppendAmount(dst, v.whole(), unit == mmapjfr.Bits, rate)
	case mmapjfr.Address:
		return javatext.AppendAddress(dst, uint64(v.whole()))
	case mmapjfr.Hertz:
		if v.kind == Float {
			bits := 64
			if float64(float32(f)) == f {
				bits = 32 // a float of Java, most likely
			}
			return append(javatext.AppendFloat(dst, f, bits), " Hz"...)
		}
		return append(strconv.AppendInt(dst, v.Int(), 10), " Hz"...)
	}
	switch v.kind {
	case Float:
		return javatext.AppendDecimal(dst, f)
	case Unsigned:
		return javatext.AppendUnsigned(dst, v.num)
	}
	return javatext.AppendNumber(dst, v.Int())
}

func appendTimespan(dst []byte, n int64, digits int) []byte {
	switch n {
	case math.MinInt64:
		return dst
	case math.MaxInt64:
		return append(dst, "Indefinite"...)
	}
	return javatext.DurationOf(mmapjfr.TimespanNanos, n).AppendMillis(dst, digits)
}

// whole returns a number without what follows the point, as Java's longValue does.
func (v Value) whole() int64 {
	f := v.Float()
	switch {
	case v.kind != Float:
		return v.Int()
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// in returns a value of a field as one of an input, whose values are texts if the fields of event types
// differ.
func (v Value) in(k Kind, s shape, zone *time.Location) Value {
	switch {
	case k != Text || !v.kind.isNumeric() || v.kind == Bool:
		return v.as(k)
	case v.kind == Timestamp:
		return textValue(v.Time().In(zone).Format(time.TimeOnly))
	}
	return textValue(string(AppendNumber(nil, v, s.unit, s.rate, -1)))
}
