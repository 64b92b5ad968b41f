package print

import (
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// ndjsonRenderer writes each event as a JSON object in a line of its own: its type,
// and then its fields in the order of the recording, by names that are also paths.
//
//	{"@type":"jdk.ThreadPark","startTime":"2026-11-20T21:22:37.347509996Z","duration":1712095,...}
//
// Values are plain ones, as plain.go tells. Integers are written in full, also those
// above 2^53. Threads are objects:
//
//	{"name":"main","javaId":1,"osId":4711,"virtual":false}
//
// with null for numbers that a thread does not have; stack traces have their frames
// as strings:
//
//	{"truncated":false,"frames":["java.lang.Thread.run():1583"]}
//
// All other structs are objects with their fields, and arrays are arrays. A field of an
// event that is called @type, as in no Java, becomes @type_.
//
// If fields are named an object has those alone, by the names that were given, with null
// for what an event does not have.
type ndjsonRenderer struct {
	columns    []column
	heads      [][]byte // what stands before the value of each column
	shapes     []shape  // what is known of the last value of each
	stackDepth int
	plans      plans
	constants  bounded
	clock      plainClock
	scratch    []byte
}

// The depths of plans: an event's own fields are not those of a struct.
const (
	ndjsonStruct = iota
	ndjsonEvent
)

func newNDJSON(o *Options) *ndjsonRenderer {
	return &ndjsonRenderer{
		stackDepth: o.StackDepth, plans: newPlans(dressNDJSON, ndjsonHead, ndjsonEvent), clock: newPlainClock(o.Zone),
	}
}

// dressNDJSON fills the names.
func dressNDJSON(p *plan) {
	for i := range p.fields {
		s := &p.fields[i]
		name := s.name
		for p.depth == ndjsonEvent && (name == "@type" || name != s.name && p.has(name)) {
			name += "_"
		}
		if i > 0 || p.depth == ndjsonEvent {
			s.head = append(s.head, ',')
		}
		s.head = append(appendPlainJSON(s.head, name), ':')
	}
}

// has tells whether there is a field of that name.
func (p *plan) has(name string) bool {
	return slices.ContainsFunc(p.fields, func(s shape) bool { return s.name == name })
}

// newNDJSONOf is newNDJSON for the fields that are named.
func newNDJSONOf(o *Options, columns []column) *ndjsonRenderer {
	r := newNDJSON(o)
	r.columns, r.shapes = columns, make([]shape, len(columns))
	for i, c := range columns {
		head := []byte{','}
		if i == 0 {
			head[0] = '{'
		}
		r.heads = append(r.heads, append(appendPlainJSON(head, c.title), ':'))
	}
	return r
}

func (r *ndjsonRenderer) append(dst []byte, it *item) []byte {
	ev := it.event
	r.enter(ev)
	r.constants.start(len(dst))
	if len(r.columns) > 0 {
		for i := range r.columns {
			dst = r.appendColumn(append(dst, r.heads[i]...), i, ev)
		}
		return append(dst, "}\n"...)
	}
	e := r.plans.event(ev.Type())
	dst = append(dst, e.head...)
	dst = r.appendFields(dst, e.plan, ev.Value())
	return append(dst, "}\n"...)
}

// appendColumn appends the value of a field that was named.
func (r *ndjsonRenderer) appendColumn(dst []byte, i int, ev mmapjfr.Event) []byte {
	v := ev.Get(r.columns[i].path)
	s := &r.shapes[i]
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindString: // which can be computed
		r.scratch = v.AppendStr(r.scratch[:0])
		return appendPlainJSON(dst, string(r.scratch))
	}
	if f, _ := v.Field(); f != s.field {
		*s = shapeOf(f)
	}
	return r.appendValue(dst, s, v)
}

// enter prepares for the constants of an event.
func (r *ndjsonRenderer) enter(ev mmapjfr.Event) {
	if chunk := ev.Chunk(); chunk != r.constants.chunk {
		r.constants.enter(chunk)
	}
}

// ndjsonHead makes what stands before the fields of events of a type.
func ndjsonHead(t mmapjfr.Type) []byte { return appendPlainJSON([]byte(`{"@type":`), t.Name()) }

func (r *ndjsonRenderer) appendFields(dst []byte, p *plan, v mmapjfr.Value) []byte {
	i := 0
	for _, field := range v.Fields() {
		s := &p.fields[i]
		i++
		dst = append(dst, s.head...)
		dst = r.appendValue(dst, s, field)
	}
	return dst
}

func (r *ndjsonRenderer) appendValue(dst []byte, s *shape, v mmapjfr.Value) []byte {
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
		r.scratch = r.clock.appendPlain(r.scratch[:0], s.unit, s.unsigned, v)
		return appendPlainJSON(dst, string(r.scratch))
	}
	quoted := s.unit.IsTimestamp()
	if quoted {
		dst = append(dst, '"')
	}
	at := len(dst)
	dst = r.clock.appendPlain(dst, s.unit, s.unsigned, v)
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

func (r *ndjsonRenderer) appendArray(dst []byte, s *shape, v mmapjfr.Value) []byte {
	dst = append(dst, '[')
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.stackDepth {
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

// appendConstant appends a struct from a constant pool: its text, if it has been
// rendered.
func (r *ndjsonRenderer) appendConstant(dst []byte, s *shape, v mmapjfr.Value) []byte {
	key := constantKey{s.field.Type(), v.Key(), ndjsonStruct}
	if text, ok := r.constants.texts[key]; ok {
		return append(dst, text...)
	}
	at, cut := len(dst), r.constants.cut
	if !r.constants.admit(key, at) {
		return append(dst, "null"...)
	}
	dst = r.appendStruct(dst, s, v)
	r.constants.done(key, dst[at:], cut)
	return dst
}

func (r *ndjsonRenderer) appendStruct(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch v.Type().CurrentName() {
	case jdktypes.Thread:
		return appendJSONThread(dst, v.Thread())
	case jdktypes.Class:
		return r.appendName(dst, appendClass(r.scratch[:0], v.Class()))
	case jdktypes.Method:
		return r.appendName(dst, v.Method().AppendSignature(r.scratch[:0]))
	case jdktypes.StackFrame:
		return r.appendFrame(dst, v)
	}
	dst = append(dst, '{')
	dst = r.appendFields(dst, s.within(&r.plans, v, ndjsonStruct), v)
	return append(dst, '}')
}

// appendName appends a name in quotes, or null if there is none.
func (r *ndjsonRenderer) appendName(dst, name []byte) []byte {
	r.scratch = name
	if len(name) == 0 {
		return append(dst, "null"...)
	}
	return appendPlainJSON(dst, string(name))
}

// framed leads to the method of a frame.
var framed = mmapjfr.Path("method")

// appendFrame appends a frame: its method, whose text may have been kept, and its
// line.
func (r *ndjsonRenderer) appendFrame(dst []byte, v mmapjfr.Value) []byte {
	frame := v.Frame()
	method := v.Get(framed)
	key := constantKey{method.Type(), method.Key(), ndjsonStruct}
	if text, ok := r.constants.texts[key]; ok {
		dst = append(dst, text...)
	} else {
		at := len(dst)
		dst = r.appendName(dst, frame.Method().AppendSignature(r.scratch[:0]))
		r.constants.keep(key, dst[at:])
	}
	if end := len(dst) - 1; dst[end] == '"' {
		return append(appendLine(dst[:end], frame), '"')
	}
	return dst
}

// appendJSONThread appends a thread. Numbers that it does not have are null.
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
