package print

import (
	"math"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendNumber appends a number according to the annotations of its field.
func (r *textRenderer) appendNumber(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch s.text.measure {
	case measureTimespan:
		if s.text.plain {
			return appendISODuration(dst, s.unit, v)
		}
		return r.appendTimespan(dst, s, v)
	case measureTimestamp:
		if s.text.plain {
			return r.iso.appendISO(dst, v)
		}
		return r.clock.appendText(dst, v, r.exact)
	}
	if isUnset(s, v) {
		return append(dst, "N/A"...)
	}
	if s.text.plain || v.Kind() == mmapjfr.KindBool || v.Kind() == mmapjfr.KindChar {
		return appendTextNumber(dst, s, v)
	}
	switch s.text.measure {
	case measurePercentage:
		digits := 2
		if r.exact {
			digits = 9
		}
		return append(javatext.AppendFixed(dst, 100*v.Float(), digits), '%')
	case measureBytes, measureBits:
		return r.appendAmount(dst, longOf(v), s.text)
	case measureAddress:
		return javatext.AppendAddress(dst, uint64(longOf(v)))
	case measureFrequency:
		return append(appendTextNumber(dst, s, v), " Hz"...)
	}
	return appendTextNumber(dst, s, v)
}

// appendTextNumber appends a number that has no measure, or a character.
func appendTextNumber(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	if v.Kind() == mmapjfr.KindChar {
		return appendJavaUnits(dst, []uint16{uint16(v.Int())})
	}
	return appendNumber(dst, s, v)
}

// isUnset reports whether a number stands for an unknown one. Unsigned longs never do.
func isUnset(s *fieldTemplate, v mmapjfr.Value) bool {
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

// appendAmount appends an amount of data.
func (r *textRenderer) appendAmount(dst []byte, n int64, t textStyle) []byte {
	bits := t.measure == measureBits
	if r.exact {
		return javatext.AppendExactAmount(dst, n, bits, t.rate)
	}
	return javatext.AppendAmount(dst, n, bits, t.rate)
}

// appendTimespan appends a time span.
func (r *textRenderer) appendTimespan(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch timeNumber(v) {
	case math.MinInt64:
		return append(dst, "N/A"...)
	case math.MaxInt64:
		return append(dst, "Forever"...)
	}
	d := durationOf(s.unit, v)
	if r.exact {
		return append(d.AppendExact(dst), " s"...)
	}
	return d.Append(dst)
}
