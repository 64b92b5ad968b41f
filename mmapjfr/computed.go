package mmapjfr

import (
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// computation is how the value of a computed field is found.
type computation uint8

const (
	recorded computation = iota // it is not computed
	// Of events.
	typeName
	endTime
	noDuration // of an event that lasted no time
	offsetOfEvent
	sizeOfEvent
	chunkOfEvent
	// Of structs.
	textOf
	rawTextOf
	javaID
	osID
	notVirtual // of a thread that was recorded when there were no others
)

// The classes of computed values.
var (
	computedText = &schema.Type{Name: jdktypes.String, Kind: schema.String}
	computedLong = &schema.Type{Name: "long", Kind: schema.Long}
	computedBool = &schema.Type{Name: "boolean", Kind: schema.Bool}
)

// computedField is a field that values of some class have though no metadata describes it.
type computedField struct {
	name, label string
	// alias returns the path to the recorded field that it stands for; "" if the class
	// has none.
	alias func(typ *schema.Type) string
	// code is how the value is found if there is no alias.
	code computation
	typ  *schema.Type
	unit schema.Unit
}

// always is the alias of a field that all values of a class have.
func always(path string) func(*schema.Type) string { return func(*schema.Type) string { return path } }

// eventFields are what can be asked of an event of any type.
var eventFields = []computedField{
	{name: "@type", label: "Event Type", code: typeName, typ: computedText},
	{name: "@start", label: "Start Time", alias: startPath},
	{name: "@end", label: "End Time", code: endTime, typ: computedLong, unit: schema.TimestampTicks},
	{name: "@duration", label: "Duration", alias: durationPath, code: noDuration, typ: computedLong, unit: schema.TimespanTicks},
	{name: "@thread", label: "Thread", alias: threadPath},
	{name: "thread", label: "Thread", alias: threadPath},
	{name: "@stack", label: "Stack Trace", alias: stackPath},
	{name: "@top", label: "Top Frame", alias: topPath},
	{name: "@class", label: "Class", alias: classPath},
	{name: "@offset", label: "Offset in the File", code: offsetOfEvent, typ: computedLong},
	{name: "@size", label: "Bytes in the File", code: sizeOfEvent, typ: computedLong, unit: schema.Bytes},
	{name: "@chunk", label: "Chunk", code: chunkOfEvent, typ: computedLong},
}

// structFields are what can be asked of structs, by their classes.
var structFields = map[string][]computedField{
	jdktypes.Thread: {
		{name: "name", label: "Name", code: textOf, typ: computedText},
		{name: "javaId", label: "Java Thread Id", code: javaID, typ: computedLong},
		{name: "osId", label: "OS Thread Id", code: osID, typ: computedLong},
		{name: "virtual", label: "Virtual", code: notVirtual, typ: computedBool},
	},
	jdktypes.Class: {
		{name: "name", label: "Name", code: textOf, typ: computedText},
		{name: rawStep, label: "Name in the JVM", code: rawTextOf, typ: computedText},
	},
	jdktypes.Method: {
		{name: "signature", label: "Class, Name and Parameters", code: textOf, typ: computedText},
		{name: "class", label: "Class", alias: always("type")},
		{name: rawStep, label: "Class, Name and Descriptor in the JVM", code: rawTextOf, typ: computedText},
	},
	jdktypes.StackFrame: {
		{name: "text", label: "Method and Line", code: textOf, typ: computedText},
		{name: "class", label: "Class", alias: always("method.type")},
		{name: "line", label: "Line Number", alias: always("lineNumber")},
	},
	jdktypes.StackTrace: {{name: "top", label: "Top Frame", alias: always("frames[0]")}},
}

// rawStep is the step of a path after which names are those of recorded fields alone.
const rawStep = "@raw"

// startPath returns the path to when an event began.
func startPath(typ *schema.Type) string {
	if !hasStart(typ) {
		return ""
	}
	return "startTime"
}

// hasStart reports whether events of a type have a start: a long as in [schema.Type.StartTime], or
// another number that is said to be a point in time.
func hasStart(typ *schema.Type) bool {
	if typ.StartTime() != nil {
		return true
	}
	i := typ.Field("startTime")
	return i >= 0 && !typ.Fields[i].Array && typ.Fields[i].Unit == TimestampTicks
}

// hasSlowStart reports whether the start of events of a type is no long in place, such as a constant.
func hasSlowStart(typ *schema.Type) bool { return typ.StartTime() == nil && hasStart(typ) }

func durationPath(typ *schema.Type) string {
	if i := typ.Field("duration"); i < 0 || !typ.Fields[i].Unit.IsTimespan() {
		return ""
	}
	return "duration"
}

// threadPath returns the path to the thread that an event is of, see [schema.Type.Thread],
// which leaves out threads that stand in the event itself.
func threadPath(typ *schema.Type) string {
	if f := typ.Thread(); f != nil {
		return f.Name
	}
	return firstOf(typ, jdktypes.Thread, "thread")
}

func stackPath(typ *schema.Type) string { return firstOf(typ, jdktypes.StackTrace, "stackTrace") }

func topPath(typ *schema.Type) string {
	if stack := stackPath(typ); stack != "" {
		return stack + ".frames[0]"
	}
	return ""
}

// classPath returns the path to the class that an event is about: its first field that is a
// class, and of samples of old objects that of the object.
func classPath(typ *schema.Type) string {
	if i := typ.Field("object"); i >= 0 && typ.Fields[i].Type != nil && typ.Fields[i].Type.CurrentName() == jdktypes.OldObject {
		return "object.type"
	}
	return firstOf(typ, jdktypes.Class, "")
}

// firstOf returns the name of a field that holds one value of the named type: of the field with
// the preferred name if it is such a field, or else of the first.
func firstOf(typ *schema.Type, of, preferred string) (name string) {
	for i := range typ.Fields {
		wire.Step()
		f := &typ.Fields[i]
		if f.Array || f.Type == nil || f.Type.CurrentName() != of || strings.ContainsAny(f.Name, "[]") || f.Name == "" {
			continue
		}
		if name == "" || f.Name == preferred {
			name = f.Name
		}
	}
	return name
}

// computedOf returns the fields that can be computed of values of the type.
func computedOf(typ *schema.Type) []computedField {
	if typ.IsEvent() {
		return eventFields
	}
	return structFields[typ.CurrentName()]
}

// computed returns the computed field of the type with that name, or nil. It has either an
// alias or a code.
func computed(typ *schema.Type, name string) (f *computedField, alias string) {
	list := computedOf(typ)
	i := slices.IndexFunc(list, func(f computedField) bool { return f.name == name })
	if i < 0 {
		return nil, ""
	}
	f = &list[i]
	if f.alias != nil {
		alias = f.alias(typ)
	}
	switch {
	case alias != "":
	case f.code == recorded, (f.code == endTime || f.code == noDuration) && !hasStart(typ):
		return nil, ""
	}
	return f, alias
}

// computedNames returns the names of the fields that can be computed of values of the type.
func computedNames(typ *schema.Type) (names []string) {
	for _, c := range computedOf(typ) {
		if f, _ := computed(typ, c.name); f != nil && (typ.Field(f.name) < 0 || shadows(typ, f.name)) {
			names = append(names, f.name)
		}
	}
	return names
}

// shadows reports whether a computed field is meant where one is recorded with the same name:
// that of a class is not in Java's spelling.
func shadows(typ *schema.Type, name string) bool {
	return typ.Name == jdktypes.Class && name == "name"
}

// computed returns the fields that values of the type have besides those that the metadata
// describes: what a [FieldPath] can name, see there. It allocates the slice.
func (t Type) computed() (list []Field) {
	typ := t.orEmpty()
	for _, name := range computedNames(typ) {
		f, alias := computed(typ, name)
		kind, unit := f.typ, f.unit
		if alias != "" {
			r := resolve(typ, &FieldPath{parts: mustParts(alias)})
			if r.field == nil {
				continue // the class is not as virtual machines write it
			}
			kind, unit = r.field.Type, r.field.Unit
		}
		list = append(list, Field{schema.NewComputedField(f.name, f.label, kind, typ, unit)})
	}
	return list
}

func mustParts(path string) []pathPart {
	parts, err := parseParts(path)
	if err != nil {
		panic(err) // all are in this file, or names of fields that have been looked at
	}
	return parts
}

// compute returns the value at the end of a path to a computed field.
func (e Event) compute(r *resolvedPath) Value {
	switch {
	case r.computed == recorded:
		return Value{}
	case r.computed == offsetOfEvent:
		return e.c.numberValue(r.field, int64(e.Offset()))
	case r.computed == sizeOfEvent:
		return e.c.numberValue(r.field, int64(e.Size()))
	case r.source != nil:
		return r.of(e.follow(r, r.source))
	}
	_, pos := e.body()
	if pos == 0 {
		return Value{}
	}
	return object{e.c, e.typ, pos, 0}.compute(r)
}

// compute returns the value at the end of a path to a computed field.
func (o object) compute(r *resolvedPath) Value {
	switch r.computed {
	case recorded, offsetOfEvent, sizeOfEvent:
		return Value{} // a struct does not know its event
	case typeName:
		return o.c.valueAt(r.field, kindTypeName, o.pos, 0)
	case endTime:
		return o.c.numberValue(r.field, o.get(pathStartTime).integer()+o.get(pathDuration).integer())
	case noDuration:
		return o.c.numberValue(r.field, 0)
	case chunkOfEvent:
		return o.c.numberValue(r.field, int64(o.c.ix.Number()))
	}
	if r.source == nil {
		return r.of(o.value())
	}
	return r.of(o.follow(r, r.source))
}

// of returns what is computed of a struct.
func (r *resolvedPath) of(v Value) Value {
	if v.at.kind() != KindStruct {
		v.field = r.field // null, or missing, as it is
		return v
	}
	var id *FieldPath
	switch r.computed {
	case notVirtual:
		return v.c.numberValue(r.field, 0)
	case textOf:
		return Value{v.c, r.field, placeOf(kindText, v.at.pos()), v.key}
	case rawTextOf:
		return Value{v.c, r.field, placeOf(kindRawText, v.at.pos()), v.key}
	case javaID:
		id = pathJavaThreadID
	case osID:
		id = pathOSThreadID
	}
	n := v.object().get(id).integer()
	if n <= 0 {
		return v.c.valueAt(r.field, kindNull, v.at.pos(), 0)
	}
	return v.c.numberValue(r.field, n)
}

// numberValue returns the value of a number that does not lie in the file.
func (c *chunk) numberValue(f *schema.Field, n int64) Value {
	return Value{c, f, decoded | placeOf(kindNumber, 0), n}
}

// appendComputed appends the text of a value that is computed, or of a struct that has one.
func (v Value) appendComputed(dst []byte) []byte {
	if v.c == nil || v.c.isGone() {
		return dst
	}
	switch v.at.kind() {
	case kindTypeName:
		return append(dst, v.field.Base().CurrentName()...)
	case kindText, KindStruct:
		return v.textStruct().appendPlain(dst)
	case kindRawText:
		return v.textStruct().appendRaw(dst)
	}
	return dst
}

// textStruct returns the struct whose text the value is, or the struct that it is.
func (v Value) textStruct() object {
	if v.at.kind() == KindStruct {
		return v.object()
	}
	return object{v.c, v.field.Base(), v.at.pos(), v.key}
}

// computedStr returns what appendComputed appends, as a string.
func (v Value) computedStr() string {
	switch v.at.kind() {
	case kindTypeName:
		return v.field.Base().CurrentName()
	case kindText, KindStruct:
		return v.textStruct().plain()
	case kindRawText:
		return v.textStruct().text(rawText, nil, func(o object, _ *FieldPath) string { return o.buffered(object.appendRaw) })
	}
	return ""
}

// textBuffers are where texts are put together.
var textBuffers = sync.Pool{New: func() any { return new([]byte) }}
