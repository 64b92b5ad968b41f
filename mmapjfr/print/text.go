package print

import (
	"bytes"
	"math"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textRenderer writes events as jfr print does without an option for a format, or
// with --exact.
type textRenderer struct {
	base
	exact bool
	iso   clock // for times in fields whose annotations are no content types
	event mmapjfr.Event
	begin int // where the text of the event begins
	// outer writes the events that enclose others, which can be of other chunks; nil
	// until there is one.
	outer *textRenderer
	// amounts are those that were written last: programs allocate objects of few sizes.
	amounts [1 << amountBits]amountText
}

// amountText is an amount of data, and its text. The zero amountText is none: amounts below 1024 are not
// kept.
type amountText struct {
	n          int64
	bits, rate bool
	size       uint8
	text       [22]byte
}

const amountBits = 7

// appendAmount appends an amount of data, as [javatext.AppendAmount] does.
func (r *textRenderer) appendAmount(dst []byte, n int64, bits, rate bool) []byte {
	if n < 1024 {
		return javatext.AppendAmount(dst, n, bits, rate)
	}
	const odd = 0x9e37_79b9_7f4a_7c15
	at := &r.amounts[uint64(n)*odd>>(64-amountBits)]
	if at.n != n || at.bits != bits || at.rate != rate {
		*at = amountText{n: n, bits: bits, rate: rate}
		at.size = uint8(copy(at.text[:], javatext.AppendAmount(dst[len(dst):], n, bits, rate)))
	}
	return append(dst, at.text[:at.size]...)
}

func newText(o *Options) *textRenderer {
	return &textRenderer{
		base:  base{options: o, clock: clock{format: textFormat}, templates: newTemplates(fillText)},
		exact: o.Format == Exact, iso: clock{format: javatext.OffsetTime},
	}
}

func (r *textRenderer) append(dst []byte, it *item) []byte {
	t := r.enter(dst, it.event)
	dst = append(dst, t.open...)
	for _, ev := range it.context {
		dst = r.appendContext(dst, ev)
	}
	dst = r.appendEvent(dst, t)
	return append(dst, "}\n\n"...)
}

// enter begins with an event that is appended to dst.
func (r *textRenderer) enter(dst []byte, ev mmapjfr.Event) *template {
	r.base.enter(dst, ev)
	r.iso.setZone(r.clock.zone)
	r.event, r.begin = ev, len(dst)
	return r.templates.event(ev.Type())
}

// appendEvent appends the fields of the event, and after them its thread and its stack
// trace.
func (r *textRenderer) appendEvent(dst []byte, t *template) []byte {
	var thread, stack mmapjfr.Value
	var threadField, stackField *fieldTemplate
	i := 0
	for _, field := range r.event.Value().Fields() {
		s := &t.fields[i]
		i++
		switch s.text.position {
		case omitted:
			continue
		case threadLast:
			thread, threadField = field, s
			continue
		case stackLast:
			stack, stackField = field, s
			continue
		case unlessZero:
			if field.Kind() == mmapjfr.KindLong && field.Int() == 0 {
				continue
			}
		}
		dst = append(appendSpaces(dst, textDepth), s.head...)
		dst = r.appendValue(dst, s, field, textDepth, "")
	}
	if thread.Kind() != mmapjfr.KindNone {
		dst = append(appendSpaces(dst, textDepth), threadField.head...)
		dst = append(r.appendConstant(dst, threadField, thread), '\n')
	}
	if stack.Kind() != mmapjfr.KindNone {
		dst = append(appendSpaces(dst, textDepth), stackField.head...)
		dst = r.appendConstant(dst, stackField, stack)
	}
	return dst
}

// appendContext appends the contextual fields of an event that encloses the one that is
// being written.
func (r *textRenderer) appendContext(dst []byte, ev mmapjfr.Event) []byte {
	if r.outer == nil {
		r.outer = newText(r.options)
	}
	t := r.outer.enter(dst, ev)
	i := 0
	for _, field := range ev.Value().Fields() {
		s := &t.fields[i]
		i++
		if s.text.context != nil {
			dst = append(dst, s.text.context...)
			dst = r.outer.appendValue(dst, s, field, textDepth, "")
		}
	}
	return dst
}

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
		if s.text.entity == jdktypes.StackFrame && e.Kind() == mmapjfr.KindStruct && isJavaFrame(e) {
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
	case jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader:
		dst = r.appendConstant(dst, s, v)
		return append(append(dst, suffix...), '\n')
	case jdktypes.Method:
		return append(r.appendConstant(dst, s, v), '\n')
	case jdktypes.StackFrame:
		if isJavaFrame(v) {
			return append(r.appendFrame(dst, v, v.Get(pathMethod)), suffix...)
		}
	case jdktypes.OldObject:
		return r.appendOldObject(dst, v, depth)
	}
	key := constKey{s.field.Type(), engine.ValueKey(v), depth}
	if r.isTooMuch(dst, depth) {
		dst = append(dst, "{...}"...)
	} else if !s.constant {
		dst = r.appendFields(dst, s, v, depth)
	} else if text, ok := r.constants.text(key); ok {
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
	t := s.innerOf(&r.templates, v)
	dst = append(dst, "{\n"...)
	i := 0
	for _, field := range v.Fields() {
		inner := &t.fields[i]
		i++
		dst = append(appendSpaces(dst, depth+2), inner.head...)
		dst = r.appendValue(dst, inner, field, depth+2, "")
	}
	dst = appendSpaces(dst, depth)
	return append(dst, '}')
}

// appendConstant appends a constant that text writes in a way of its own.
func (r *textRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	key := constKey{s.field.Type(), engine.ValueKey(v), 0}
	return r.constants.append(dst, key, func(dst []byte) []byte {
		switch s.text.entity {
		case jdktypes.Thread:
			return r.appendThread(dst, v)
		case jdktypes.Class:
			return r.appendClass(dst, v)
		case jdktypes.ClassLoader:
			return r.appendClassLoader(dst, v)
		case jdktypes.Method:
			return r.appendMethod(dst, v)
		case jdktypes.StackTrace:
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
		r.units = engine.ValueAppendUTF16(v, r.units[:0])
		dst = javatext.AppendUnits(dst[:at], r.units)
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

// appendNumber appends a number according to the annotations of its field.
func (r *textRenderer) appendNumber(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	measure, rate := s.text.measure, s.text.rate
	switch {
	case measure.IsTimespan() && s.text.plain:
		return appendISODuration(dst, s.unit, v)
	case measure.IsTimespan():
		return r.appendTimespan(dst, s, v)
	case measure.IsTimestamp() && s.text.plain:
		return r.iso.appendISO(dst, v)
	case measure.IsTimestamp():
		return r.clock.appendText(dst, v, r.exact)
	case engine.ValueIsUnset(v) && (!s.unsigned || v.Kind() != mmapjfr.KindLong):
		return append(dst, "N/A"...)
	case s.text.plain || v.Kind() == mmapjfr.KindBool || v.Kind() == mmapjfr.KindChar:
		return appendTextNumber(dst, s, v)
	}
	switch measure {
	case mmapjfr.Percentage:
		digits := 2
		if r.exact {
			digits = 9
		}
		return append(javatext.AppendFixed(dst, 100*v.Float(), digits), '%')
	case mmapjfr.Bytes, mmapjfr.Bits:
		if r.exact {
			return javatext.AppendExactAmount(dst, v.Int(), measure == mmapjfr.Bits, rate)
		}
		return r.appendAmount(dst, v.Int(), measure == mmapjfr.Bits, rate)
	case mmapjfr.Address:
		return javatext.AppendAddress(dst, v.Uint())
	}
	dst = appendTextNumber(dst, s, v)
	if measure == mmapjfr.Hertz {
		dst = append(dst, " Hz"...)
	}
	return dst
}

// appendTextNumber appends a number that has no measure, or a character.
func appendTextNumber(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	if v.Kind() == mmapjfr.KindChar {
		return javatext.AppendUnits(dst, []uint16{uint16(v.Int())})
	}
	return appendNumber(dst, s, v)
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
