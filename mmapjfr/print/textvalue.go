package print

import (
	"bytes"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendValue appends a value, the suffix and the end of the line. Arrays and methods have
// no suffix.
func (r *textRenderer) appendValue(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int, suffix string) []byte {
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

// appendArray appends an array, one element in a line. Stack frames are all in one line,
// as in the JDK.
func (r *textRenderer) appendArray(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
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
		if s.text.entity == entityFrame && e.Kind() == mmapjfr.KindStruct && isJavaFrame(e) {
			dst = append(r.appendFrame(dst, e, e.Get(pathMethod)), suffix...)
			continue
		}
		dst = r.appendValue(dst, s, e, depth+2, suffix)
	}
	dst = appendSpaces(dst, depth)
	return append(dst, "]\n"...)
}

// appendStruct appends a struct and the end of its line.
func (r *textRenderer) appendStruct(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int, suffix string) []byte {
	switch s.text.entity {
	case entityThread, entityClass, entityClassLoader:
		dst = r.appendConstant(dst, s, v)
		return append(append(dst, suffix...), '\n')
	case entityMethod:
		return append(r.appendConstant(dst, s, v), '\n')
	case entityFrame:
		if isJavaFrame(v) {
			return append(r.appendFrame(dst, v, v.Get(pathMethod)), suffix...)
		}
	case entityOldObject:
		return r.appendOldObject(dst, v, depth)
	}
	key := constKey{s.field.Type(), v.Key(), depth}
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
			r.constants.put(key, dst[at:])
		}
	}
	return append(append(dst, suffix...), '\n')
}

// The bounds of structs in one another, which a damaged recording can have without end:
// their indentation, and the length of the event's text before them.
const (
	maxIndent    = 2000
	maxEventText = 32 << 20
)

// isTooMuch reports whether a struct is beyond the bounds and omitted.
func (r *textRenderer) isTooMuch(dst []byte, depth int) bool {
	return depth > maxIndent || len(dst)-r.begin > maxEventText
}

// appendFields appends the fields of a struct in brackets.
func (r *textRenderer) appendFields(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	t := s.innerOf(&r.templates, v, depth+2)
	dst = append(dst, "{\n"...)
	i := 0
	for _, field := range v.Fields() {
		inner := &t.fields[i]
		i++
		dst = append(dst, inner.head...)
		dst = r.appendValue(dst, inner, field, depth+2, "")
	}
	dst = appendSpaces(dst, depth)
	return append(dst, '}')
}

// appendConstant appends a constant that text writes in a way of its own.
func (r *textRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	key := constKey{s.field.Type(), v.Key(), 0}
	return r.constants.append(dst, key, func(dst []byte) []byte {
		switch s.text.entity {
		case entityThread:
			return r.appendThread(dst, v)
		case entityClass:
			return r.appendClass(dst, v)
		case entityClassLoader:
			return r.appendClassLoader(dst, v)
		case entityMethod:
			return r.appendMethod(dst, v)
		case entityStackTrace:
			return r.appendStackTrace(dst, v)
		}
		return dst
	})
}

// replacement is what unpaired surrogates are in the strings of package mmapjfr. A string
// can also have been recorded with it.
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

// orNull appends a string, or null as Java does for an absent one.
func (r *textRenderer) orNull(dst []byte, v mmapjfr.Value) []byte {
	if v.Kind() != mmapjfr.KindString {
		return append(dst, "null"...)
	}
	return r.appendString(dst, v)
}
