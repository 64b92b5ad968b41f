package schema

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// TypeID is the number a chunk gives a class. It means nothing outside the
// chunk's metadata.
type TypeID int64

// The ids of the two events that are part of the format and described by no
// metadata (FORMAT.md, sections 4 and 6).
const (
	MetadataID   TypeID = 0
	CheckpointID TypeID = 1
)

// Kind is what the values of a class are made of.
type Kind uint8

// The kinds. All but Struct are primitive: the format itself says how their
// values are written (FORMAT.md, section 5.3).
const (
	Struct Kind = iota
	Bool
	Byte
	Char
	Short
	Int
	Long
	Float
	Double
	String
)

// primitives names the classes that are no structs.
var primitives = map[string]Kind{
	"boolean":       Bool,
	"byte":          Byte,
	"char":          Char,
	"short":         Short,
	"int":           Int,
	"long":          Long,
	"float":         Float,
	"double":        Double,
	jdktypes.String: String,
}

// Type is a type that a chunk's metadata describes: an event type, the type of
// a field, an annotation or a setting (FORMAT.md, section 4.2).
type Type struct {
	// ID is the chunk's number for the class.
	ID TypeID
	// Name is the full name, such as "jdk.types.StackTrace".
	Name string
	// Super is the name of the supertype; empty if there is none.
	Super string
	// Simple tells whether the class only wraps its one field, as
	// jdk.types.Symbol wraps a string. Readers show the field in its place.
	Simple bool
	// Kind is what the values are made of.
	Kind Kind
	// Fields are the fields, in the order in which they are written.
	Fields []Field
	// Annotations are what the metadata says of the class.
	Annotations []Annotation
	// Settings are what can be set for events of the class.
	Settings []Setting

	current string
	plan    Plan
	planErr error
	ordinal int
	wraps   bool
	self    Field
}

// ValueField returns a field without a name that holds a value of the class: where a
// value was found that was not found in a field.
func (c *Type) ValueField() *Field { return &c.self }

// IsWrapper reports whether values of the class stand for the value of its one field.
// Events never do, as in the JDK.
func (c *Type) IsWrapper() bool { return c.wraps }

// Ordinal returns the position of the class in its [TypeSet], from 0.
func (c *Type) Ordinal() int { return c.ordinal }

// IsEvent reports whether the class is an event type: it extends jdk.jfr.Event, and is no
// primitive class, which only a damaged recording makes extend anything.
func (c *Type) IsEvent() bool { return c.Kind == Struct && c.Super == jdktypes.Event }

// Plan returns how values of the class are laid out. The error says why they
// cannot be: the class contains itself, or a field's class is not described.
func (c *Type) Plan() (*Plan, error) { return &c.plan, c.planErr }

// Field returns the position of the field of that name, or -1.
func (c *Type) Field(name string) int {
	for i := range c.Fields {
		wire.Step()
		if c.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Field is a field of a class.
type Field struct {
	// Name is the name the field has in its class.
	Name string
	// Class is the class of the value, or of each element of an array. It is nil
	// if the metadata does not describe it.
	Type *Type
	// TypeID is the number of that class.
	TypeID TypeID
	// Array tells whether the field holds any number of values.
	Array bool
	// Constant tells whether a value is written as a key into the pool of its
	// class.
	Constant bool
	// Unsigned tells whether integers are to be read without a sign.
	Unsigned bool
	// Unit is what the numbers of the field count.
	Unit Unit
	// Rate tells whether the numbers are per second, as those of a field that is
	// both a data amount and a frequency.
	Rate bool
	// Annotations are what the metadata says of the field.
	Annotations []Annotation

	slot int
	// plan is how the field's value lies in a file; elem how one element does.
	plan, elem *Plan
	// shown is the class of the value once wrappers have been looked through.
	shown *Type
	// base is the class that values are computed from, see [NewComputedField].
	base *Type
}

// Unwrapped returns the class of the value, or of an array's elements, once classes
// that wrap their one field have been looked through; nil if the field's class is
// not described.
func (f *Field) Unwrapped() *Type { return f.shown }

// IsValueField tells whether the field is the one of [Type.ValueField].
func (f *Field) IsValueField() bool { return f.Type != nil && f == &f.Type.self }

// Plan returns how the value of the field, an array if it is one, lies in a
// file; nil if its class has no plan.
func (f *Field) Plan() *Plan { return f.plan }

// Elem returns how one element of the field's array lies in a file; nil if the
// class has no plan. If the field is no array it is the same as Plan.
func (f *Field) Elem() *Plan { return f.elem }

// Slot returns the position of the field, or of the first field inside it if it
// is an inline struct, among the slots of its class's [Plan].
func (f *Field) Slot() int { return f.slot }

// Setting is something that can be set for events of a class.
type Setting struct {
	Name        string
	Default     string
	Type        *Type
	Annotations []Annotation
}

// NewComputedField returns a field that no metadata describes: its values, of that class and unit,
// are computed from a value of the class base. It has no slot and no plan.
func NewComputedField(name, label string, class, base *Type, unit Unit) *Field {
	f := &Field{Name: name, Type: class, Unit: unit, shown: class, base: base}
	if label != "" {
		f.Annotations = []Annotation{{Type: labelClass, attrs: []attribute{{"value", label}}}}
	}
	return f
}

// labelClass is the type of the annotation that labels are in.
var labelClass = &Type{Name: jdktypes.Label, Fields: []Field{{Name: "value"}}}

// Base returns the class that the values of a field are computed from; nil if they are
// recorded.
func (f *Field) Base() *Type { return f.base }

// renamed is how names begin that JDK 9 and 10 give to classes, and how they begin in
// recordings of later ones.
var renamed = []struct{ old, current string }{
	{"com.oracle.jfr.types.", "jdk.types."},
	{"com.oracle.jdk.AllocationRequiringGc", "jdk.AllocationRequiringGC"},
	{"com.oracle.jdk.GCG1MMU", "jdk.G1MMU"},
	{"com.oracle.jdk.", "jdk."},
}

// currentName returns the name that JDK 11 and later give a class.
func currentName(name string) string {
	for _, r := range renamed {
		if rest, ok := strings.CutPrefix(name, r.old); ok {
			return r.current + rest
		}
	}
	return name
}

// CurrentName returns the name that JDK 11 and later give the class: jdk.types.Method for
// com.oracle.jfr.types.Method, and jdk.CPULoad for com.oracle.jdk.CPULoad, as JDK 9 and 10
// call them (FORMAT.md, section 9.6). For other classes it is Name.
func (c *Type) CurrentName() string {
	if c.current == "" {
		return c.Name
	}
	return c.current
}
