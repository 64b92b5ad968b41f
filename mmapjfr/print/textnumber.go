package print

import (
	"math"
	"strconv"

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
		return append(appendFixed(dst, 100*v.Float(), digits), '%')
	case anAmountOfBytes, anAmountOfBits:
		return r.appendAmount(dst, longOf(v), s.text)
	case anAddress:
		return appendAddress(dst, uint64(longOf(v)))
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

// appendAddress appends a place in memory, in at least eight hexadecimal digits.
func appendAddress(dst []byte, n uint64) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, "0x"...)
	digits := 8
	for digits < 16 && n>>(4*digits) != 0 {
		digits++
	}
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hex[n>>(4*i)&15])
	}
	return dst
}

// appendAmount appends an amount of data.
func (r *textRenderer) appendAmount(dst []byte, n int64, t textShape) []byte {
	bits := t.measure == anAmountOfBits
	if r.exact {
		return appendExactAmount(dst, n, bits, t.rate)
	}
	if n > -1024 && n < 1024 {
		dst = strconv.AppendInt(dst, n, 10)
		return append(dst, smallUnit(n, bits, t.rate)...)
	}
	if n == math.MinInt64 {
		return append(dst, "N/A"...)
	}
	exp := exponent(n)
	dst = appendFixed(dst, float64(n)/math.Ldexp(1, 10*exp), 1)
	dst = append(dst, ' ', "kMGTPE"[exp-1])
	switch {
	case bits && t.rate:
		return append(dst, "bps"...)
	case bits:
		return append(dst, "bit"...)
	case t.rate:
		return append(dst, "B/s"...)
	}
	return append(dst, 'B')
}

// smallUnit returns what stands behind less than 1024 bytes or bits.
func smallUnit(n int64, bits, rate bool) string {
	one := n == 1 || n == -1
	switch {
	case bits && rate:
		return " bps"
	case rate:
		return " byte/s"
	case bits && one:
		return " bit"
	case bits:
		return " bits"
	case one:
		return " byte"
	}
	return " bytes"
}

// appendExactAmount appends an amount in full. To the JDK only more than one is many.
func appendExactAmount(dst []byte, n int64, bits, rate bool) []byte {
	dst = strconv.AppendInt(dst, n, 10)
	if bits {
		dst = append(dst, " bit"...)
	} else {
		dst = append(dst, " byte"...)
	}
	if n > 1 {
		dst = append(dst, 's')
	}
	if rate {
		dst = append(dst, "/s"...)
	}
	return dst
}

// powers are the least amounts that are written with the first to sixth prefix. Java
// finds the prefix by logarithms, so that the last two come a little early.
var powers = [...]int64{1 << 10, 1 << 20, 1 << 30, 1 << 40, 1<<50 - 3, 1<<60 - 6208}

// exponent returns which power of 1024 an amount of at least 1024 is counted in.
func exponent(n int64) int {
	if n < 0 {
		n = -n
	}
	exp := 1
	for exp < len(powers) && n >= powers[exp] {
		exp++
	}
	return exp
}
