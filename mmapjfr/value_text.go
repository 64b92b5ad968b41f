package mmapjfr

import (
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// maxShown is how deep Text shows structs inside structs, and maxText how long its
// text is before it leaves out the rest: constants can hold one another, many times
// each.
const (
	maxShown = 3
	maxText  = 64 << 10
)

// Text returns the value for people to read, as the JDK's jfr print writes it:
//
//   - lengths of time and amounts of data with a unit that fits, rounded, as in "438 ms"
//     and "1.2 MB"; percentages, addresses and frequencies as such;
//   - points in time as "00:49:20.354 (2026-11-21)", in the time zone of the virtual
//     machine; what is not known as "N/A";
//   - strings as they are, without quotes;
//   - classes as [Class.Name], methods as [Method.Signature], frames with " line: 12",
//     threads, thread groups, class loaders, packages and modules by their name; of a stack
//     trace the innermost frame, and how many there are besides;
//   - other structs as {name: value, ...} to a depth of three, and arrays as [value, ...].
//
// Values that are not there are "absent", "null" or "missing", see [Value.IsAbsent],
// [Value.IsNull] and [Value.IsMissing]. After 64 KiB it leaves out the rest. It allocates
// the text, which does not alias the recording. To be read by programs, [Value.Any] is better.
func (v Value) Text() string { return string(v.appendText(nil, 0)) }

func (v Value) appendText(dst []byte, depth int) []byte {
	switch v.Kind() {
	case KindNone:
		return append(dst, noneTexts[v.at.kind()]...)
	case KindString:
		return v.AppendStr(dst)
	case KindArray:
		if depth >= maxShown {
			return append(dst, "..."...)
		}
		return v.appendElements(dst, depth)
	case KindStruct:
		if text := v.named(); text != "" {
			return append(dst, text...)
		}
		if depth >= maxShown {
			return append(dst, "..."...)
		}
		return v.appendFields(dst, depth)
	}
	return v.appendNumber(dst)
}

var noneTexts = map[Kind]string{KindNone: "absent", kindNull: "null", kindMissing: "missing"}

// named returns the text of a struct that has a name; "" of others.
func (v Value) named() string {
	switch v.Type().Name() {
	case jdktypes.Thread:
		return v.Thread().text()
	case jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.ThreadGroup:
		return v.object().plain()
	case jdktypes.StackFrame:
		return v.Frame().printed()
	case jdktypes.StackTrace:
		return v.StackTrace().text()
	case jdktypes.Package, jdktypes.Module:
		return v.object().str(pathName)
	}
	return ""
}

func (v Value) appendElements(dst []byte, depth int) []byte {
	dst = append(dst, '[')
	sep := ""
	for e := range v.Elements() {
		dst = append(dst, sep...)
		if len(dst) > maxText {
			dst = append(dst, "..."...)
			break
		}
		dst = e.appendText(dst, depth+1)
		sep = ", "
	}
	return append(dst, ']')
}

func (v Value) appendFields(dst []byte, depth int) []byte {
	dst = append(dst, '{')
	sep := ""
	for f, e := range v.Fields() {
		dst = append(dst, sep...)
		if len(dst) > maxText {
			dst = append(dst, "..."...)
			break
		}
		dst = append(dst, f.Name()...)
		dst = append(dst, ": "...)
		dst = e.appendText(dst, depth+1)
		sep = ", "
	}
	return append(dst, '}')
}

// appendNumber appends a number, boolean or character.
func (v Value) appendNumber(dst []byte) []byte {
	unit, kind := v.unit(), v.Kind()
	switch {
	case kind == KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case kind == KindChar:
		return utf8.AppendRune(dst, rune(v.Int()))
	case unit.IsTimespan():
		return v.appendTimespan(dst)
	case unit.IsTimestamp():
		if t := v.Time(); !t.IsZero() {
			return javatext.AppendTime(dst, t.In(v.zone()))
		}
		return append(dst, "N/A"...)
	case v.isUnset() && !(v.unsigned() && kind == KindLong):
		return append(dst, "N/A"...)
	}
	rate := v.field != nil && v.field.Rate
	switch unit {
	case Percentage:
		return append(javatext.AppendFixed(dst, 100*v.Float(), 2), '%')
	case Bytes, Bits:
		return javatext.AppendAmount(dst, v.Int(), unit == Bits, rate)
	case Address:
		return javatext.AppendAddress(dst, v.Uint())
	}
	switch {
	case kind == KindFloat:
		dst = javatext.AppendFloat(dst, v.Float(), 32)
	case kind == KindDouble:
		dst = javatext.AppendFloat(dst, v.Float(), 64)
	case v.unsigned():
		dst = strconv.AppendUint(dst, v.Uint(), 10)
	default:
		dst = strconv.AppendInt(dst, v.Int(), 10)
	}
	if unit == Hertz || rate {
		dst = append(dst, " Hz"...)
	}
	return dst
}

func (v Value) appendTimespan(dst []byte) []byte {
	unit, n := v.unit(), v.Int()
	switch v.Duration() {
	case NoDuration:
		return append(dst, "N/A"...)
	case Forever:
		return append(dst, "Forever"...)
	}
	if unit == TimespanTicks || v.isFloat() {
		unit, n = TimespanNanos, int64(v.Duration())
	}
	return javatext.DurationOf(unit, n).Append(dst)
}

// zone returns the time zone of the chunk's virtual machine.
func (v Value) zone() *time.Location {
	if _, zone, err := (Chunk{v.c}).region(); err == nil {
		return zone
	}
	return time.UTC
}

// text returns the name of the thread, or its number if it has none.
func (t Thread) text() string {
	if name := t.Name(); name != "" {
		return name
	}
	return t.number()
}

// number returns the number of the thread, with what it is.
func (t Thread) number() string {
	if t.IsZero() {
		return ""
	}
	what, id := "thread ", t.JavaThreadID()
	if t.IsVirtual() {
		what = "virtual thread "
	}
	if id <= 0 {
		what, id = "native thread ", t.OSThreadID()
	}
	return what + strconv.FormatInt(id, 10)
}

// text returns the innermost frame, and how many there are besides.
func (s StackTrace) text() string {
	n := s.Len()
	switch {
	case s.IsZero():
		return ""
	case n == 0:
		return "no frames"
	}
	text := s.Frame(0).printed()
	if text == "" {
		text = "an unknown method"
	}
	more := " more frame"
	switch {
	case s.IsTruncated():
		more = " or more frames"
	case n == 1:
		return text
	case n > 2:
		more += "s"
	}
	return text + ", and " + strconv.Itoa(n-1) + more
}

// pathRawName leads to the name of a class as the virtual machine writes it.
var pathRawName = Path("@raw.name")

// hasText reports whether structs of the class have a text, see [Value.Str].
func hasText(typ string) bool {
	switch typ {
	case jdktypes.Thread, jdktypes.Class, jdktypes.Method, jdktypes.StackFrame, jdktypes.ClassLoader, jdktypes.ThreadGroup:
		return true
	}
	return false
}

// appendPlain appends the text of a struct that has one, see [Value.Str]; nothing for
// others.
func (o object) appendPlain(dst []byte) []byte {
	if o.c == nil {
		return dst
	}
	switch o.typ.CurrentName() {
	case jdktypes.Thread:
		if v := o.get(pathJavaName); v.Kind() == KindString {
			return v.appendStr(dst)
		}
		return o.get(pathOSName).appendStr(dst)
	case jdktypes.Class:
		return o.appendJavaName(dst)
	case jdktypes.Method:
		return o.appendMethod(dst)
	case jdktypes.StackFrame:
		return o.appendFrame(dst)
	case jdktypes.ClassLoader:
		at := len(dst)
		if dst = o.get(pathName).appendStr(dst); len(dst) > at {
			return dst
		}
		return o.get(pathType).object().appendPlain(dst)
	case jdktypes.ThreadGroup:
		return o.get(pathName).appendStr(dst)
	}
	return dst
}

// plain returns what appendPlain appends, as a string.
func (o object) plain() string {
	return o.text(plainText, nil, func(o object, _ *FieldPath) string { return o.buffered(object.appendPlain) })
}

// buffered returns what a function appends as a string.
func (o object) buffered(text func(o object, dst []byte) []byte) string {
	if o.c == nil {
		return ""
	}
	buf := textBuffers.Get().(*[]byte)
	defer textBuffers.Put(buf)
	*buf = text(o, (*buf)[:0])
	return o.c.rec.strings.Plain(*buf)
}

// appendRaw appends the text of a class or a method as the virtual machine writes it.
func (o object) appendRaw(dst []byte) []byte {
	if o.c == nil || o.typ.Name == jdktypes.Class {
		return o.get(pathRawName).appendStr(dst)
	}
	at := len(dst)
	if dst = o.get(pathType).object().appendRaw(dst); len(dst) > at {
		dst = append(dst, '.')
	}
	dst = o.get(pathName).appendStr(dst)
	return o.get(pathDescriptor).appendStr(dst)
}

// appendJavaName appends the name of a class as in Java.
func (o object) appendJavaName(dst []byte) []byte {
	at := len(dst)
	dst = o.get(pathRawName).appendStr(dst)
	for i := at; i < len(dst); i++ {
		if dst[i] == '/' {
			dst[i] = '.'
		}
	}
	if len(dst) > at && dst[at] == '[' {
		return javaname.AppendClass(dst[:at], o.c.rec.strings.Plain(dst[at:]))
	}
	return dst
}

// appendMethod appends the class, the name and the parameters of a method. Methods that are
// none of Java's may have no class.
func (o object) appendMethod(dst []byte) []byte {
	at := len(dst)
	if dst = o.get(pathType).object().appendPlain(dst); len(dst) > at {
		dst = append(dst, '.')
	}
	return javaname.AppendParameters(o.get(pathName).appendStr(dst), o.get(pathDescriptor).strView())
}

// appendFrame appends the method of a frame, and its line if it is known.
func (o object) appendFrame(dst []byte) []byte {
	at := len(dst)
	dst = o.get(pathMethod).object().appendPlain(dst)
	if line := o.get(pathLineNumber).integer(); line > 0 && len(dst) > at {
		dst = strconv.AppendInt(append(dst, ':'), line, 10)
	}
	return dst
}
