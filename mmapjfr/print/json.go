package print

import (
	"math"
	"unicode/utf8"

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

// jsonRenderer writes events as jfr print --json does.
type jsonRenderer struct{ base }

func newJSON(o *Options) *jsonRenderer {
	return &jsonRenderer{base{options: o, clock: clock{format: isoFormat}, templates: newTemplates(fillJSON, jsonHead, jsonDepth+2)}}
}

// fillJSON fills what stands before the fields, and after the last one.
func fillJSON(t *template) {
	for i := range t.fields {
		s := &t.fields[i]
		if i > 0 {
			s.head = append(s.head, ", \n"...)
		}
		s.head = appendSpaces(s.head, t.depth+2)
		s.head = appendJSONString(s.head, s.name)
		s.head = append(s.head, ": "...)
	}
	t.tail = append(t.tail, '\n')
	t.tail = appendSpaces(t.tail, t.depth)
	t.tail = append(t.tail, '}')
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

func (r *jsonRenderer) append(dst []byte, it *item) []byte {
	ev := it.event
	r.enter(dst, ev)
	e := r.templates.event(ev.Type())
	dst = append(dst, e.head...)
	dst = r.appendFields(dst, e.fields, ev.Value())
	return append(dst, "\n    }"...)
}

// jsonHead returns what stands before the fields of the events of a type.
func jsonHead(t mmapjfr.Type) []byte {
	head := append([]byte(nil), "{\n      \"type\": "...)
	head = appendJSONString(head, t.Name())
	return append(head, ", \n      \"values\": "...)
}

// appendFields appends an object with the fields of a struct: also where it has none,
// or fewer than its type says.
func (r *jsonRenderer) appendFields(dst []byte, t *template, v mmapjfr.Value) []byte {
	dst = append(dst, "{\n"...)
	i := 0
	for _, field := range v.Fields() {
		s := &t.fields[i]
		i++
		dst = append(dst, s.head...)
		dst = r.appendValue(dst, s, field, t.depth+2)
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
		return r.appendFields(dst, s.innerOf(&r.templates, v, depth), v)
	case mmapjfr.KindString:
		return r.appendString(dst, v)
	}
	switch {
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

func (r *jsonRenderer) appendArray(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	dst = append(dst, '[')
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.options.StackDepth {
			break
		}
		if n > 0 {
			dst = append(dst, ", "...)
		}
		n++
		dst = r.appendValue(dst, s, e, depth)
	}
	return append(dst, ']')
}

func (r *jsonRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	key := constKey{s.field.Type(), v.Key(), depth}
	return r.constants.appendBounded(dst, key, "null", func(dst []byte) ([]byte, bool) {
		t := s.innerOf(&r.templates, v, depth)
		return r.appendFields(dst, t, v), !t.long
	})
}

// jsonEscapes are the letters by which jfr escapes characters.
var jsonEscapes = [128]byte{
	'\b': 'b', '\n': 'n', '\t': 't', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\', '/': '/',
}

// jsonPlain has the bytes that stand for themselves.
var jsonPlain = func() (plain [256]bool) {
	for c := byte(' '); c <= 0x7f; c++ {
		plain[c] = jsonEscapes[c] == 0
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
			r.units = v.AppendUTF16(r.units[:0])
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
	if c < 128 && jsonEscapes[c] != 0 {
		return append(dst, '\\', jsonEscapes[c])
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}

// appendJSONString appends a name with quotes around it.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendJSONUnits(dst, unitsOf(s))
	return append(dst, '"')
}
