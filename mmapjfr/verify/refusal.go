package verify

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
)

// The JDK reads all of a recording's metadata before its first event, and refuses the recording if it stumbles: at a
// number that is none, at an annotation that lacks a value, at a type without fields whose name it does not know. The
// functions below stumble where jdk.jfr.internal.MetadataReader and ParserFactory of JDK 25 do.

// refusal is where the JDK stumbles, and why.
type refusal struct {
	at       *metatree.Element
	typ, why string
}

// refuser looks for a refusal.
type refuser struct {
	types  map[int64]*metatree.Element // the last one with a number, as for the JDK
	fields map[*metatree.Element]bool  // types that have some
	notes  map[*metatree.Element]*noteType
	order  longMap   // of the numbers of types, as the JDK reads them
	units  []refusal // fields at which its jfr fails as it prints them
	found  *refusal
}

// refused returns why the JDK refuses metadata, nil if it does not, and the fields at which its jfr fails only as it
// prints them.
func refused(root *metatree.Element) (why *refusal, units []refusal) {
	r := &refuser{
		types: make(map[int64]*metatree.Element), fields: make(map[*metatree.Element]bool), notes: make(map[*metatree.Element]*noteType),
	}
	r.region(root)
	for metadata := range root.Named("metadata") {
		for e := range metadata.Named("class") {
			if id, ok := e.Number("id"); ok {
				r.types[id] = e
				r.order.put(id)
			}
			for range e.Named("field") {
				r.fields[e] = true
				break
			}
		}
		for e := range metadata.Named("class") {
			r.class(e)
		}
		break // the JDK reads the first
	}
	r.simpleInPlace()
	return r.found, r.units
}

func (r *refuser) refuse(at *metatree.Element, typ, format string, args ...any) {
	if r.found == nil {
		r.found = &refusal{at, typ, fmt.Sprintf(format, args...)}
	}
}

// region checks the zone of time, which the JDK cannot do without.
func (r *refuser) region(root *metatree.Element) {
	for e := range root.Named("region") {
		for _, name := range []string{"gmtOffset", "dst"} {
			if text, ok := e.Get(name); ok && !isInteger(text, 64) {
				r.refuse(e, "", "%s of the region is %q, which is not a number", name, text)
			}
		}
		return
	}
	r.refuse(root, "", "it has no element \"region\"")
}

// isEvent reports whether an element describes an event type.
func isEvent(e *metatree.Element) bool {
	super, _ := e.Get("superType")
	return super == jdktypes.Event
}

func (r *refuser) class(e *metatree.Element) {
	name, named := e.Get("name")
	switch {
	case !named:
		r.refuse(e, name, "a type has no name")
	case isEvent(e) && !isClassName(name):
		r.refuse(e, name, "%q is the name of an event type, but not one that a class can have in Java", name)
	}
	for s := range e.Named("setting") {
		of, _ := s.Get("name")
		if !isEvent(e) {
			r.refuse(s, name, "setting %s is not of an event type", of)
		}
		r.annotations(s, name, "setting "+of)
	}
	fields := 0
	for f := range e.Named("field") {
		fields++
		r.field(f, name)
	}
	if fields == 0 && isEvent(e) {
		r.refuse(e, name, "an event type has no fields")
	}
	r.annotations(e, name, "the type")
}

func (r *refuser) field(f *metatree.Element, typ string) {
	of, named := f.Get("name")
	if !named {
		r.refuse(f, typ, "a field has no name")
	}
	if text, ok := f.Get("dimension"); ok {
		if n, isNumber := f.Number("dimension"); !isNumber || int32(n) < 0 {
			r.refuse(f, typ, "field %s has the dimension %q", of, text)
		}
	}
	in := r.reference(f)
	r.annotations(f, typ, "field "+of)
	if _, constant := f.Get("constantPool"); in == nil || constant || r.fields[in] {
		return
	}
	if name, _ := in.Get("name"); !isPrimitive(name) {
		r.refuse(f, typ, "field %s is of %s, which has no fields and is no primitive type", of, name)
	}
}

// reference returns the type that an element refers to; nil if it is not described, which has a kind of its own.
func (r *refuser) reference(e *metatree.Element) *metatree.Element {
	if id, ok := e.Number("class"); ok {
		return r.types[id]
	}
	return nil
}

// noteType is what the values of annotations of a type must be.
type noteType struct {
	required      []string          // without which the JDK makes no annotation
	kinds, arrays map[string]string // the type of a value, or of each element, by its name
}

func (r *refuser) noteType(note *metatree.Element) *noteType {
	if known := r.notes[note]; known != nil {
		return known
	}
	t := &noteType{kinds: make(map[string]string), arrays: make(map[string]string)}
	r.notes[note] = t
	for f := range note.Named("field") {
		name, _ := f.Get("name")
		kind := ""
		if id, ok := f.Number("class"); ok && r.types[id] != nil {
			kind, _ = r.types[id].Get("name")
		}
		switch n, _ := f.Number("dimension"); {
		case n > 0:
			t.arrays[name] = kind
		case kind != "boolean":
			t.required = append(t.required, name)
			fallthrough
		default:
			t.kinds[name] = kind
		}
	}
	return t
}

// annotations checks that the values of annotations are what their types say.
func (r *refuser) annotations(of *metatree.Element, typ, what string) {
	for e := range of.Named("annotation") {
		note := r.reference(e)
		if note == nil {
			continue
		}
		t := r.noteType(note)
		texts := make(map[string]string, len(e.Attrs))
		for _, a := range e.Attrs {
			if _, again := texts[a.Name]; again {
				continue
			}
			texts[a.Name] = a.Value
			if kind, ok := t.kinds[a.Name]; ok {
				r.value(e, kind, a.Name, a.Value, typ, what)
			}
			if dash := strings.LastIndexByte(a.Name, '-'); dash > 0 {
				if kind, ok := t.arrays[a.Name[:dash]]; ok {
					r.value(e, kind, a.Name, a.Value, typ, what)
				}
			}
		}
		name, _ := note.Get("name")
		if unit, ok := texts["value"]; ok && of.Name == "field" && !jdktypes.PrintsUnit(name, unit) {
			r.units = append(r.units, refusal{e, typ, fmt.Sprintf("%s counts in %q, which is no unit of %s", what, unit, name)})
		}
		for _, name := range t.required {
			if _, ok := texts[name]; !ok {
				r.refuse(e, typ, "an annotation of %s lacks its value %s", what, name)
				break
			}
		}
	}
}

func (r *refuser) value(e *metatree.Element, kind, name, text, typ, what string) {
	fits := isPrimitive(kind)
	switch kind {
	case "byte":
		fits = isInteger(text, 8)
	case "short":
		fits = isInteger(text, 16)
	case "int":
		fits = isInteger(text, 32)
	case "long":
		fits = isInteger(text, 64)
	case "char":
		fits = len(utf16.Encode([]rune(text))) == 1
	case "float", "double":
		_, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(text), "dDfF"), 64)
		fits = err == nil || errors.Is(err, strconv.ErrRange)
	}
	if !fits {
		r.refuse(e, typ, "an annotation of %s has %s = %q, which is not of %s", what, name, text, kind)
	}
}

func isInteger(text string, bits int) bool {
	_, err := strconv.ParseInt(text, 10, bits)
	return err == nil
}

// isPrimitive reports whether the JDK knows how values of a type without fields lie.
func isPrimitive(name string) bool {
	switch name {
	case "boolean", "byte", "char", "short", "int", "long", "float", "double", jdktypes.String:
		return true
	}
	return false
}

// isClassName reports whether a class can have a name in Java, as the JDK has it.
func isClassName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || jdktypes.IsReserved(part) {
			return false
		}
		for i, c := range part {
			letter := unicode.IsLetter(c) || c == '_' || c == '$' || unicode.In(c, unicode.Nl, unicode.Sc, unicode.Pc)
			if !letter && (i == 0 || !unicode.In(c, unicode.Nd, unicode.Mn, unicode.Mc)) {
				return false
			}
		}
	}
	return true
}
