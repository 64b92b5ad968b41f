package writer

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
)

// Types of the JDK that every writer has defined, besides those of internal/jdktypes.
const (
	frameType   = "jdk.types.FrameType"
	gcID        = "jdk.types.GcId"
	monitorAddr = "jdk.types.JavaMonitorAddress"
	flagType    = "jdk.jfr.BooleanFlag"
	relational  = "jdk.jfr.Relational"
)

// newTypeTable returns a table with the types that readers of recordings expect.
func newTypeTable() (*typeTable, error) {
	t := &typeTable{named: make(map[string]*definedType)}
	for i, name := range primitives {
		if err := t.declare(&Type{Name: name}); err != nil {
			return nil, err
		}
		typ := t.list[i]
		typ.kind, typ.whole = boolKind+kind(i), true
		typ.element = (&metatree.Element{Name: "class"}).Set("name", name).Set("id", strconv.FormatInt(typ.id, 10))
	}
	for _, types := range [][]Type{annotationTypes(), valueTypes()} {
		if err := t.define(types); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func annotationTypes() (types []Type) {
	text, flag := Field{Name: "value", Type: jdktypes.String}, Field{Name: "value", Type: "boolean"}
	texts := text
	texts.Array = true
	content := []Annotation{Annotate(jdktypes.ContentType)}
	add := func(name string, as []Annotation, fields ...Field) {
		types = append(types, Type{Name: name, super: jdktypes.Annotation, Annotations: as, Fields: fields})
	}
	for _, name := range []string{jdktypes.Name, jdktypes.Label, jdktypes.Description, "jdk.jfr.Threshold", "jdk.jfr.Period"} {
		add(name, nil, text)
	}
	add(jdktypes.Category, nil, texts)
	add("jdk.jfr.Enabled", nil, flag)
	add("jdk.jfr.StackTrace", nil, flag)
	for _, name := range []string{
		jdktypes.ContentType, jdktypes.Experimental, jdktypes.Contextual, relational, "jdk.jfr.TransitionFrom", "jdk.jfr.TransitionTo",
	} {
		add(name, nil)
	}
	for _, name := range []string{jdktypes.Timestamp, jdktypes.Timespan, jdktypes.DataAmount} {
		add(name, content, text)
	}
	for _, name := range []string{jdktypes.Unsigned, jdktypes.Percentage, jdktypes.MemoryAddress, jdktypes.Frequency, flagType} {
		add(name, content)
	}
	add(gcID, []Annotation{Annotate(relational)})
	add(monitorAddr, []Annotation{Annotate(relational)})
	return types
}

// of and constant return fields of the JDK's types.
func of(name, typ, label string, as ...Annotation) Field {
	return Field{Name: name, Type: typ, Annotations: append([]Annotation{Label(label)}, as...)}
}

func constantOf(name, typ, label string) Field {
	f := of(name, typ, label)
	f.Constant = true
	return f
}

// valueTypes are the types of values as JDK 25 describes them.
func valueTypes() []Type {
	symbol := func(name, label string) Field { return constantOf(name, jdktypes.Symbol, label) }
	text := func(name, label string) Field { return of(name, jdktypes.String, label) }
	flag := func(name, label string) Field { return of(name, "boolean", label) }
	wrapper := func(name string, f Field, values ...string) Type {
		return Type{Name: name, Simple: true, Fields: []Field{f}, values: values}
	}
	payload := of("payload", "byte", "Payload")
	payload.Array = true
	frames := of("frames", jdktypes.StackFrame, "Stack Frames")
	frames.Array = true
	modifiers := of("modifiers", "int", "Access Modifiers")
	loader := constantOf("classLoader", jdktypes.ClassLoader, "Class Loader")
	return []Type{
		wrapper(jdktypes.Symbol, text("string", "String")),
		wrapper(jdktypes.ChunkHeader, payload),
		wrapper(frameType, text("description", "Description"), "Interpreted", "JIT compiled", "Inlined", "Native"),
		wrapper("jdk.types.ThreadState", text("name", "Name")),
		wrapper("jdk.types.GCName", text("name", "Name")),
		wrapper("jdk.types.GCCause", text("cause", "Cause")),
		wrapper("jdk.types.GCWhen", text("when", "When"), "Before GC", "After GC"),
		{Name: jdktypes.ThreadGroup, Fields: []Field{constantOf("parent", jdktypes.ThreadGroup, "Parent"), text("name", "Name")}},
		{Name: jdktypes.Thread, Fields: []Field{
			text("osName", "OS Thread Name"), of("osThreadId", "long", "OS Thread Id"),
			text("javaName", "Java Thread Name"), of("javaThreadId", "long", "Java Thread Id"),
			constantOf("group", jdktypes.ThreadGroup, "Java Thread Group"), flag("virtual", "Virtual Thread"),
		}},
		{Name: jdktypes.Class, Fields: []Field{
			loader, symbol("name", "Name"), constantOf("package", jdktypes.Package, "Package"), modifiers, flag("hidden", "Hidden"),
		}},
		{Name: jdktypes.ClassLoader, Fields: []Field{constantOf("type", jdktypes.Class, "Type"), symbol("name", "Name")}},
		{Name: jdktypes.Module, Fields: []Field{symbol("name", "Name"), symbol("version", "Version"), symbol("location", "Location"), loader}},
		{Name: jdktypes.Package, Fields: []Field{symbol("name", "Name"), constantOf("module", jdktypes.Module, "Module"), flag("exported", "Exported")}},
		{Name: jdktypes.Method, Fields: []Field{
			constantOf("type", jdktypes.Class, "Type"), symbol("name", "Name"), symbol("descriptor", "Descriptor"), modifiers, flag("hidden", "Hidden"),
		}},
		{Name: jdktypes.StackFrame, Fields: []Field{
			constantOf("method", jdktypes.Method, "Java Method"), of("lineNumber", "int", "Line Number"),
			of("bytecodeIndex", "int", "Bytecode Index"), constantOf("type", frameType, "Frame Type"),
		}},
		{Name: jdktypes.StackTrace, Fields: []Field{flag("truncated", "Truncated"), frames}},
	}
}
