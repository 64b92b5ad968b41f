package jfrtest

// fieldNames are those that readers look for, and some that they do not.
var fieldNames = []string{
	"a", "b", "c", "name", "string", "x.y", "duration", "eventThread", "stackTrace", "frames", "method", "type",
	"lineNumber", "bytecodeIndex", "javaName", "osName", "javaThreadId", "group", "parent", "truncated", "classLoader",
	"package", "descriptor", "modifiers", "hidden", "startTime", "sampledThread", "virtual", "module", "",
}

// knownClasses are those that readers have views for. They come with the fields that they
// should have, or with others.
var knownClasses = []string{
	"jdk.types.Symbol", "java.lang.Class", "jdk.types.ClassLoader", "jdk.types.Method", "jdk.types.StackFrame",
	"jdk.types.StackTrace", "java.lang.Thread", "jdk.types.ThreadGroup", "jdk.types.Package",
}

// classes adds the classes that are no events.
func (g *generator) classes() {
	b := g.b
	for _, name := range []string{"long", "int", StringClass, "boolean", "byte", "char", "short", "float", "double"} {
		g.inside = append(g.inside, b.Class(name))
	}
	g.pooled = append(g.pooled, b.Lookup(StringClass))
	for _, name := range []string{annTimestamp, annTimespan, "jdk.jfr.Unsigned", "jdk.jfr.DataAmount"} {
		b.Class(name, Of("value", StringClass)).SuperType = annotationSuper
	}
	if g.yes() {
		g.known()
	}
	for i := range g.upTo(5) {
		class := b.Class(string(rune('P' + i)))
		for range 1 + g.upTo(4) {
			class.Fields = append(class.Fields, g.field())
		}
		if len(class.Fields) == 1 && g.yes() {
			class.Simple()
		}
		if g.faulty && g.lie() {
			class.Fields[0] = Of("self", class.Name)
		}
		g.inside, g.pooled = append(g.inside, class), append(g.pooled, class)
	}
}

// known adds the classes that readers know.
func (g *generator) known() {
	std := NewEmptyChunk()
	std.standardTypes()
	for _, name := range knownClasses {
		class := g.b.Class(name)
		if name == "jdk.types.Symbol" {
			class.Simple()
		}
		g.pooled = append(g.pooled, class)
	}
	g.b.Class("jdk.types.Module", Of("a", "int"))
	g.b.Class("jdk.types.FrameType", Of("description", StringClass)).Simple()
	for _, name := range knownClasses {
		class := g.b.Lookup(name)
		class.Fields = append([]Field(nil), std.Lookup(name).Fields...)
		if i := g.rarely(len(class.Fields)); i > 0 {
			class.Fields[i-1] = g.field()
		}
	}
	g.inside = append(g.inside, g.b.Lookup("jdk.types.StackFrame"))
}

// field decides on a field of a class that is there already.
func (g *generator) field() Field {
	name := fieldNames[g.upTo(len(fieldNames))]
	var f Field
	switch kind := g.upTo(8); {
	case kind < 5:
		f = Of(name, g.inside[g.upTo(len(g.inside))].Name)
	default:
		f = Const(name, g.pooled[g.upTo(len(g.pooled))].Name)
	}
	if g.rarely(1) > 0 {
		f = f.Array()
	}
	switch g.rarely(6) {
	case 1:
		f = f.With(Note(annTimestamp, "TICKS"))
	case 2:
		f = f.With(Note(annTimespan, "TICKS"))
	case 3:
		f = f.With(Mark("jdk.jfr.Unsigned"))
	case 4:
		f = f.With(Note(annTimestamp, "MILLISECONDS_SINCE_EPOCH"))
	case 5:
		f = f.With(Note(annTimespan, "SECONDS"))
	case 6:
		f = f.With(Note("jdk.jfr.DataAmount", "BYTES"))
	}
	if g.faulty && g.lie() {
		if g.yes() {
			f.Dimension = g.upTo(4)
		} else {
			f.ClassID = g.integer()
		}
	}
	return f
}

// event adds a class of events.
func (g *generator) event() *Class {
	name := []string{"E", "jdk.F", "E", "test.G"}[g.upTo(4)]
	var fields []Field
	switch g.rarely(3) {
	case 0:
		fields = append(fields, Of("startTime", "long").With(Note(annTimestamp, "TICKS")))
	case 1:
		fields = append(fields, Of("startTime", "long"))
	case 2:
		fields = append(fields, Of("startTime", "int"))
	}
	if g.yes() {
		fields = append(fields, Of("duration", "long").With(Note(annTimespan, "TICKS")))
	}
	if g.b.Lookup("java.lang.Thread") != nil {
		fields = append(fields, EventThread(), StackTrace())
		fields[len(fields)-1].Annotations, fields[len(fields)-2].Annotations = nil, nil
	}
	for range g.upTo(6) {
		fields = append(fields, g.field())
	}
	class := g.b.Class(name, fields...)
	class.SuperType = EventSuperType
	return class
}
