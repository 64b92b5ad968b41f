package mmapjfr

import (
	"cmp"
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Type is an event type, or the type of a field, as a chunk describes it. It is a view to be
// passed by value, comparable, and valid even after Close. The zero Type has no name and no
// fields.
type Type struct {
	typ *schema.Type
}

// IsZero reports whether t is the zero Type.
func (t Type) IsZero() bool { return t.typ == nil }

// absent is the type of the zero Type.
var absent schema.Type

func (t Type) orEmpty() *schema.Type { return cmp.Or(t.typ, &absent) }

// Name returns the full name, such as "jdk.ExecutionSample": the one by which JDK 11 and later
// know the type. Types of one name are one type, whatever recordings call them.
func (t Type) Name() string { return t.orEmpty().CurrentName() }

// recordedName returns the full name that the recording has. Recordings of JDK 9 and 10 (format
// 1.0) have com.oracle.jdk.CPULoad for jdk.CPULoad, and com.oracle.jfr.types.Method for
// jdk.types.Method; for other types it is the same as Name. It is for what shows a recording as
// it is.
func (t Type) recordedName() string { return t.orEmpty().Name }

// SimpleName returns the name without its package.
func (t Type) SimpleName() string { return simpleName(t.Name()) }

// simpleName returns a name without its package.
func simpleName(name string) string {
	wire.StepBytes(len(name))
	return name[strings.LastIndexByte(name, '.')+1:]
}

// ID returns the number that the chunk gives the type. Other chunks may give it another number.
func (t Type) ID() int64 { return int64(t.orEmpty().ID) }

// Super returns the name of the supertype; empty if the type has none.
func (t Type) Super() string { return t.orEmpty().Super }

// IsEvent reports whether t is an event type.
func (t Type) IsEvent() bool { return t.orEmpty().IsEvent() }

// isSimple reports whether values of the type only wrap the value of its one
// field. They are shown, and read, as that value.
func (t Type) isSimple() bool { return t.orEmpty().Simple }

// unwrapped returns the type that values of the type are read as: of a wrapper, such as
// jdk.types.Symbol, that of its one field, through up to 16 wrappers; and else the type
// itself.
func (t Type) unwrapped() Type {
	if u := t.orEmpty().ValueField().Unwrapped(); u != nil {
		return Type{u}
	}
	return t
}

// isPrimitive reports whether values of the type have no fields: numbers,
// booleans, characters and strings.
func (t Type) isPrimitive() bool { return t.orEmpty().Kind != schema.Struct }

// Label returns the type's name for people; empty if the metadata has none.
func (t Type) Label() string { return text(t.orEmpty().Annotations, jdktypes.Label) }

// Description returns what the type is for; empty if the metadata does not say.
func (t Type) Description() string { return text(t.orEmpty().Annotations, jdktypes.Description) }

// Category returns the path of categories of the type, outermost first; nil if the metadata
// does not say. The slice must not be changed.
func (t Type) Category() []string {
	if a := schema.FindAnnotation(t.orEmpty().Annotations, jdktypes.Category); a != nil {
		return a.Texts("value")
	}
	return nil
}

// IsExperimental reports whether the type may change or go away.
func (t Type) IsExperimental() bool {
	return schema.FindAnnotation(t.orEmpty().Annotations, jdktypes.Experimental) != nil
}

// Fields returns the fields, in the order in which they are written. It
// allocates the slice.
func (t Type) Fields() []Field {
	return views(t.orEmpty().Fields, func(f *schema.Field) Field { return Field{f} })
}

// Field returns the field of that name; false if the type has none.
func (t Type) Field(name string) (Field, bool) {
	i := t.orEmpty().Field(name)
	if i < 0 {
		return Field{}, false
	}
	return Field{&t.orEmpty().Fields[i]}, true
}

// Annotations returns what the metadata says of the type.
func (t Type) Annotations() []Annotation { return annotations(t.orEmpty().Annotations) }

// Settings returns what can be set for events of the type.
func (t Type) Settings() []Setting {
	return views(t.orEmpty().Settings, func(s *schema.Setting) Setting { return Setting{s} })
}

// Field is a field of a type. It is a view to be passed by value, comparable,
// and valid even after Close. The zero Field is no field.
type Field struct {
	f *schema.Field
}

// emptyField is the field of the zero Field.
var emptyField schema.Field

func (f Field) orEmpty() *schema.Field { return cmp.Or(f.f, &emptyField) }

// Name returns the name of the field.
func (f Field) Name() string { return f.orEmpty().Name }

// Type returns the type of the value, or of each element of an array.
func (f Field) Type() Type { return Type{f.orEmpty().Type} }

// isComputed reports whether the field is computed, and not described by the metadata; see
// computed of Type.
func (f Field) isComputed() bool { return f.orEmpty().Base() != nil }

// IsArray reports whether the field holds any number of values.
func (f Field) IsArray() bool { return f.orEmpty().Array }

// IsConstant reports whether values are kept in a constant pool.
func (f Field) IsConstant() bool { return f.orEmpty().Constant }

// IsUnsigned reports whether integers of the field have no sign.
func (f Field) IsUnsigned() bool { return f.orEmpty().Unsigned }

// Unit returns what numbers in the field count, as its annotations say.
func (f Field) Unit() Unit { return f.orEmpty().Unit }

// isRate reports whether numbers in the field are per second.
func (f Field) isRate() bool { return f.orEmpty().Rate }

// Label returns the field's name for people; empty if the metadata has none.
func (f Field) Label() string { return text(f.orEmpty().Annotations, jdktypes.Label) }

// Description returns what the field means; empty if the metadata does not say.
func (f Field) Description() string { return text(f.orEmpty().Annotations, jdktypes.Description) }

// Annotations returns what the metadata says of the field.
func (f Field) Annotations() []Annotation { return annotations(f.orEmpty().Annotations) }

// Setting is something that can be set for events of a type. The zero Setting has no name.
type Setting struct {
	s *schema.Setting
}

// emptySetting is the setting of the zero Setting.
var emptySetting schema.Setting

func (s Setting) orEmpty() *schema.Setting { return cmp.Or(s.s, &emptySetting) }

// Name returns the name of the setting, such as "threshold".
func (s Setting) Name() string { return s.orEmpty().Name }

// Default returns the default value of the setting.
func (s Setting) Default() string { return s.orEmpty().Default }

// Type returns the type that describes the setting.
func (s Setting) Type() Type { return Type{s.orEmpty().Type} }

// Annotations returns what the metadata says of the setting.
func (s Setting) Annotations() []Annotation { return annotations(s.orEmpty().Annotations) }

// Annotation is a statement about a type, a field or a setting. The zero Annotation
// says nothing.
type Annotation struct {
	a *schema.Annotation
}

// emptyAnnotation is the annotation of the zero Annotation.
var emptyAnnotation schema.Annotation

func (a Annotation) orEmpty() *schema.Annotation { return cmp.Or(a.a, &emptyAnnotation) }

// AnnotationValue is one member of an annotation: its Name, and its Text or
// Texts, as the file keeps them.
type AnnotationValue = schema.AnnotationValue

// Name returns the full name of the annotation's type, such as "jdk.jfr.Label".
func (a Annotation) Name() string { return a.orEmpty().Name() }

// Type returns the annotation's type.
func (a Annotation) Type() Type { return Type{a.orEmpty().Type} }

// Values returns the members, in the order in which the type declares them. It
// allocates the slice.
func (a Annotation) Values() []AnnotationValue { return a.orEmpty().Values() }

func annotations(list []schema.Annotation) []Annotation {
	return views(list, func(a *schema.Annotation) Annotation { return Annotation{a} })
}

// views returns a view of each element.
func views[E, V any](list []E, view func(*E) V) []V {
	all := make([]V, len(list))
	for i := range list {
		wire.Step()
		all[i] = view(&list[i])
	}
	return all
}

// text returns the value of the annotation of that type.
func text(list []schema.Annotation, name string) string {
	if a := schema.FindAnnotation(list, name); a != nil {
		return a.Text("value")
	}
	return ""
}

// Unit is what numbers count. IsTimestamp and IsTimespan report whether it is one of time.
type Unit = schema.Unit

// The units in which a file counts. [Value.Time] and [Value.Duration] convert from them.
const (
	NoUnit          = schema.NoUnit
	TimestampTicks  = schema.TimestampTicks
	TimestampMillis = schema.TimestampMillis
	TimespanTicks   = schema.TimespanTicks
	TimespanSeconds = schema.TimespanSeconds
	TimespanMillis  = schema.TimespanMillis
	TimespanMicros  = schema.TimespanMicros
	TimespanNanos   = schema.TimespanNanos
	Bytes           = schema.Bytes
	Bits            = schema.Bits
	Percentage      = schema.Percentage
	Hertz           = schema.Hertz
	Address         = schema.Address
)

// Resolve returns the field that a path ends at, for values of the type: what
// [Event.Get] and [Value.Get] read. one reports whether the path leads to one value, and not
// to a whole array. The error says why the path leads nowhere, and names the fields that there
// are.
//
// Each call resolves the path again.
func (t Type) Resolve(p *FieldPath) (f Field, one bool, err error) {
	p.check()
	w, err := walk(t.orEmpty(), p)
	if err != nil || w.field == nil {
		return Field{}, false, err
	}
	return Field{w.field}, w.elem || !w.field.Array, nil
}

// MaxWrappers bounds how many simple types inside one another stand for the innermost field.
const MaxWrappers = schema.MaxWrappers
