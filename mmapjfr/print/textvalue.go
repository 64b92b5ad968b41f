package print

import (
	"bytes"
	"strconv"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendValue appends a value and the end of its line. The suffix stands behind it,
// unless it is an array or a method.
func (r *textRenderer) appendValue(dst []byte, s *shape, v mmapjfr.Value, depth int, suffix string) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		dst = append(dst, "N/A"...)
	case mmapjfr.KindArray:
		return r.appendArray(dst, s, v, depth)
	case mmapjfr.KindStruct:
		return r.appendStruct(dst, s, v, depth, suffix)
	case mmapjfr.KindString:
		dst = append(dst, '"')
		dst = r.appendString(dst, v)
		dst = append(dst, '"')
	default:
		dst = r.appendNumber(dst, s, v)
	}
	return append(append(dst, suffix...), '\n')
}

// appendArray appends an array, one element in a line; but frames all in one.
func (r *textRenderer) appendArray(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	if r.isTooMuch(dst, depth) {
		return append(dst, "[...]\n"...)
	}
	dst = append(dst, "[\n"...)
	left := v.Len()
	for e := range v.Elements() {
		suffix := ", "
		if left--; left == 0 {
			suffix = ""
		}
		dst = appendSpaces(dst, depth+2)
		if s.text.entity == aFrame && e.Kind() == mmapjfr.KindStruct && isJavaFrame(e) {
			dst = append(r.appendFrame(dst, e, e.Get(pathMethod)), suffix...)
			continue
		}
		dst = r.appendValue(dst, s, e, depth+2, suffix)
	}
	dst = appendSpaces(dst, depth)
	return append(dst, "]\n"...)
}

// appendStruct appends a struct and the end of its line.
func (r *textRenderer) appendStruct(dst []byte, s *shape, v mmapjfr.Value, depth int, suffix string) []byte {
	switch s.text.entity {
	case aThread, aClass, aClassLoader:
		dst = r.appendConstant(dst, s, v)
		return append(append(dst, suffix...), '\n')
	case aMethod:
		return append(r.appendConstant(dst, s, v), '\n')
	case aFrame:
		if isJavaFrame(v) {
			return append(r.appendFrame(dst, v, v.Get(pathMethod)), suffix...)
		}
	case anOldObject:
		return r.appendOldObject(dst, v, depth)
	}
	key := constantKey{s.field.Type(), v.Key(), depth}
	if r.isTooMuch(dst, depth) {
		dst = append(dst, "{...}"...)
	} else if !s.constant {
		dst = r.appendFields(dst, s, v, depth)
	} else if text, ok := r.constants.texts[key]; ok {
		dst = append(dst, text...)
	} else if !r.constants.begin(key) {
		dst = append(dst, "N/A"...)
	} else {
		at := len(dst)
		dst = r.appendFields(dst, s, v, depth)
		r.constants.end()
		if !s.inner.long && !r.isTooMuch(dst, depth) {
			r.constants.keep(key, dst[at:])
		}
	}
	return append(append(dst, suffix...), '\n')
}

// The bounds of structs in one another, which a damaged recording can have without
// end: how far they are indented, and how much text of an event comes before.
const (
	maxIndent    = 2000
	maxEventText = 32 << 20
)

// isTooMuch tells whether no more structs are to be written.
func (r *textRenderer) isTooMuch(dst []byte, depth int) bool {
	return depth > maxIndent || len(dst)-r.begin > maxEventText
}

// appendFields appends the fields of a struct in brackets.
func (r *textRenderer) appendFields(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	p := s.within(&r.plans, v, depth+2)
	dst = append(dst, "{\n"...)
	i := 0
	for _, field := range v.Fields() {
		inner := &p.fields[i]
		i++
		dst = append(dst, inner.head...)
		dst = r.appendValue(dst, inner, field, depth+2, "")
	}
	dst = appendSpaces(dst, depth)
	return append(dst, '}')
}

// appendConstant appends a constant that text writes in a way of its own: its text,
// if it has been written before.
func (r *textRenderer) appendConstant(dst []byte, s *shape, v mmapjfr.Value) []byte {
	key := constantKey{s.field.Type(), v.Key(), 0}
	if text, ok := r.constants.texts[key]; ok {
		return append(dst, text...)
	}
	at := len(dst)
	switch s.text.entity {
	case aThread:
		dst = r.appendThread(dst, v)
	case aClass:
		dst = r.appendClass(dst, v)
	case aClassLoader:
		dst = r.appendClassLoader(dst, v)
	case aMethod:
		dst = r.appendMethod(dst, v)
	case aStackTrace:
		dst = r.appendStackTrace(dst, v)
	}
	r.constants.keep(key, dst[at:])
	return dst
}

// replacement is what unpaired surrogates are in the strings of package mmapjfr, and
// may be besides.
var replacement = []byte("\uFFFD")

// appendString appends a string as it is. Unpaired surrogates become question marks,
// as in Java's UTF-8.
func (r *textRenderer) appendString(dst []byte, v mmapjfr.Value) []byte {
	at := len(dst)
	dst = v.AppendStr(dst)
	if bytes.Contains(dst[at:], replacement) {
		r.units = v.AppendUTF16(r.units[:0])
		dst = appendJavaUnits(dst[:at], r.units)
	}
	return dst
}

// orNull appends a string that Java would write as null if there is none.
func (r *textRenderer) orNull(dst []byte, v mmapjfr.Value) []byte {
	if v.Kind() != mmapjfr.KindString {
		return append(dst, "null"...)
	}
	return r.appendString(dst, v)
}

// appendPlain appends a number that means nothing else.
func appendPlain(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case mmapjfr.KindChar:
		return appendJavaUnits(dst, []uint16{uint16(v.Int())})
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		return javatext.AppendFloat(dst, v.Float(), floatBits(v))
	}
	if s.unsigned {
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}
