package print

import (
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// xmlFrame is what an XML document has around its events.
var xmlFrame = frame{
	begin: `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<recording xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n  <events>\n",
	end: "  </events>\n</recording>\n",
}

// xmlDepth is how far an event is indented.
const xmlDepth = 4

// xmlNil is what stands in the tag of a value that is not there.
const xmlNil = " xsi:nil=\"true\"/>\n"

// The elements of fields.
const (
	xmlArray  = "array"
	xmlStruct = "struct"
	xmlValue  = "value"
)

// xmlRenderer writes events as jfr print --xml does, but for characters that XML
// does not have: see appendXMLRune.
type xmlRenderer struct {
	stackDepth int
	zone       *time.Location // nil for that of each recording
	plans      plans
	constants  bounded
	clock      isoClock
}

func newXML(o *Options) *xmlRenderer {
	return &xmlRenderer{
		stackDepth: o.StackDepth, zone: o.Zone, plans: newPlans(dressXML, xmlHead, xmlDepth),
	}
}

// dressXML fills the tags of the fields, up to what depends on the value.
func dressXML(p *plan) {
	for i := range p.fields {
		s := &p.fields[i]
		if s.single = xmlStruct; s.field.Type().IsPrimitive() || s.field.Type().IsSimple() {
			s.single = xmlValue
		}
		if s.usual = s.single; s.field.IsArray() {
			s.usual = xmlArray
		}
		s.head = s.appendXMLHead(s.head, s.usual, p.depth+2)
	}
}

// appendXMLHead appends the begin of a tag of that element, up to what depends on the value.
func (s *shape) appendXMLHead(dst []byte, element string, depth int) []byte {
	dst = append(appendSpaces(dst, depth), '<')
	dst = append(append(dst, element...), ` name="`...)
	return append(appendXMLString(dst, s.name), '"')
}

// xmlElementOf returns the name of the element that a value is. The value decides: types can
// call themselves simple that have two fields, or whose one field is a struct or an array.
// The type decides only for a value that is not there.
func xmlElementOf(v mmapjfr.Value, usual string) string {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return usual
	case mmapjfr.KindArray:
		return xmlArray
	case mmapjfr.KindStruct:
		return xmlStruct
	}
	return xmlValue
}

func (r *xmlRenderer) append(dst []byte, it *item) []byte {
	ev := it.event
	if chunk := ev.Chunk(); chunk != r.constants.chunk {
		r.constants.enter(chunk)
		r.clock.enter(zoneOf(chunk, r.zone))
	}
	r.constants.start(len(dst))
	e := r.plans.event(ev.Type())
	dst = append(dst, e.head...)
	dst = r.appendFields(dst, e.plan, ev.Value())
	return append(dst, "    </event>\n\n"...)
}

// xmlHead makes the tag of the events of a type.
func xmlHead(t mmapjfr.Type) []byte {
	head := append([]byte(nil), `    <event type="`...)
	return append(appendXMLString(head, t.Name()), "\">\n"...)
}

func (r *xmlRenderer) appendFields(dst []byte, p *plan, v mmapjfr.Value) []byte {
	i := 0
	for _, field := range v.Fields() {
		s := &p.fields[i]
		i++
		if element := xmlElementOf(field, s.usual); element == s.usual {
			dst = append(dst, s.head...)
		} else {
			dst = s.appendXMLHead(dst, element, p.depth+2)
		}
		dst = r.appendValue(dst, s, field, p.depth+2)
	}
	return dst
}

// appendValue appends what follows the name in the tag of a value, and the value,
// which is indented by so much.
func (r *xmlRenderer) appendValue(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, xmlNil...)
	case mmapjfr.KindArray:
		return r.appendArray(dst, s, v, depth)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v, depth)
		}
		return r.appendStruct(dst, s.within(&r.plans, v, depth), v)
	}
	dst = append(dst, '>')
	switch {
	case v.Kind() == mmapjfr.KindString:
		dst = appendXMLString(dst, v.StrView())
	case s.unit.IsTimespan():
		dst = appendISODuration(dst, s.unit, v)
	case s.unit.IsTimestamp():
		dst = r.clock.append(dst, v)
	default:
		dst = appendXMLNumber(dst, s, v)
	}
	return append(dst, "</value>\n"...)
}

// appendXMLNumber appends what is neither a string nor a time.
func appendXMLNumber(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case mmapjfr.KindChar:
		return appendXMLRune(dst, rune(v.Int()))
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		return javatext.AppendFloat(dst, v.Float(), floatBits(v))
	}
	if s.unsigned {
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

func (r *xmlRenderer) appendStruct(dst []byte, p *plan, v mmapjfr.Value) []byte {
	dst = append(dst, ">\n"...)
	dst = r.appendFields(dst, p, v)
	dst = appendSpaces(dst, p.depth)
	return append(dst, "</struct>\n"...)
}

// appendArray appends an array: its size is that of the whole array, also where not
// all of a stack trace is shown.
func (r *xmlRenderer) appendArray(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	dst = append(dst, ` size="`...)
	dst = strconv.AppendInt(dst, int64(v.Len()), 10)
	dst = append(dst, "\">\n"...)
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.stackDepth {
			break
		}
		dst = appendSpaces(dst, depth+2)
		dst = append(append(dst, '<'), xmlElementOf(e, s.single)...)
		dst = append(dst, ` index="`...)
		dst = append(strconv.AppendInt(dst, int64(n), 10), '"')
		dst = r.appendValue(dst, s, e, depth+2)
		n++
	}
	dst = appendSpaces(dst, depth)
	return append(dst, "</array>\n"...)
}

// appendConstant appends a struct from a constant pool: its text, if it has been
// rendered at that depth.
func (r *xmlRenderer) appendConstant(dst []byte, s *shape, v mmapjfr.Value, depth int) []byte {
	key := constantKey{s.field.Type(), v.Key(), depth}
	if text, ok := r.constants.texts[key]; ok {
		return append(dst, text...)
	}
	at, cut := len(dst), r.constants.cut
	if !r.constants.admit(key, at) {
		return append(dst, xmlNil...)
	}
	p := s.within(&r.plans, v, depth)
	dst = r.appendStruct(dst, p, v)
	if p.long {
		r.constants.end()
		return dst
	}
	r.constants.done(key, dst[at:], cut)
	return dst
}
