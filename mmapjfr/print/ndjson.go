package print

import (
	"cmp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// ndjsonRenderer writes each event as a JSON object in a line of its own: its type,
// and then its fields in the order of the recording, by names that are also paths.
//
//	{"@type":"jdk.ThreadPark","startTime":"2026-11-20T21:22:37.347509996Z","duration":1712095,...}
//
// Values are plain ones, see plain.go. Integers are written in full, also those above
// 2^53. Threads are objects:
//
//	{"name":"main","javaId":1,"osId":4711,"virtual":false}
//
// with null for numbers that a thread does not have; stack traces have their frames
// as strings:
//
//	{"truncated":false,"frames":["java.lang.Thread.run():1583"]}
//
// All other structs are objects with their fields, and arrays are arrays. A field of an
// event that is called @type, which no Java program can have, becomes @type_.
//
// With [Options.Fields] an object has only these, by the names that were given, with null
// for what an event does not have.
type ndjsonRenderer struct {
	base
	columns []column
	heads   [][]byte // what stands before the value of each column
	scratch []byte
}

// The depths of templates: an event's own fields are not those of a struct.
const (
	ndjsonStruct = iota
	ndjsonEvent
)

// newNDJSON returns a renderer of the columns, or of all fields if there are none.
func newNDJSON(o *Options, columns []column) *ndjsonRenderer {
	inUTC := *o
	inUTC.Zone = cmp.Or(o.Zone, time.UTC)
	r := &ndjsonRenderer{
		base:    base{options: &inUTC, clock: clock{format: rfcFormat}, templates: newTemplates(fillNDJSON, ndjsonHead, ndjsonEvent)},
		columns: slices.Clone(columns),
	}
	for i, c := range columns {
		head := []byte{','}
		if i == 0 {
			head[0] = '{'
		}
		r.heads = append(r.heads, append(appendPlainJSON(head, c.title), ':'))
	}
	return r
}

// fillNDJSON fills the names.
func fillNDJSON(t *template) {
	for i := range t.fields {
		s := &t.fields[i]
		name := s.name
		for t.depth == ndjsonEvent && (name == "@type" || name != s.name && t.has(name)) {
			name += "_"
		}
		if i > 0 || t.depth == ndjsonEvent {
			s.head = append(s.head, ',')
		}
		s.head = append(appendPlainJSON(s.head, name), ':')
	}
}

// has reports whether there is a field of that name.
func (t *template) has(name string) bool {
	return slices.ContainsFunc(t.fields, func(s fieldTemplate) bool { return s.name == name })
}

func (r *ndjsonRenderer) append(dst []byte, it *item) []byte {
	ev := it.event
	r.enter(dst, ev)
	if len(r.columns) > 0 {
		for i := range r.columns {
			dst = r.appendColumn(append(dst, r.heads[i]...), i, ev)
		}
		return append(dst, "}\n"...)
	}
	e := r.templates.event(ev.Type())
	dst = append(dst, e.head...)
	dst = r.appendFields(dst, e.fields, ev.Value())
	return append(dst, "}\n"...)
}

// appendColumn appends the value of a field that was named.
func (r *ndjsonRenderer) appendColumn(dst []byte, i int, ev mmapjfr.Event) []byte {
	v := ev.Get(r.columns[i].path)
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindString: // a computed one has no view
		r.scratch = v.AppendStr(r.scratch[:0])
		return appendPlainJSON(dst, string(r.scratch))
	}
	return r.appendValue(dst, r.columns[i].templateOf(v), v)
}

// ndjsonHead returns what stands before the fields of events of a type.
func ndjsonHead(t mmapjfr.Type) []byte { return appendPlainJSON([]byte(`{"@type":`), t.Name()) }

func (r *ndjsonRenderer) appendFields(dst []byte, t *template, v mmapjfr.Value) []byte {
	i := 0
	for _, field := range v.Fields() {
		s := &t.fields[i]
		i++
		dst = append(dst, s.head...)
		dst = r.appendValue(dst, s, field)
	}
	return dst
}

func (r *ndjsonRenderer) appendValue(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindArray:
		return r.appendArray(dst, s, v)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v)
		}
		return r.appendStruct(dst, s, v)
	case mmapjfr.KindString:
		return appendPlainJSON(dst, v.StrView())
	case mmapjfr.KindChar:
		r.scratch = r.clock.appendPlain(r.scratch[:0], s, v)
		return appendPlainJSON(dst, string(r.scratch))
	}
	quoted := s.unit.IsTimestamp()
	if quoted {
		dst = append(dst, '"')
	}
	at := len(dst)
	dst = r.clock.appendPlain(dst, s, v)
	switch {
	case len(dst) == at && quoted:
		return append(dst[:at-1], "null"...)
	case len(dst) == at:
		return append(dst, "null"...)
	case quoted:
		return append(dst, '"')
	}
	return dst
}

func (r *ndjsonRenderer) appendArray(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	dst = append(dst, '[')
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.options.StackDepth {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		n++
		dst = r.appendValue(dst, s, e)
	}
	return append(dst, ']')
}

func (r *ndjsonRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	key := constKey{s.field.Type(), v.Key(), ndjsonStruct}
	return r.constants.appendBounded(dst, key, "null", func(dst []byte) ([]byte, bool) {
		return r.appendStruct(dst, s, v), true
	})
}

func (r *ndjsonRenderer) appendStruct(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch v.Type().CurrentName() {
	case jdktypes.Thread:
		return appendJSONThread(dst, v.Thread())
	case jdktypes.Class:
		return r.appendName(dst, append(r.scratch[:0], v.Class().JavaName()...))
	case jdktypes.Method:
		return r.appendName(dst, v.Method().AppendSignature(r.scratch[:0]))
	case jdktypes.StackFrame:
		return r.appendFrame(dst, v)
	}
	dst = append(dst, '{')
	dst = r.appendFields(dst, s.innerOf(&r.templates, v, ndjsonStruct), v)
	return append(dst, '}')
}

// appendName appends a name in quotes, or null if it is empty.
func (r *ndjsonRenderer) appendName(dst, name []byte) []byte {
	r.scratch = name
	if len(name) == 0 {
		return append(dst, "null"...)
	}
	return appendPlainJSON(dst, string(name))
}

// appendFrame appends a stack frame: its method and its line.
func (r *ndjsonRenderer) appendFrame(dst []byte, v mmapjfr.Value) []byte {
	frame := v.Frame()
	method := v.Get(pathMethod)
	key := constKey{method.Type(), method.Key(), ndjsonStruct}
	dst = r.constants.append(dst, key, func(dst []byte) []byte {
		return r.appendName(dst, frame.Method().AppendSignature(r.scratch[:0]))
	})
	if end := len(dst) - 1; dst[end] == '"' {
		return append(appendLine(dst[:end], frame), '"')
	}
	return dst
}

// appendJSONThread appends a thread, with null for numbers that it does not have.
func appendJSONThread(dst []byte, t mmapjfr.Thread) []byte {
	number := func(n int64) {
		if n <= 0 {
			dst = append(dst, "null"...)
			return
		}
		dst = strconv.AppendInt(dst, n, 10)
	}
	dst = appendPlainJSON(append(dst, `{"name":`...), t.Name())
	dst = append(dst, `,"javaId":`...)
	number(t.JavaThreadID())
	dst = append(dst, `,"osId":`...)
	number(t.OSThreadID())
	dst = append(dst, `,"virtual":`...)
	return append(strconv.AppendBool(dst, t.IsVirtual()), '}')
}

// appendPlainJSON appends a string with quotes around it, as UTF-8. It escapes quotes,
// backslashes and control characters, and U+007F to U+009F, which terminals act on.
func appendPlainJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	at := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1
		if r >= 0xa0 && !bad {
			i += n
			continue
		}
		dst = append(dst, s[at:i]...)
		switch {
		case bad:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case r < utf8.RuneSelf && jsonEscapes[r] != 0:
			dst = append(dst, '\\', jsonEscapes[r])
		default:
			dst = appendJSONEscape(dst, uint16(r))
		}
		i += n
		at = i
	}
	return append(append(dst, s[at:]...), '"')
}
