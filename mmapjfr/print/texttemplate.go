package print

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textStyle is how text writes a field.
type textStyle struct {
	entity   entity
	measure  measure
	rate     bool // the bytes or bits are per second
	plain    bool // the measure does not count, as the annotations are no content types
	position position
	// context is what precedes the value in an event that this event encloses; nil
	// unless the field is contextual.
	context []byte
}

// entity is a kind of struct that text writes in a way of its own.
type entity uint8

const (
	entityStruct entity = iota
	entityThread
	entityClass
	entityClassLoader
	entityMethod
	entityFrame
	entityStackTrace
	entityOldObject
)

// measure is what a number means, if text writes it in a way of its own.
type measure uint8

const (
	measureNumber measure = iota
	measureTimespan
	measureTimestamp
	measurePercentage
	measureBytes
	measureBits
	measureAddress
	measureFrequency
)

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

// fillText fills what stands before the fields, and their styles. The depth of a template
// is how far its fields are indented.
func fillText(t *template) {
	for i := range t.fields {
		s := &t.fields[i]
		s.head = appendSpaces(s.head, t.depth)
		s.head = append(append(s.head, s.name...), " = "...)
		s.text = textStyleOf(s)
		if t.typ.IsEvent() && t.depth == textDepth {
			s.text.position = positionOf(s)
		}
		if annotated(s.field.Annotations(), jdktypes.Contextual) {
			name := t.typ.Name()
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
	case s.unit.IsTimespan():
		t.measure = measureTimespan
	case s.unit.IsTimestamp():
		t.measure = measureTimestamp
	case percentage:
		t.measure = measurePercentage
	case amount == "BYTES":
		t.measure = measureBytes
	case amount == "BITS":
		t.measure = measureBits
	case address:
		t.measure = measureAddress
	case t.rate:
		t.measure = measureFrequency
	}
	return t
}

// entityOf returns what structs in the field are. As in the JDK, only constants are more
// than structs, and stack frames in arrays.
func entityOf(f mmapjfr.Field) entity {
	name := f.Type().CurrentName()
	switch {
	case f.Type().Name() == jdktypes.OldObject: // not its older name, as in the JDK
		return entityOldObject
	case name == jdktypes.StackFrame && (f.IsConstant() || f.IsArray()):
		return entityFrame
	case !f.IsConstant():
		return entityStruct
	}
	switch name {
	case jdktypes.Thread:
		return entityThread
	case jdktypes.Class:
		return entityClass
	case jdktypes.ClassLoader:
		return entityClassLoader
	case jdktypes.Method:
		return entityMethod
	case jdktypes.StackTrace:
		return entityStackTrace
	}
	return entityStruct
}

// positionOf returns where a field of an event stands. The thread and the stack trace
// come last, and only if they have the types that their names say.
func positionOf(s *fieldTemplate) position {
	switch s.name {
	case "duration":
		return unlessZero
	case "eventThread":
		if s.text.entity == entityThread && !s.field.IsArray() {
			return threadLast
		}
		return omitted
	case "stackTrace":
		if s.text.entity == entityStackTrace && !s.field.IsArray() {
			return stackLast
		}
		return omitted
	}
	return inOrder
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
