package print

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// jsonDocument is what a JSON document has around its events.
var jsonDocument = document{
	begin:   "{\n  \"recording\": {\n    \"events\": [",
	between: ", ",
	end:     "]\n  }\n}",
}

// jsonDepth is how far an event is indented.
const jsonDepth = 4

// jsonRenderer writes events as jfr print --json does, or as NDJSON: each event as a JSON object in a
// line of its own, its type and then its fields in the order of the recording, by names that are
// also paths.
//
//	{"@type":"jdk.ThreadPark","startTime":"2026-11-20T21:22:37.347509996Z","duration":1712095,...}
//
// Values are plain ones, see appendPlain. Integers are written in full, also those above
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
type jsonRenderer struct {
	base
	// plain is set for NDJSON.
	plain   bool
	columns []column
	row     *rows.Row // of the columns
	scratch []byte
}

// ndjsonDepth is the depth of all in NDJSON, where nothing is indented.
const ndjsonDepth = 0

func newJSON(o *Options) *jsonRenderer {
	return &jsonRenderer{base: base{options: o, clock: clock{format: javatext.OffsetTime}, templates: newTemplates(fillJSON)}}
}

// newNDJSON returns a renderer of the columns, or of all fields if there are none.
func newNDJSON(o *Options, columns []column) *jsonRenderer {
	inUTC := *o
	inUTC.Zone = cmp.Or(o.Zone, time.UTC)
	r := &jsonRenderer{
		plain:   true,
		base:    base{options: &inUTC, clock: clock{format: rfcFormat}, templates: newTemplates(fillNDJSON)},
		columns: slices.Clone(columns),
	}
	if len(columns) > 0 {
		r.row = rows.New(rows.NDJSON, false, titles(columns))
	}
	return r
}

// fillJSON fills the names, and what stands around the fields.
func fillJSON(t *template) {
	t.tail = []byte{'}'}
	if t.event {
		t.open = appendJSONString([]byte("{\n      \"type\": "), engine.TypeRecordedName(t.typ))
		t.open = append(t.open, ", \n      \"values\": "...)
		t.tail = []byte("}\n    }")
	}
	t.open = append(t.open, "{\n"...)
	for i := range t.fields {
		s := &t.fields[i]
		s.head = append(appendJSONString(nil, s.name), ": "...)
	}
}

// appendSpaces appends an indentation.
func appendSpaces(dst []byte, n int) []byte {
	const spaces = "                                                                "
	for ; n > len(spaces); n -= len(spaces) {
		dst = append(dst, spaces...)
	}
	return append(dst, spaces[:n]...)
}

// fillNDJSON fills the names, and what stands around the fields.
func fillNDJSON(t *template) {
	t.open, t.tail = []byte("{"), []byte("}")
	if t.event {
		t.open, t.tail = rows.AppendString([]byte(`{"@type":`), engine.TypeRecordedName(t.typ)), []byte("}\n")
	}
	for i := range t.fields {
		s := &t.fields[i]
		name := s.name
		for t.event && (name == "@type" || name != s.name && t.has(name)) {
			name += "_"
		}
		if i > 0 || t.event {
			s.head = append(s.head, ',')
		}
		s.head = append(rows.AppendString(s.head, name), ':')
	}
}

// has reports whether there is a field of that name.
func (t *template) has(name string) bool {
	return slices.ContainsFunc(t.fields, func(s fieldTemplate) bool { return s.name == name })
}

func (r *jsonRenderer) append(dst []byte, it *item) []byte {
	ev := it.event
	r.enter(dst, ev)
	if r.row == nil {
		return r.appendFields(dst, r.templates.event(ev.Type()), ev.Value(), jsonDepth+2)
	}
	r.row.Begin(dst)
	for i := range r.columns {
		r.row.Set(r.appendColumn(r.row.Next(), i, ev))
	}
	return append(r.row.End(), '\n')
}

// appendColumn appends the value of a field that was named.
func (r *jsonRenderer) appendColumn(dst []byte, i int, ev mmapjfr.Event) []byte {
	v := ev.Get(r.columns[i].path)
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindString: // a computed one has no view
		r.scratch = v.AppendStr(r.scratch[:0])
		return rows.AppendString(dst, string(r.scratch))
	}
	return r.appendValue(dst, r.columns[i].templateOf(v), v, ndjsonDepth)
}

// appendFields appends an object with the fields of a struct: also where it has none,
// or fewer than its type says.
func (r *jsonRenderer) appendFields(dst []byte, t *template, v mmapjfr.Value, depth int) []byte {
	inner := depth + 2
	if r.plain {
		inner = ndjsonDepth
	}
	dst = append(dst, t.open...)
	i := 0
	for _, field := range v.Fields() {
		s := &t.fields[i]
		if !r.plain {
			if i > 0 {
				dst = append(dst, ", \n"...)
			}
			dst = appendSpaces(dst, inner)
		}
		i++
		dst = append(dst, s.head...)
		dst = r.appendValue(dst, s, field, inner)
	}
	if !r.plain {
		dst = appendSpaces(append(dst, '\n'), depth)
	}
	return append(dst, t.tail...)
}

func (r *jsonRenderer) appendValue(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindArray:
		return r.appendArray(dst, s, v, depth)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v, depth)
		}
		return r.appendStruct(dst, s, v, depth)
	}
	if r.plain {
		return r.appendPlain(dst, s, v)
	}
	switch {
	case v.Kind() == mmapjfr.KindString:
		return r.appendString(dst, v)
	case s.unit.IsTimespan():
		dst = append(dst, '"')
		dst = appendISODuration(dst, s.unit, v)
		return append(dst, '"')
	case s.unit.IsTimestamp():
		dst = append(dst, '"')
		dst = r.clock.appendISO(dst, v)
		return append(dst, '"')
	case v.Kind() == mmapjfr.KindChar:
		dst = append(dst, '"')
		dst = appendJSONUnits(dst, []uint16{uint16(v.Int())})
		return append(dst, '"')
	case isFloat(v):
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
	}
	return appendNumber(dst, s, v)
}

// appendPlain appends what is neither a struct nor an array for NDJSON.
func (r *jsonRenderer) appendPlain(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	quote := ""
	switch {
	case v.Kind() == mmapjfr.KindString:
		return rows.AppendString(dst, v.StrView())
	case v.Kind() == mmapjfr.KindChar:
		return rows.AppendString(dst, string(rune(v.Int())))
	case s.unit.IsTimestamp():
		quote = `"`
	}
	at := len(dst) + len(quote)
	if dst = r.clock.appendPlain(append(dst, quote...), s, v); len(dst) == at {
		return append(dst[:at-len(quote)], "null"...)
	}
	return append(dst, quote...)
}

func (r *jsonRenderer) appendArray(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	dst = append(dst, '[')
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.options.StackDepth {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
			if !r.plain {
				dst = append(dst, ' ')
			}
		}
		n++
		dst = r.appendValue(dst, s, e, depth)
	}
	return append(dst, ']')
}

func (r *jsonRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	key := constKey{s.field.Type(), engine.ValueKey(v), depth}
	return r.constants.appendBounded(dst, key, "null", func(dst []byte) ([]byte, bool) {
		dst = r.appendStruct(dst, s, v, depth)
		return dst, r.plain || !s.inner.long
	})
}

func (r *jsonRenderer) appendStruct(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	if r.plain {
		switch v.Type().Name() {
		case jdktypes.Thread:
			return appendJSONThread(dst, v.Thread())
		case jdktypes.Class, jdktypes.Method:
			return r.appendName(dst, v.AppendStr(r.scratch[:0]))
		case jdktypes.StackFrame:
			return r.appendFrame(dst, v)
		}
	}
	if !r.constants.nest(dst) {
		return append(dst, "null"...)
	}
	defer r.constants.unnest()
	return r.appendFields(dst, s.innerOf(&r.templates, v), v, depth)
}

// appendName appends a name in quotes, or null if it is empty.
func (r *jsonRenderer) appendName(dst, name []byte) []byte {
	r.scratch = name
	if len(name) == 0 {
		return append(dst, "null"...)
	}
	return rows.AppendString(dst, string(name))
}

// appendFrame appends a stack frame: its method and its line.
func (r *jsonRenderer) appendFrame(dst []byte, v mmapjfr.Value) []byte {
	frame := v.Frame()
	method := v.Get(pathMethod)
	key := constKey{method.Type(), engine.ValueKey(method), ndjsonDepth}
	dst = r.constants.append(dst, key, func(dst []byte) []byte {
		return r.appendName(dst, engine.MethodAppendSignature(frame.Method(), r.scratch[:0]))
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
	dst = rows.AppendString(append(dst, `{"name":`...), t.Name())
	dst = append(dst, `,"javaId":`...)
	number(t.JavaThreadID())
	dst = append(dst, `,"osId":`...)
	number(t.OSThreadID())
	dst = append(dst, `,"virtual":`...)
	return append(strconv.AppendBool(dst, t.IsVirtual()), '}')
}

// jsonPlain has the bytes that stand for themselves; jfr escapes slashes, too.
var jsonPlain = func() (plain [256]bool) {
	for c := byte(' '); c <= 0x7f; c++ {
		plain[c] = c != '"' && c != '\\' && c != '/'
	}
	return plain
}()

// appendString appends a string with quotes around it.
func (r *jsonRenderer) appendString(dst []byte, v mmapjfr.Value) []byte {
	s := v.StrView()
	dst = append(dst, '"')
	begin, at := len(dst), 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if jsonPlain[c] {
			continue
		}
		if c >= utf8.RuneSelf {
			// A string can have unpaired surrogates, which the view has not: begin again
			// with its code units.
			r.units = engine.ValueAppendUTF16(v, r.units[:0])
			return append(appendJSONUnits(dst[:begin], r.units), '"')
		}
		dst = append(dst, s[at:i]...)
		dst = appendJSONEscape(dst, uint16(c))
		at = i + 1
	}
	return append(append(dst, s[at:]...), '"')
}

// appendJSONUnits appends UTF-16 code units.
func appendJSONUnits(dst []byte, units []uint16) []byte {
	for _, c := range units {
		if c < 128 && jsonPlain[c] {
			dst = append(dst, byte(c))
			continue
		}
		dst = appendJSONEscape(dst, c)
	}
	return dst
}

func appendJSONEscape(dst []byte, c uint16) []byte {
	if c == '/' {
		return append(dst, `\/`...)
	}
	return rows.AppendEscape(dst, c)
}

// appendJSONString appends a name with quotes around it.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendJSONUnits(dst, utf16.Encode([]rune(s)))
	return append(dst, '"')
}

// appendPlain appends what is neither a string, a struct nor an array; nothing if it
// is unknown.
func (c *clock) appendPlain(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch {
	case v.Kind() == mmapjfr.KindChar:
		return utf8.AppendRune(dst, rune(v.Int()))
	case v.Kind() == mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case s.unit.IsTimespan() || s.unit.IsTimestamp():
		switch {
		case timeNumber(v) == math.MinInt64:
			return dst
		case s.unit.IsTimespan():
			return strconv.AppendInt(dst, int64(v.Duration()), 10)
		}
		return c.appendRFC3339(dst, v.Time())
	case isFloat(v):
		return rows.AppendFloat(dst, v.Float(), floatBits(v))
	}
	return appendNumber(dst, s, v)
}

// appendLine appends the line of a stack frame, which follows its method.
func appendLine(dst []byte, f mmapjfr.Frame) []byte {
	if line := f.Line(); line > 0 {
		return strconv.AppendInt(append(dst, ':'), int64(line), 10)
	}
	return dst
}
