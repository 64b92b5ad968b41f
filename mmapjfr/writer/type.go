package writer

import (
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
)

// Type describes a type to [Writer.Define] or [Writer.DefineEvent].
type Type struct {
	// Name is the full name, such as "app.Request". It has no spaces.
	Name string
	// Simple makes the type a wrapper: readers show its only field in its place. Fields of such a
	// type must be constants.
	Simple bool
	// Fields are in the order in which values are written. Those of an event type begin with
	// [StartTimeField]; a field called duration can only be the second.
	Fields      []Field
	Annotations []Annotation
	super       string // empty for types of values
	// values are constants of a type whose only field is a string. The first one has the key 0,
	// which stands for null in other types. Tools know those of some types of the JDK by key.
	values []string
}

// Field describes a field of a type.
type Field struct {
	Name string
	// Type is the name of a type that is defined: "boolean", "byte", "char", "short", "int", "long",
	// "float", "double", "java.lang.String", types of the JDK such as "java.lang.Thread", or a type
	// of the program.
	Type string
	// Array makes the field an array. The JDK's jfr prints arrays as JSON and XML only: in text it fails
	// at all but empty ones. It fails always at arrays with a null among structs, of threads and
	// classes, and with annotations for times or Unsigned. JDK Mission Control shows no arrays.
	Array bool
	// Constant writes equal values once in a chunk, and a key in their place.
	Constant bool
	// Pooled does the same for texts, whose type is java.lang.String.
	Pooled      bool
	Annotations []Annotation
}

// Annotation describes an annotation of a type or a field.
type Annotation struct {
	typ     string
	members []member // elements of an array are called value-0, value-1 and so on
}

type member struct{ name, value string }

// Annotate returns an annotation of a type of the JDK, such as "jdk.jfr.Contextual", with a member
// called value, or without members.
func Annotate(typ string, value ...string) Annotation {
	a := Annotation{typ: typ}
	for _, v := range value {
		a.members = append(a.members, member{"value", v})
	}
	return a
}

// Label returns an annotation with the name that people read.
func Label(text string) Annotation { return Annotate(jdktypes.Label, text) }

// Description returns an annotation with a sentence or two.
func Description(text string) Annotation { return Annotate(jdktypes.Description, text) }

// Category returns an annotation with the place of an event type in the tree of all, from the root.
func Category(path ...string) Annotation {
	a := Annotation{typ: jdktypes.Category}
	for i, p := range path {
		a.members = append(a.members, member{"value-" + strconv.Itoa(i), p})
	}
	return a
}

// Units of times in annotations.
const (
	ticks      = "TICKS"
	sinceEpoch = "MILLISECONDS_SINCE_EPOCH"
)

// Timestamp returns an annotation that makes a number a time: in milliseconds since 1970 for
// [time.Millisecond], and in ticks of the recording for all other units.
func Timestamp(unit time.Duration) Annotation {
	if unit == time.Millisecond {
		return Annotate(jdktypes.Timestamp, sinceEpoch)
	}
	return Annotate(jdktypes.Timestamp, ticks)
}

// Timespan returns an annotation that makes a number a length of time: in [time.Nanosecond],
// [time.Microsecond], [time.Millisecond] or [time.Second], and in ticks of the recording for all
// other units.
func Timespan(unit time.Duration) Annotation {
	name := ticks
	switch unit {
	case time.Nanosecond:
		name = "NANOSECONDS"
	case time.Microsecond:
		name = "MICROSECONDS"
	case time.Millisecond:
		name = "MILLISECONDS"
	case time.Second:
		name = "SECONDS"
	}
	return Annotate(jdktypes.Timespan, name)
}

// DataAmount returns an annotation that makes a number an amount of bytes.
func DataAmount() Annotation { return Annotate(jdktypes.DataAmount, "BYTES") }

// Unsigned returns an annotation that gives a number no sign.
func Unsigned() Annotation { return Annotate(jdktypes.Unsigned) }

// StartTimeField returns the field with which every event type begins.
func StartTimeField() Field {
	return Field{Name: "startTime", Type: "long", Annotations: []Annotation{Label("Start Time"), Timestamp(0)}}
}

// DurationField returns the field that says how long an event lasted, always the second.
func DurationField() Field {
	return Field{Name: "duration", Type: "long", Annotations: []Annotation{Label("Duration"), Timespan(0)}}
}

// ThreadField returns the field with the thread of an event, as readers look for it.
func ThreadField() Field {
	return Field{Name: "eventThread", Type: jdktypes.Thread, Constant: true, Annotations: []Annotation{Label("Event Thread")}}
}

// StackTraceField returns the field with the stack trace of an event, as readers look for it.
func StackTraceField() Field {
	return Field{Name: "stackTrace", Type: jdktypes.StackTrace, Constant: true, Annotations: []Annotation{Label("Stack Trace")}}
}

// member returns a member of an annotation.
func (a *Annotation) member(name string) string {
	for _, m := range a.members {
		if m.name == name {
			return m.value
		}
	}
	return ""
}

// element adds what the metadata says of a field to the element of its type.
func (f *Field) element(parent *metatree.Element, id int64) *metatree.Element {
	e := parent.Add("field").Set("name", f.Name).Set("class", strconv.FormatInt(id, 10))
	if f.Array {
		e.Set("dimension", "1")
	}
	if f.Constant {
		e.Set("constantPool", "true")
	}
	return e
}
