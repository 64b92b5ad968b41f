package print

import (
	"strconv"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// xmlDocument is what an XML document has around its events.
var xmlDocument = document{
	begin: `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<recording xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n  <events>\n",
	end: "  </events>\n</recording>\n",
}

// xmlDepth is how far an event is indented.
const xmlDepth = 4

// xmlNil ends the tag of a value that is absent.
const xmlNil = " xsi:nil=\"true\"/>\n"

// The elements of fields.
const (
	xmlArray  = "array"
	xmlStruct = "struct"
	xmlValue  = "value"
)

// xmlRenderer writes events as jfr print --xml does, except for characters that XML
// cannot have: see appendXMLRune.
type xmlRenderer struct{ base }

func newXML(o *Options) *xmlRenderer {
	return &xmlRenderer{base{options: o, clock: clock{format: javatext.OffsetTime}, templates: newTemplates(fillXML)}}
}

// fillXML fills the tags of the fields, up to what depends on the value.
func fillXML(t *template) {
	t.open, t.tail = []byte(">\n"), []byte("</struct>\n")
	if t.event {
		t.open = append(appendXMLString([]byte(`    <event type="`), engine.TypeRecordedName(t.typ)), "\">\n"...)
		t.tail = []byte("</event>\n\n")
	}
	for i := range t.fields {
		s := &t.fields[i]
		if s.single = xmlStruct; engine.TypeIsPrimitive(s.field.Type()) || engine.TypeIsSimple(s.field.Type()) {
			s.single = xmlValue
		}
		if s.usual = s.single; s.field.IsArray() {
			s.usual = xmlArray
		}
		s.head = s.appendXMLHead(nil, s.usual)
	}
}

// appendXMLHead appends the beginning of a tag of that element, up to what depends on the value.
func (s *fieldTemplate) appendXMLHead(dst []byte, element string) []byte {
	dst = append(append(append(dst, '<'), element...), ` name="`...)
	return append(appendXMLString(dst, s.name), '"')
}

// xmlElementOf returns the element of a value. The value decides, as a type can call itself
// simple that has two fields, or whose one field is a struct or an array. The type decides
// for a value that is absent.
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
	r.enter(dst, ev)
	return r.appendFields(dst, r.templates.event(ev.Type()), ev.Value(), xmlDepth)
}

func (r *xmlRenderer) appendFields(dst []byte, t *template, v mmapjfr.Value, depth int) []byte {
	dst = append(dst, t.open...)
	i := 0
	for _, field := range v.Fields() {
		s := &t.fields[i]
		i++
		dst = appendSpaces(dst, depth+2)
		if element := xmlElementOf(field, s.usual); element == s.usual {
			dst = append(dst, s.head...)
		} else {
			dst = s.appendXMLHead(dst, element)
		}
		dst = r.appendValue(dst, s, field, depth+2)
	}
	return append(appendSpaces(dst, depth), t.tail...)
}

// appendValue appends what follows the name in the tag of a value, and the value, which is
// indented by depth.
func (r *xmlRenderer) appendValue(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, xmlNil...)
	case mmapjfr.KindArray:
		return r.appendArray(dst, s, v, depth)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v, depth)
		}
		if !r.constants.nest(dst) {
			return append(dst, xmlNil...)
		}
		defer r.constants.unnest()
		return r.appendFields(dst, s.innerOf(&r.templates, v), v, depth)
	}
	dst = append(dst, '>')
	switch {
	case v.Kind() == mmapjfr.KindString:
		dst = appendXMLString(dst, v.StrView())
	case s.unit.IsTimespan():
		dst = appendISODuration(dst, s.unit, v)
	case s.unit.IsTimestamp():
		dst = r.clock.appendISO(dst, v)
	case v.Kind() == mmapjfr.KindChar:
		dst = appendXMLRune(dst, rune(v.Int()))
	default:
		dst = appendNumber(dst, s, v)
	}
	return append(dst, "</value>\n"...)
}

// appendArray appends an array. Its size is that of the whole array, also where only a part
// of a stack trace is written.
func (r *xmlRenderer) appendArray(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	dst = append(dst, ` size="`...)
	dst = strconv.AppendInt(dst, int64(v.Len()), 10)
	dst = append(dst, "\">\n"...)
	n := 0
	for e := range v.Elements() {
		if s.frames && n == r.options.StackDepth {
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

func (r *xmlRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value, depth int) []byte {
	key := constKey{s.field.Type(), engine.ValueKey(v), depth}
	return r.constants.appendBounded(dst, key, xmlNil, func(dst []byte) ([]byte, bool) {
		t := s.innerOf(&r.templates, v)
		return r.appendFields(dst, t, v, depth), !t.long
	})
}

// xmlPlain has the bytes that stand for themselves. Ends of lines do, as in jfr's
// documents, although programs that read XML take a carriage return for a newline.
var xmlPlain = func() (plain [256]bool) {
	for c := byte(' '); c <= 0x7f; c++ {
		plain[c] = true
	}
	for _, c := range []byte("\t\n\r") {
		plain[c] = true
	}
	for c := range xmlEntities {
		plain[c] = false
	}
	return plain
}()

var xmlEntities = map[byte]string{'"': "&quot;", '&': "&amp;", '\'': "&apos;", '<': "&lt;", '>': "&gt;"}

// appendXMLString appends a string as it stands between tags, or in quotes.
func appendXMLString(dst []byte, s string) []byte {
	at := 0
	for i := 0; i < len(s); {
		if xmlPlain[s[i]] {
			i++
			continue
		}
		dst = append(dst, s[at:i]...)
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendXMLRune(dst, r)
		i += n
		at = i
	}
	return append(dst, s[at:]...)
}

// appendXMLRune appends a character. XML cannot have control characters and halves of
// surrogate pairs: they become U+FFFD. The JDK writes documents that no parser accepts for
// these, and for characters beyond U+FFFF.
func appendXMLRune(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf && xmlPlain[r]:
		return append(dst, byte(r))
	case r < ' ' || r >= 0xd800 && r < 0xe000 || r == 0xfffe || r == 0xffff:
		r = utf8.RuneError
	case r < utf8.RuneSelf:
		return append(dst, xmlEntities[byte(r)]...)
	}
	dst = append(dst, "&#"...)
	return append(strconv.AppendInt(dst, int64(r), 10), ';')
}
