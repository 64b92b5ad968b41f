package print

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textShape is what text wants to know of a field.
type textShape struct {
	entity  entity
	measure measure
	rate    bool // that the data or bits are per second
	plain   bool // that the annotations do not count, as they are no content types
	place   place
	// context is what stands before the value where the event encloses another one;
	// nil unless the field is contextual.
	context []byte
}

// entity is a kind of struct that text does not write as one.
type entity uint8

const (
	someStruct entity = iota
	aThread
	aClass
	aClassLoader
	aMethod
	aFrame
	aStackTrace
	anOldObject
)

// measure is what numbers mean, as far as text writes them in a way of their own.
type measure uint8

const (
	aNumber measure = iota
	aTimespan
	aTimestamp
	aPercentage
	anAmountOfBytes
	anAmountOfBits
	anAddress
	aFrequency
)

// place is where an event's field stands in its block.
type place uint8

const (
	inOrder place = iota
	unlessZero
	threadLast
	stackLast
	leftOut
)

// textDepth is how far the fields of an event are indented.
const textDepth = 2

// dressText fills what stands before the fields, and what text wants to know. The
// depth of a plan is how far its fields are indented.
func dressText(p *plan) {
	for i := range p.fields {
		s := &p.fields[i]
		s.head = appendSpaces(s.head, p.depth)
		s.head = append(append(s.head, s.name...), " = "...)
		s.text = textShapeOf(s)
		if p.typ.IsEvent() && p.depth == textDepth {
			s.text.place = placeOf(s)
		}
		if annotated(s.field, jdktypes.Contextual) {
			name := p.typ.Name()
			name = name[strings.LastIndexByte(name, '.')+1:]
			s.text.context = []byte("  Context: " + name + "." + s.name + " = ")
		}
	}
}

func textShapeOf(s *shape) textShape {
	t := textShape{entity: entityOf(s.field), plain: true}
	percentage, address, amount := false, false, ""
	for _, a := range s.field.Annotations() {
		t.plain = t.plain && !isContentType(a.Type())
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
		t.measure = aTimespan
	case s.unit.IsTimestamp():
		t.measure = aTimestamp
	case percentage:
		t.measure = aPercentage
	case amount == "BYTES":
		t.measure = anAmountOfBytes
	case amount == "BITS":
		t.measure = anAmountOfBits
	case address:
		t.measure = anAddress
	case t.rate:
		t.measure = aFrequency
	}
	return t
}

// entityOf returns what structs in the field are. Those of the JDK's own types are
// known as such where they are constants; frames also in arrays.
func entityOf(f mmapjfr.Field) entity {
	name := f.Type().CurrentName()
	switch {
	case f.Type().Name() == jdktypes.OldObject: // by that name alone, as the JDK has it
		return anOldObject
	case name == jdktypes.StackFrame && (f.IsConstant() || f.IsArray()):
		return aFrame
	case !f.IsConstant():
		return someStruct
	}
	switch name {
	case jdktypes.Thread:
		return aThread
	case jdktypes.Class:
		return aClass
	case jdktypes.ClassLoader:
		return aClassLoader
	case jdktypes.Method:
		return aMethod
	case jdktypes.StackTrace:
		return aStackTrace
	}
	return someStruct
}

// placeOf returns where a field of an event stands. The thread and the stack trace
// come last, and only if they are what their names say.
func placeOf(s *shape) place {
	switch s.name {
	case "duration":
		return unlessZero
	case "eventThread":
		if s.text.entity == aThread && !s.field.IsArray() {
			return threadLast
		}
		return leftOut
	case "stackTrace":
		if s.text.entity == aStackTrace && !s.field.IsArray() {
			return stackLast
		}
		return leftOut
	}
	return inOrder
}

// isContentType tells whether an annotation says what a number means. Its type says
// so, in an annotation of its own.
func isContentType(t mmapjfr.Type) bool {
	for _, a := range t.Annotations() {
		if a.Name() == jdktypes.ContentType {
			return true
		}
	}
	return false
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

func annotated(f mmapjfr.Field, name string) bool {
	for _, a := range f.Annotations() {
		if a.Name() == name {
			return true
		}
	}
	return false
}
