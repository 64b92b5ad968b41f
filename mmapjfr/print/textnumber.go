package print

import (
	"math"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendNumber appends a number, in the way in which its field's annotations say it
// is meant.
func (r *textRenderer) appendNumber(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch s.text.measure {
	case aTimespan:
		if s.text.plain {
			return appendISODuration(dst, s.unit, v)
		}
		return r.appendTimespan(dst, s, v)
	case aTimestamp:
		if s.text.plain {
			return r.iso.append(dst, v)
		}
		return r.clock.append(dst, v, r.exact)
	}
	if isUnset(s, v) {
		return append(dst, "N/A"...)
	}
	if s.text.plain || v.Kind() == mmapjfr.KindBool || v.Kind() == mmapjfr.KindChar {
		return appendPlain(dst, s, v)
	}
	switch s.text.measure {
	case aPercentage:
		digits := 2
		if r.exact {
			digits = 9
		}
		return append(javatext.AppendFixed(dst, 100*v.Float(), digits), '%')
	case anAmountOfBytes, anAmountOfBits:
		return r.appendAmount(dst, longOf(v), s.text)
	case anAddress:
		return javatext.AppendAddress(dst, uint64(longOf(v)))
	case aFrequency:
		return append(appendPlain(dst, s, v), " Hz"...)
	}
	return appendPlain(dst, s, v)
}

// isUnset tells whether the number stands for one that is not known. Unsigned longs
// never do.
func isUnset(s *shape, v mmapjfr.Value) bool {
	switch v.Kind() {
	case mmapjfr.KindInt:
		return v.Int() == math.MinInt32
	case mmapjfr.KindLong:
		return !s.unsigned && v.Int() == math.MinInt64
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		f := v.Float()
		return math.IsNaN(f) || math.IsInf(f, -1)
	}
	return false
}

// longOf returns a number as Java's longValue does.
func longOf(v mmapjfr.Value) int64 {
	if k := v.Kind(); k != mmapjfr.KindFloat && k != mmapjfr.KindDouble {
		return v.Int()
	}
	switch f := v.Float(); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(f)
	}
}

// appendAmount appends an amount of data.
func (r *textRenderer) appendAmount(dst []byte, n int64, t textShape) []byte {
	bits := t.measure == anAmountOfBits
	if r.exact {
		return javatext.AppendExactAmount(dst, n, bits, t.rate)
	}
	return javatext.AppendAmount(dst, n, bits, t.rate)
}

// appendTimespan appends a length of time.
func (r *textRenderer) appendTimespan(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch timeNumber(v) {
	case math.MinInt64:
		return append(dst, "N/A"...)
	case math.MaxInt64:
		return append(dst, "Forever"...)
	}
	d := spanOf(s.unit, v)
	if r.exact {
		return append(d.AppendExact(dst), " s"...)
	}
	return d.Append(dst)
}

// floatBits returns how many bits a float or double has.
func floatBits(v mmapjfr.Value) int {
	if v.Kind() == mmapjfr.KindFloat {
		return 32
	}
	return 64
}
