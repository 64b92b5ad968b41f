package print

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

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

// longOf returns a number as Java's longValue does.
func longOf(v mmapjfr.Value) int64 {
	if !isFloat(v) {
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

// appendJavaUnits appends UTF-16 code units as Java's encoder for UTF-8 does: unpaired
// surrogates become question marks.
func appendJavaUnits(dst []byte, units []uint16) []byte {
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		switch {
		case !utf16.IsSurrogate(c):
			dst = utf8.AppendRune(dst, c)
		case i+1 < len(units) && utf16.DecodeRune(c, rune(units[i+1])) != utf8.RuneError:
			dst = utf8.AppendRune(dst, utf16.DecodeRune(c, rune(units[i+1])))
			i++
		default:
			dst = append(dst, '?')
		}
	}
	return dst
}

func slashesToDots(name []byte) {
	for i, c := range name {
		if c == '/' {
			name[i] = '.'
		}
	}
}
