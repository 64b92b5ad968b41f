package print

import (
	"math"
	"strconv"
	"strings"
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

// unitsOf returns the UTF-16 code units of a string.
func unitsOf(s string) []uint16 { return utf16.Encode([]rune(s)) }

// javaTypes are the names of the types that have a letter in descriptors.
var javaTypes = [256]string{
	'B': "byte", 'C': "char", 'D': "double", 'F': "float",
	'I': "int", 'J': "long", 'S': "short", 'Z': "boolean",
}

// appendJavaType appends the first type of a descriptor such as "[I[[Ljava/lang/String;",
// as it is written in source code, and returns the rest of the descriptor. The length is
// written between the first brackets; simple leaves out the package.
func appendJavaType(dst []byte, descriptor, length string, simple bool) (text []byte, rest string) {
	dims := 0
	for dims < len(descriptor) && descriptor[dims] == '[' {
		dims++
	}
	switch rest = descriptor[dims:]; {
	case rest == "":
		dst = append(dst, "<unknown-descriptor-type>"...)
	case rest[0] == 'L':
		var name string
		name, rest, _ = strings.Cut(rest[1:], ";")
		if simple {
			name = name[strings.LastIndexAny(name, "./")+1:]
		}
		at := len(dst)
		dst = append(dst, name...)
		slashesToDots(dst[at:])
	case javaTypes[rest[0]] != "":
		dst, rest = append(dst, javaTypes[rest[0]]...), rest[1:]
	default:
		dst, rest = append(dst, "<unknown-descriptor-type>"...), rest[1:]
	}
	for i := range dims {
		dst = append(dst, '[')
		if i == 0 {
			dst = append(dst, length...)
		}
		dst = append(dst, ']')
	}
	return dst, rest
}

func slashesToDots(name []byte) {
	for i, c := range name {
		if c == '/' {
			name[i] = '.'
		}
	}
}
