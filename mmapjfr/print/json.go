package print

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// jsonFrame is what a JSON document has around its events.
var jsonFrame = frame{
	begin:   "{\n  \"recording\": {\n    \"events\": [",
	between: ", ",
	end:     "]\n  }\n}",
}

// jsonDepth is how far an event is indented.
const jsonDepth = 4

// jsonRenderer writes events as jfr print --json does.
type jsonRenderer struct {
	stackDepth int
	zone       *time.Location // nil for that of each recording
	plans      plans
	constants  bounded
	clock      isoClock
	units      []uint16 // of strings that are not plain
}

func newJSON(o *Options) *jsonRenderer {
	return &jsonRenderer{
		stackDepth: o.StackDepth, zone: o.Zone, plans: newPlans(dressJSON, jsonHead, jsonDepth+2),
	}
}

// dressJSON fills what stands before the fields, and after the last one.
func dressJSON(p *plan) {
	for i := range p.fields {
		s := &p.fields[i]
		if i > 0 {
			s.head = append(s.head, ", \n"...)
		}
		s.head = appendSpaces(s.head, p.depth+2)
		s.head = appendJSONString(s.head, s.name)
		s.head = append(s.head, ": "...)
	}
	p.tail = append(p.tail, '\n')
	p.tail = appendSpaces(p.tail, p.depth)
	p.tail = append(p.tail, '}')
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

func (r *jsonRenderer) append(dst []byte, it *item) []byte {
	ev := it.event
	if chunk := ev.Chunk(); chunk != r.constants.chunk {
		r.constants.enter(chunk)
		r.clock.enter(zoneOf(chunk, r.zone))
	}
	e := r.plans.event(ev.Type())
	r.constants.start(len(dst))
	dst = append(dst, e.head...)
	dst = r.appendFields(dst, e.plan, ev.Value())
	return append(dst, "\n    }"...)
}

// jsonHead makes what stands before the fields of the events of a type.
func jsonHead(t mmapjfr.Type) []byte {
	head := append([]byte(nil), "{\n      \"type\": "...)
	head = appendJSONString(head, t.Name())
	return append(head, ", \n      \"values\": "...)
}

// appendFields appends an object with the fields of a struct: also where it has none,
// or fewer than its type says.
func (r *jsonRenderer) appendFields(dst []byte, p *plan, v mmapjfr.Value) []byte {
	dst = append(dst, "{\n"...)
	i := 0
	for _, field := range v.Fields() {
		s := &p.fields[i]
		i++
		dst = append(dst, s.head...)
		dst = r.appendValue(dst, s, field, p.depth+2)
	}
	return append(dst, p.tail...)
}

func (r *jsonRenderer) appendValue(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindArray:
		return r.appendArray(dst, s, v, depth)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v, depth)
		}
		return r.appendFields(dst, s.within(&r.plans, v, depth), v)
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
		dst = r.clock.append(dst, v)
		return append(dst, '"')
	}
	return appendJSONNumber(dst, s, v)
}

// appendJSONNumber appends what is neither a string nor a time.
func appendJSONNumber(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case mmapjfr.KindChar:
		dst = append(dst, '"')
		dst = appendJSONUnits(dst, []uint16{uint16(v.Int())})
		return append(dst, '"')
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
		return javatext.AppendFloat(dst, f, floatBits(v))
	}
	if s.unsigned {
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

func (r *jsonRenderer) appendArray(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	dst = append(dst, '[')
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.stackDepth {
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

// appendConstant appends a struct from a constant pool: its text, if it has been
// rendered at that depth.
func (r *jsonRenderer) appendConstant(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	key := constantKey{s.field.Type(), v.Key(), depth}
	if text, ok := r.constants.texts[key]; ok {
		return append(dst, text...)
	}
	at, cut := len(dst), r.constants.cut
	if !r.constants.admit(key, at) {
		return append(dst, "null"...)
	}
	p := s.within(&r.plans, v, depth)
	dst = r.appendFields(dst, p, v)
	if p.long {
		r.constants.end()
		return dst
	}
	r.constants.done(key, dst[at:], cut)
	return dst
}
