package print_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// naive writes the events of a chunk as the JDK's writers do, line by line as their
// source has it, of what the slow decoder reads. It knows strings, chars, ints, booleans,
// structs, arrays, constants and startTime: what [jfrtest.NastyEvents] has.
type naive struct {
	strings.Builder
	chunk  *jfrtest.Chunk
	indent int
}

func (n *naive) line()                        { n.WriteString("\n") }
func (n *naive) space()                       { n.WriteString(strings.Repeat(" ", n.indent)) }
func (n *naive) put(format string, as ...any) { fmt.Fprintf(n, format, as...) }

// simple returns the value, or the one inside where its class is simple.
func (n *naive) simple(v any) any {
	v = n.chunk.Resolve(v)
	if s, ok := v.(*jfrtest.Struct); ok && s.Class.SimpleType {
		return n.simple(s.Fields[0].Value)
	}
	return v
}

// isNull reports whether there is no value.
func isNull(v any) bool {
	switch v.(type) {
	case jfrtest.Null, jfrtest.Missing:
		return true
	}
	return false
}

// text returns a value that is no struct as Java's String.valueOf does, by code units.
func (n *naive) text(name string, v any) []uint16 {
	switch v := v.(type) {
	case jfrtest.Units:
		return v
	case uint16:
		return []uint16{v}
	case int64:
		if name == "startTime" {
			return utf16.Encode([]rune(n.time(v).Format("2006-01-02T15:04:05.000000000Z")))
		}
	}
	return utf16.Encode([]rune(fmt.Sprint(v)))
}

func (n *naive) time(ticks int64) time.Time {
	h := n.chunk.Header
	return time.Unix(0, h.StartNanos+ticks-h.StartTicks).UTC()
}

// JSON

func (n *naive) json() string {
	n.put("{\n  \"recording\": {\n    \"events\": [")
	n.indent = 4
	for i, ev := range n.chunk.Events {
		if i > 0 {
			n.put(", ")
		}
		n.put("{\n      \"type\": ")
		n.jsonText(utf16.Encode([]rune(ev.TypeName)))
		n.put(", \n      \"values\": ")
		n.indent = 6
		n.jsonObject(ev.Fields)
		n.put("\n    }")
	}
	n.put("]\n  }\n}")
	return n.String()
}

func (n *naive) jsonObject(fields []jfrtest.Value) {
	n.put("{\n")
	n.indent += 2
	for i, f := range fields {
		if i > 0 {
			n.put(", \n")
		}
		n.space()
		n.jsonText(utf16.Encode([]rune(f.Name)))
		n.put(": ")
		n.jsonValue(f.Name, f.Value)
	}
	n.indent -= 2
	n.line()
	n.space()
	n.put("}")
}

func (n *naive) jsonValue(name string, v any) {
	switch v := n.simple(v).(type) {
	case jfrtest.Null, jfrtest.Missing:
		n.put("null")
	case *jfrtest.Struct:
		n.jsonObject(v.Fields)
	case []any:
		n.put("[")
		for i, e := range v {
			if i > 0 {
				n.put(", ")
			}
			n.jsonValue(name, e)
		}
		n.put("]")
	case bool, int32:
		n.put("%v", v)
	case int64:
		if name == "startTime" {
			n.jsonText(n.text(name, v))
			return
		}
		n.put("%d", v)
	default:
		n.jsonText(n.text(name, v))
	}
}

func (n *naive) jsonText(units []uint16) {
	n.put(`"`)
	for _, c := range units {
		switch {
		case c == '\b':
			n.put(`\b`)
		case c == '\n':
			n.put(`\n`)
		case c == '\t':
			n.put(`\t`)
		case c == '\f':
			n.put(`\f`)
		case c == '\r':
			n.put(`\r`)
		case c == '"' || c == '\\' || c == '/':
			n.put(`\%c`, c)
		case c > 0x7f || c < 32:
			n.put(`\u%04x`, c)
		default:
			n.WriteByte(byte(c))
		}
	}
	n.put(`"`)
}

// XML, with U+FFFD for what XML does not have.

func (n *naive) xml() string {
	n.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<recording xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n  <events>\n")
	for _, ev := range n.chunk.Events {
		n.put("    <event type=\"")
		n.xmlText(utf16.Encode([]rune(ev.TypeName)))
		n.put("\">\n")
		n.indent = 6
		for i, f := range n.chunk.Classes[ev.TypeID].Fields {
			n.xmlValue(f, -1, ev.Fields[i].Value)
		}
		n.put("    </event>\n\n")
	}
	n.put("  </events>\n</recording>\n")
	return n.String()
}

func (n *naive) xmlValue(f jfrtest.Field, index int, v any) {
	v = n.simple(v)
	class := n.chunk.Classes[f.ClassID]
	element := "value"
	if f.Dimension > 0 && index < 0 {
		element = "array"
	} else if len(class.Fields) > 0 && !class.SimpleType {
		element = "struct"
	}
	n.space()
	n.put("<%s", element)
	if index < 0 {
		n.put(" name=\"")
		n.xmlText(utf16.Encode([]rune(f.Name)))
		n.put("\"")
	} else {
		n.put(" index=\"%d\"", index)
	}
	if isNull(v) {
		n.put(" xsi:nil=\"true\"/>\n")
		return
	}
	n.indent += 2
	switch v := v.(type) {
	case *jfrtest.Struct:
		n.put(">\n")
		for i, inner := range v.Fields {
			n.xmlValue(v.Class.Fields[i], -1, inner.Value)
		}
	case []any:
		n.put(" size=\"%d\">\n", len(v))
		for i, e := range v {
			n.xmlValue(f, i, e)
		}
	default:
		n.put(">")
		n.xmlText(n.text(f.Name, v))
	}
	n.indent -= 2
	if element != "value" {
		n.space()
	}
	n.put("</%s>\n", element)
}

func (n *naive) xmlText(units []uint16) {
	for _, r := range utf16.Decode(units) {
		switch {
		case strings.ContainsRune(`"&'<>`, r):
			n.put("&%s;", map[rune]string{'"': "quot", '&': "amp", '\'': "apos", '<': "lt", '>': "gt"}[r])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff:
			n.put("&#65533;")
		case r > 0x7f:
			n.put("&#%d;", r)
		default:
			n.WriteRune(r)
		}
	}
}

// Text

func (n *naive) pretty() string {
	for _, ev := range n.chunk.Events {
		n.put("%s {\n", ev.TypeName)
		n.indent = 2
		for _, f := range ev.Fields {
			if f.Name != "eventThread" && f.Name != "stackTrace" {
				n.prettyField(f)
			}
		}
		if v := n.simple(ev.Field("eventThread")); v != nil && !isNull(v) {
			n.put("  eventThread = ")
			n.prettyValue("", v)
		}
		if s, ok := n.simple(ev.Field("stackTrace")).(*jfrtest.Struct); ok {
			n.put("  stackTrace = [\n")
			for _, f := range s.Field("frames").([]any) {
				frame := f.(*jfrtest.Struct)
				n.put("    %s", n.method(n.simple(frame.Field("method")).(*jfrtest.Struct)))
				if at := frame.Field("lineNumber").(int32); at >= 0 {
					n.put(" line: %d", at)
				}
				n.line()
			}
			if s.Field("truncated") == true {
				n.put("    ...\n")
			}
			n.put("  ]\n")
		}
		n.put("}\n\n")
	}
	return n.String()
}

func (n *naive) prettyField(f jfrtest.Value) {
	n.space()
	n.put("%s = ", f.Name)
	n.prettyValue(f.Name, n.simple(f.Value))
}

func (n *naive) prettyValue(name string, v any) {
	switch v := v.(type) {
	case jfrtest.Null, jfrtest.Missing:
		n.put("N/A")
	case jfrtest.Units:
		n.put("\"%s\"", javaText(v))
	case uint16:
		n.WriteString(javaText([]uint16{v}))
	case int64:
		if name == "startTime" {
			n.WriteString(n.time(v).Format("15:04:05.000 (2006-01-02)"))
		} else {
			n.put("%d", v)
		}
	case *jfrtest.Struct:
		n.prettyStruct(v)
	default:
		n.put("%v", v)
	}
	n.line()
}

func (n *naive) prettyStruct(s *jfrtest.Struct) {
	switch s.Class.Name {
	case "java.lang.Thread":
		if id := s.Field("javaThreadId").(int64); id > 0 {
			n.put("\"%s\" (javaThreadId = %d", n.of(s, "javaName"), id)
			if s.Field("virtual") == true {
				n.put(", virtual")
			}
			n.put(")")
			return
		}
		id := s.Field("osThreadId").(int64)
		if s.Field("virtual") == true {
			id = -1
		}
		n.put("\"%s\" (osThreadId = %d)", n.of(s, "osName"), id)
	case "java.lang.Class":
		loader, _ := n.simple(s.Field("classLoader")).(*jfrtest.Struct)
		name := "null"
		if loader != nil && !isNull(n.simple(loader.Field("name"))) {
			name = n.of(loader, "name")
		} else if loader != nil {
			name = n.class(loader.Field("type"))
		}
		n.put("%s (classLoader = %s)", n.class(s), name)
	case "jdk.types.ClassLoader":
		key := int64(0)
		for k, v := range n.chunk.Pools[s.Class.ID] {
			if v == any(s) {
				key = k
			}
		}
		n.put("%s (id = %d)", n.class(s.Field("type")), key)
	case "jdk.types.Method":
		n.WriteString(n.method(s))
	default:
		n.put("{\n")
		n.indent += 2
		for _, f := range s.Fields {
			n.prettyField(f)
		}
		n.indent -= 2
		n.space()
		n.put("}")
	}
}

// of returns the text of a field.
func (n *naive) of(s *jfrtest.Struct, field string) string {
	units, ok := n.simple(s.Field(field)).(jfrtest.Units)
	if !ok {
		return "null"
	}
	return javaText(units)
}

func (n *naive) class(v any) string {
	return strings.ReplaceAll(n.of(n.simple(v).(*jfrtest.Struct), "name"), "/", ".")
}

// method returns the text of a method whose parameters are an int, a class and an array
// of longs.
func (n *naive) method(s *jfrtest.Struct) string {
	parameter := strings.ReplaceAll(n.of(s, "descriptor"), "/", ".")
	parameter = strings.TrimSuffix(strings.TrimPrefix(parameter, "(IL"), ";[J)V")
	return n.class(s.Field("type")) + "." + n.of(s, "name") + "(int, " + parameter[strings.LastIndexByte(parameter, '.')+1:] + ", long[])"
}

// javaText encodes as Java's UTF-8 encoder does: unpaired surrogates become ?.
func javaText(units []uint16) string {
	var b strings.Builder
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			if i+1 < len(units) && utf16.DecodeRune(r, rune(units[i+1])) != '\ufffd' {
				r = utf16.DecodeRune(r, rune(units[i+1]))
				i++
			} else {
				r = '?'
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unquoted are the cells and strings that lines and rows are to have when they are read
// again: texts with U+FFFD for what has no character.
func unquoted(v any) any {
	switch v := v.(type) {
	case jfrtest.Units:
		return v.String()
	case uint16:
		return string(utf16.Decode([]uint16{v}))
	case int32:
		return strconv.Itoa(int(v))
	}
	return nil
}
