package print

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textStyle is how text writes a field.
type textStyle struct {
	entity   string       // the type of structs that text writes in a way of its own
	measure  mmapjfr.Unit // what a number means, if text writes it in a way of its own
	rate     bool         // the bytes or bits are per second
	plain    bool         // the measure does not count, as the annotations are no content types
	position position
	// context is what precedes the value in an event that this event encloses; nil
	// unless the field is contextual.
	context []byte
}

// position is where a field of an event stands in its block.
type position uint8

const (
	inOrder position = iota
	unlessZero
	threadLast
	stackLast
	omitted
)

// textDepth is how far the fields of an event are indented.
const textDepth = 2

// fillText fills the names of the fields, and their styles.
func fillText(t *template) {
	t.open = []byte(engine.TypeRecordedName(t.typ) + " {\n")
	for i := range t.fields {
		s := &t.fields[i]
		s.head = []byte(s.name + " = ")
		s.text = textStyleOf(s)
		if t.typ.IsEvent() && t.event {
			s.text.position = positionOf(s)
		}
		if annotated(s.field.Annotations(), jdktypes.Contextual) {
			name := engine.TypeRecordedName(t.typ)
			name = name[strings.LastIndexByte(name, '.')+1:]
			s.text.context = []byte("  Context: " + name + "." + s.name + " = ")
		}
	}
}

func textStyleOf(s *fieldTemplate) textStyle {
	t := textStyle{entity: entityOf(s.field), plain: true}
	percentage, address, amount := false, false, ""
	for _, a := range s.field.Annotations() {
		// Annotations of such a type say what a number means.
		t.plain = t.plain && !annotated(a.Type().Annotations(), jdktypes.ContentType)
		switch a.Name() {
		case jdktypes.Percentage:
			percentage = true
		case jdktypes.MemoryAddress:
			address = true
		case jdktypes.Frequency:
			t.rate = true
		case jdktypes.DataAmount:
			amount = unitOf(a)
		}
	}
	switch {
	case s.unit.IsTimespan() || s.unit.IsTimestamp():
		t.measure = s.unit
	case percentage:
		t.measure = mmapjfr.Percentage
	case amount == "BYTES":
		t.measure = mmapjfr.Bytes
	case amount == "BITS":
		t.measure = mmapjfr.Bits
	case address:
		t.measure = mmapjfr.Address
	case t.rate:
		t.measure = mmapjfr.Hertz
	}
	return t
}

// entityOf returns the name of the type of structs in the field, if text writes them in a way of
// its own; else "". As in the JDK, only constants are more than structs, and stack frames in arrays.
func entityOf(f mmapjfr.Field) string {
	if engine.TypeRecordedName(f.Type()) == jdktypes.OldObject { // not its older name, as in the JDK
		return jdktypes.OldObject
	}
	switch name := f.Type().Name(); name {
	case jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackTrace:
		if f.IsConstant() {
			return name
		}
	case jdktypes.StackFrame:
		if f.IsConstant() || f.IsArray() {
			return name
		}
	}
	return ""
}

// positionOf returns where a field of an event stands. The thread and the stack trace
// come last, and only if they have the types that their names say. They need not be constants,
// though the JDK fails at others.
func positionOf(s *fieldTemplate) position {
	last, wanted := threadLast, jdktypes.Thread
	switch s.name {
	case "duration":
		return unlessZero
	case "eventThread":
	case "stackTrace":
		last, wanted = stackLast, jdktypes.StackTrace
	default:
		return inOrder
	}
	if s.field.IsArray() || s.field.Type().Name() != wanted {
		return omitted
	}
	s.text.entity = wanted
	return last
}

// unitOf returns the unit that an annotation names.
func unitOf(a mmapjfr.Annotation) string {
	for _, v := range a.Values() {
		if v.Name == "value" && len(v.Texts) == 1 {
			return v.Texts[0]
		}
	}
	return ""
}

func annotated(list []mmapjfr.Annotation, name string) bool {
	return slices.ContainsFunc(list, func(a mmapjfr.Annotation) bool { return a.Name() == name })
}
