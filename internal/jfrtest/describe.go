package jfrtest

// Class describes a class of a chunk's metadata. The builder takes it as input
// and reads its fields only when the chunk is built, so a test may change them
// until then; the decoder gives it as output.
type Class struct {
	// ID is the number that events, pools and fields know the class by.
	ID int64
	// Name is the Java name, such as "java.lang.Thread".
	Name string
	// SuperType is the name of the super class; "" for a class without one.
	SuperType string
	// SimpleType says that readers show the class's only field in its place.
	SimpleType bool
	// Fields are in the order of their bytes.
	Fields []Field
	// Annotations are those on the class itself.
	Annotations []Annotation
	// Settings are the settings an event class declares.
	Settings []Setting
}

// IsEvent says whether the class is an event type.
func (c *Class) IsEvent() bool { return c.SuperType == EventSuperType }

// Annotate adds annotations to the class and returns the class.
func (c *Class) Annotate(as ...Annotation) *Class {
	c.Annotations = append(c.Annotations, as...)
	return c
}

// Simple marks the class as a simple type and returns the class.
func (c *Class) Simple() *Class {
	c.SimpleType = true
	return c
}

// Field describes a field of a class.
type Field struct {
	// Name is the field's name.
	Name string
	// Class is the name of the field's class.
	Class string
	// ClassID, where it is not 0, is written instead of the id of the class named
	// Class: for two classes of one name, or for ids that nobody defined.
	ClassID int64
	// ConstantPool says that the value is a key of the class's pool.
	ConstantPool bool
	// Dimension is 1 for arrays; the formats in use know no other value but 0.
	Dimension int
	// Annotations are those on the field.
	Annotations []Annotation
}

// Of returns a field whose value is written in place.
func Of(name, class string) Field { return Field{Name: name, Class: class} }

// Const returns a field whose value is a key of the class's constant pool.
func Const(name, class string) Field {
	return Field{Name: name, Class: class, ConstantPool: true}
}

// Array returns the field as an array of what it was.
func (f Field) Array() Field {
	f.Dimension = 1
	return f
}

// With returns the field with more annotations.
func (f Field) With(as ...Annotation) Field {
	f.Annotations = append(f.Annotations[:len(f.Annotations):len(f.Annotations)], as...)
	return f
}

// Annotation is a use of an annotation class.
type Annotation struct {
	// Class is the name of the annotation class.
	Class string
	// ClassID, where it is not 0, is written instead of the id of the class named Class.
	ClassID int64
	// Values are the annotation's values, all of them texts; the elements of an
	// array are named "name-0", "name-1" and so on.
	Values []Attribute
}

// Attribute is a named text of a metadata element.
type Attribute struct{ Name, Value string }

// Note returns an annotation whose only value, "value", is a text.
func Note(class, value string) Annotation {
	return Annotation{Class: class, Values: []Attribute{{"value", value}}}
}

// Mark returns an annotation without values.
func Mark(class string) Annotation { return Annotation{Class: class} }

// Setting is a setting that an event class declares.
type Setting struct {
	// Name is the setting's name, such as "threshold".
	Name string
	// Class is the name of the setting's class.
	Class string
	// ClassID, where it is not 0, is written instead of the id of the class named Class.
	ClassID int64
	// Default is the setting's default value.
	Default string
	// Annotations are those on the setting.
	Annotations []Annotation
}

// Region is the place and time zone of the program that was recorded.
type Region struct {
	// Locale is a Java locale such as "en_GB".
	Locale string
	// GMTOffset is the zone's offset in milliseconds, without summer time.
	GMTOffset int64
	// DST is what summer time added, in milliseconds.
	DST int64
}

// Header is the content of a chunk's header. All offsets are relative to the chunk.
type Header struct {
	// Major and Minor are the version of the format.
	Major, Minor uint16
	// Size is the size of the chunk with its header.
	Size int64
	// CheckpointOffset is where the newest checkpoint begins.
	CheckpointOffset int64
	// MetadataOffset is where the newest metadata event begins.
	MetadataOffset int64
	// StartNanos is the chunk's start in nanoseconds since 1970.
	StartNanos int64
	// DurationNanos is the chunk's duration.
	DurationNanos int64
	// StartTicks is the clock at the chunk's start.
	StartTicks int64
	// TickRate is the ticks of that clock per second.
	TickRate int64
	// State is 0 for a finished chunk, 255 while the header changes, else a counter.
	State byte
	// Pad are two bytes without meaning.
	Pad [2]byte
	// Flags are [FlagCompressed] and [FlagFinal].
	Flags byte
}

// Facts of the format that both halves of the package need.
const (
	// HeaderSize is the size of a chunk's header.
	HeaderSize = 68
	// FlagCompressed says that integers are varints.
	FlagCompressed = 1
	// FlagFinal says that no chunk follows.
	FlagFinal = 2
	// EventSuperType is the super class of every event class.
	EventSuperType = "jdk.jfr.Event"
	// StringClass is the name of the class of strings.
	StringClass = "java.lang.String"
	// MetadataTypeID is the type of metadata events.
	MetadataTypeID = 0
	// CheckpointTypeID is the type of checkpoint events.
	CheckpointTypeID = 1
)

// Bits of a checkpoint's mask.
const (
	// MaskFlush marks the end of a flushed segment.
	MaskFlush = 1
	// MaskHeader says that the first pool holds a copy of the chunk's header.
	MaskHeader = 2
	// MaskStatics marks constants that are the same in every chunk.
	MaskStatics = 4
	// MaskThread marks a checkpoint about a thread.
	MaskThread = 8
)
