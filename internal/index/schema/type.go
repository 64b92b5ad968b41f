package schema

import (
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// TypeID is the number that a chunk gives a type. It means nothing outside the chunk.
type TypeID int64

// The ids of the two events that are part of the format and described by no
// metadata (FORMAT.md, sections 4 and 6).
const (
	MetadataID   TypeID = 0
	CheckpointID TypeID = 1
)

// Kind is the kind of a type's values.
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

// primitives are the types that are no structs.
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

// Type is a type that a chunk's metadata describes: an event type, or the type of a field, an
// annotation or a setting (FORMAT.md, section 4.2).
type Type struct {
	// ID is the chunk's number for the type.
	ID TypeID
	// Name is the full name, such as "jdk.types.StackTrace".
	Name string
	// Super is the name of the supertype; empty if it has none.
	Super string
	// Simple reports whether the metadata says that the type only wraps its first field, as
	// jdk.types.Symbol wraps a string. Readers show the field in its place.
	Simple bool
	// Kind is the kind of the values.
	Kind Kind
	// Fields are the fields, in the order in which they are written.
	Fields []Field
	// Annotations are those of the type.
	Annotations []Annotation
	// Settings are the settings of events of the type.
	Settings []Setting

	current string
	plan    Plan
	planErr error
	ordinal int
	wraps   bool
	self    Field
	byName  map[string]int // fields; nil if they are few
}

// manyFields is of how many fields a map has the names: of few, looking at each takes less.
const manyFields = 64

// ValueField returns a field without a name that holds a value of the type. It stands for the
// field where a value was not found in a field.
func (t *Type) ValueField() *Field { return &t.self }

// IsWrapper reports whether values of the type stand for the value of its one field. Events never
// do, as in the JDK.
func (t *Type) IsWrapper() bool { return t.wraps }

// Ordinal returns the position of the type in its [TypeSet], from 0.
func (t *Type) Ordinal() int { return t.ordinal }

// IsEvent reports whether the type is an event type: it extends jdk.jfr.Event. A primitive type is
// none, even if a damaged recording says that it extends jdk.jfr.Event.
func (t *Type) IsEvent() bool { return t.Kind == Struct && t.Super == jdktypes.Event }

// Plan returns how values of the type lie in the file. The error says why they cannot be read: the
// type contains itself, or the type of a field is not described.
func (t *Type) Plan() (*Plan, error) { return &t.plan, t.planErr }

// Field returns the position of the field of that name, or -1.
func (t *Type) Field(name string) int {
	if t.byName != nil {
		wire.Step()
		if i, ok := t.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range t.Fields {
		wire.Step()
		if t.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Field is a field of a type.
type Field struct {
	// Name is the name of the field in its type.
	Name string
	// Type is the type of the value, or of each element of an array. It is nil if the
	// metadata does not describe it.
	Type *Type
	// TypeID is the number of that type.
	TypeID TypeID
	// Array reports whether the field is an array.
	Array bool
	// Constant reports whether a value is written as a key into the pool of its type.
	Constant bool
	// Unsigned reports whether integers are read without a sign.
	Unsigned bool
	// Unit is what the numbers of the field count.
	Unit Unit
	// Rate reports whether the numbers are per second, as those of a data amount that is also
	// a frequency.
	Rate bool
	// Annotations are those of the field.
	Annotations []Annotation

	slot int
	// plan is how the field's value lies in a file; elem how one element does.
	plan, elem *Plan
	// shown is the type of the value after all wrappers.
	shown *Type
	// base is the type that values are computed from, see [NewComputedField].
	base *Type
}

// Unwrapped returns the type of the value, or of an array's elements, after [Type.Wrapped] fields;
// nil if the field's type is not described.
func (f *Field) Unwrapped() *Type { return f.shown }

// IsValueField reports whether the field is that of [Type.ValueField].
func (f *Field) IsValueField() bool { return f.Type != nil && f == &f.Type.self }

// Plan returns how the value of the field lies in the file, an array if the field is one; nil if
// its type has no plan.
func (f *Field) Plan() *Plan { return f.plan }

// Elem returns how one element of the field's array lies in the file; nil if the type has no plan.
// It is the same as Plan if the field is no array.
func (f *Field) Elem() *Plan { return f.elem }

// Slot returns the position of the field among the slots of its type's [Plan]. If the field is an
// inline struct, that is the position of the first field in it.
func (f *Field) Slot() int { return f.slot }

// Setting is a setting of events of a type, such as a threshold.
type Setting struct {
	Name        string
	Default     string
	Type        *Type
	Annotations []Annotation
}

// NewComputedField returns a field that no metadata describes: its values, of that type and unit,
// are computed from a value of the type base. It has no slot and no plan.
func NewComputedField(name, label string, typ, base *Type, unit Unit) *Field {
	f := &Field{Name: name, Type: typ, Unit: unit, shown: typ, base: base}
	if label != "" {
		f.Annotations = []Annotation{{Type: labelClass, attributes: attributes{{"value", label}}}}
	}
	return f
}

// labelClass is the type of the annotation that holds labels.
var labelClass = &Type{Name: jdktypes.Label, Fields: []Field{{Name: "value"}}}

// Base returns the type that the values of the field are computed from; nil if they are recorded.
func (f *Field) Base() *Type { return f.base }

// renamed has the beginnings of names in recordings of JDK 9 and 10, and those of later ones. It is
// the one table of such names: all that knows types by today's names reads it.
var renamed = []struct{ old, current string }{
	{"com.oracle.jfr.types.", "jdk.types."},
	{"com.oracle.jdk.AllocationRequiringGc", "jdk.AllocationRequiringGC"},
	{"com.oracle.jdk.GCG1MMU", "jdk.G1MMU"},
	{"com.oracle.jdk.", "jdk."},
}

// CurrentName returns the name that JDK 11 and later give a type that is called so in a recording.
func CurrentName(name string) string {
	for _, r := range renamed {
		if rest, ok := strings.CutPrefix(name, r.old); ok {
			return r.current + rest
		}
	}
	return name
}

// CurrentName returns the name that JDK 11 and later give the type: jdk.types.Method for
// com.oracle.jfr.types.Method, and jdk.CPULoad for com.oracle.jdk.CPULoad, as JDK 9 and 10 call
// them (FORMAT.md, section 9.6). For other types it is Name.
func (t *Type) CurrentName() string {
	if t.current == "" {
		return t.Name
	}
	return t.current
}

// Unit is the unit of a field's numbers, by its annotations.
type Unit uint8

// The units. Those of time say in what the file counts; the clock of the chunk converts ticks.
const (
	NoUnit Unit = iota
	// TimestampTicks is a point in time, in ticks of the chunk's clock.
	TimestampTicks
	// TimestampMillis is a point in time, in milliseconds since 1970, UTC.
	TimestampMillis
	// The timespans.
	TimespanTicks
	TimespanSeconds
	TimespanMillis
	TimespanMicros
	TimespanNanos
	// Bytes and Bits are amounts of data.
	Bytes
	Bits
	// Percentage is a share: 1 is all of it.
	Percentage
	// Hertz is a frequency.
	Hertz
	// Address is a place in memory.
	Address
)

var unitNames = [...]string{
	NoUnit: "no unit", TimestampTicks: "ticks of the chunk's clock", TimestampMillis: "ms since 1970",
	TimespanTicks: "ticks", TimespanSeconds: "s", TimespanMillis: "ms", TimespanMicros: "us", TimespanNanos: "ns",
	Bytes: "bytes", Bits: "bits", Percentage: "share of 1", Hertz: "Hz", Address: "address",
}

// String returns the name of the unit, such as "ns".
func (u Unit) String() string {
	if int(u) >= len(unitNames) {
		return "Unit(" + strconv.Itoa(int(u)) + ")"
	}
	return unitNames[u]
}

// IsTimestamp reports whether the unit is a point in time.
func (u Unit) IsTimestamp() bool { return u == TimestampTicks || u == TimestampMillis }

// IsTimespan reports whether the unit is a length of time.
func (u Unit) IsTimespan() bool { return u >= TimespanTicks && u <= TimespanNanos }

// annotatedUnits are the units that annotations name by their value, by the types of annotations.
var annotatedUnits = map[string]map[string]Unit{
	jdktypes.Timestamp: {"TICKS": TimestampTicks, "MILLISECONDS_SINCE_EPOCH": TimestampMillis},
	jdktypes.Timespan: {"TICKS": TimespanTicks, "SECONDS": TimespanSeconds, "MILLISECONDS": TimespanMillis,
		"MICROSECONDS": TimespanMicros, "NANOSECONDS": TimespanNanos},
	jdktypes.DataAmount: {"BYTES": Bytes, "BITS": Bits},
}

// applyAnnotations sets the unit of a field from its annotations. The first unit counts; a
// frequency of an amount of data makes it a rate.
func (f *Field) applyAnnotations() {
	f.Unit, f.Rate, f.Unsigned = NoUnit, false, false
	frequency := false
	unit := func(u Unit) {
		if f.Unit == NoUnit {
			f.Unit = u
		}
	}
	for i := range f.Annotations {
		wire.Step()
		a := &f.Annotations[i]
		switch a.Name() {
		case jdktypes.Timestamp, jdktypes.Timespan, jdktypes.DataAmount:
			unit(annotatedUnits[a.Name()][a.Text("value")])
		case jdktypes.Percentage:
			unit(Percentage)
		case jdktypes.MemoryAddress:
			unit(Address)
		case jdktypes.Frequency:
			frequency = true
		case jdktypes.Unsigned:
			f.Unsigned = true
		}
	}
	if frequency {
		f.Rate = f.Unit == Bytes || f.Unit == Bits
		unit(Hertz)
	}
}

// Annotation is an annotation of a type, a field or a setting.
type Annotation struct {
	// Type is the annotation's type; nil if the metadata does not describe it.
	Type *Type
	// TypeID is the number of that type.
	TypeID TypeID

	attributes
}

// AnnotationValue is one member of an annotation. The file stores all of them as text.
type AnnotationValue struct {
	// Name is the name of the member, usually "value".
	Name string
	// Texts are the elements of an array member, or the one value.
	Texts []string
	// Array reports whether the member is an array.
	Array bool
}

// Name returns the full name of the annotation's type; empty if the metadata does not describe it.
func (a *Annotation) Name() string {
	if a.Type == nil {
		return ""
	}
	return a.Type.Name
}

// Values returns the members, in the order in which the annotation's type declares them; none if
// the metadata does not describe the type. Of members with one name the first has the value.
// Values allocates the members.
func (a *Annotation) Values() []AnnotationValue {
	if a.Type == nil {
		return nil
	}
	list := make([]AnnotationValue, len(a.Type.Fields))
	members := make(map[string]int, len(list))
	for i := range list {
		member := &a.Type.Fields[i]
		list[i] = AnnotationValue{Name: member.Name, Array: member.Array}
		wire.StepBytes(len(member.Name) + 8)
		if _, again := members[member.Name]; !again {
			members[member.Name] = i
		}
	}
	for _, attr := range a.attributes {
		wire.StepBytes(len(attr.name) + 8)
		if i, ok := members[attr.name]; ok && !list[i].Array && list[i].Texts == nil {
			list[i].Texts = []string{attr.value}
		}
		if name, ok := arrayMember(attr.name); ok {
			if i, ok := members[name]; ok && list[i].Array {
				list[i].Texts = append(list[i].Texts, attr.value)
			}
		}
	}
	return list
}

// Texts returns the elements of the array member of that name; none if there is no such member. It
// allocates the slice.
func (a *Annotation) Texts(member string) (texts []string) {
	for _, attr := range a.attributes {
		wire.StepBytes(len(attr.name) + 8)
		if name, ok := arrayMember(attr.name); ok && name == member {
			texts = append(texts, attr.value)
		}
	}
	return texts
}

// Text returns the text of the member of that name, or the first text of an array; "" if there is
// no such member.
func (a *Annotation) Text(member string) string {
	if text, ok := a.attr(member); ok {
		return text
	}
	text, _ := a.attr(member + "-0")
	return text
}

// arrayMember returns the name of the array member that an attribute is an element of: the
// elements of member are called member-0, member-1, and so on.
func arrayMember(attr string) (member string, ok bool) {
	i := strings.LastIndexByte(attr, '-')
	if i < 0 || i+1 == len(attr) || strings.Trim(attr[i+1:], "0123456789") != "" {
		return "", false
	}
	return attr[:i], true
}

// FindAnnotation returns the annotation of that type, or nil.
func FindAnnotation(annotations []Annotation, name string) *Annotation {
	for i := range annotations {
		wire.Step()
		if annotations[i].Name() == name {
			return &annotations[i]
		}
	}
	return nil
}
