package jfrtest

// Names that the builder itself uses.
const (
	annLabel         = "jdk.jfr.Label"
	annTimestamp     = "jdk.jfr.Timestamp"
	annTimespan      = "jdk.jfr.Timespan"
	annotationSuper  = "java.lang.annotation.Annotation"
	settingSuper     = "jdk.jfr.SettingControl"
	classChunkHeader = "jdk.types.ChunkHeader"
)

// Standard adds the classes that a recording of the JDK 25 cannot do without:
// the primitive ones, String, Thread, Class, StackTrace with all that hangs on
// it, some simple types, annotations and settings. [NewChunk] has called it.
func (b *Builder) Standard() {
	for _, name := range []string{
		"boolean", "byte", "char", "short", "int", "long", "float", "double", StringClass,
	} {
		b.Class(name)
	}
	b.standardAnnotations()
	b.standardSettings()
	b.standardTypes()
}

func (b *Builder) standardAnnotations() {
	text := []Field{Of("value", StringClass)}
	for _, a := range []struct {
		name   string
		fields []Field
	}{
		{"jdk.jfr.Name", text},
		{annLabel, text},
		{"jdk.jfr.Description", text},
		{"jdk.jfr.Category", []Field{Of("value", StringClass).Array()}},
		{"jdk.jfr.ContentType", nil},
		{annTimestamp, text},
		{annTimespan, text},
		{"jdk.jfr.DataAmount", text},
		{"jdk.jfr.Unsigned", nil},
		{"jdk.jfr.MemoryAddress", nil},
		{"jdk.jfr.Percentage", nil},
		{"jdk.jfr.Frequency", nil},
		{"jdk.jfr.BooleanFlag", nil},
		{"jdk.jfr.Experimental", nil},
		{"jdk.jfr.Relational", nil},
		{"jdk.jfr.TransitionFrom", nil},
		{"jdk.jfr.TransitionTo", nil},
		{"jdk.jfr.Contextual", nil},
		{"jdk.jfr.Enabled", []Field{Of("value", "boolean")}},
		{"jdk.jfr.Threshold", text},
		{"jdk.jfr.Period", text},
		{"jdk.jfr.StackTrace", []Field{Of("value", "boolean")}},
		{"jdk.types.GcId", nil},
	} {
		b.Class(a.name, a.fields...).SuperType = annotationSuper
	}
	for _, name := range []string{
		annTimestamp, annTimespan, "jdk.jfr.DataAmount", "jdk.jfr.Unsigned", "jdk.jfr.MemoryAddress",
		"jdk.jfr.Percentage", "jdk.jfr.Frequency", "jdk.jfr.BooleanFlag",
	} {
		b.Lookup(name).Annotate(Mark("jdk.jfr.ContentType"))
	}
	b.Lookup("jdk.types.GcId").Annotate(Mark("jdk.jfr.Relational"))
}

func (b *Builder) standardSettings() {
	for _, name := range []string{"Enabled", "Threshold", "StackTrace", "Period", "Throttle", "Cutoff"} {
		c := b.Class("jdk.settings." + name)
		c.SuperType = settingSuper
		c.Annotate(Note("jdk.jfr.Name", c.Name))
	}
	b.Lookup("jdk.settings.Enabled").Annotate(Mark("jdk.jfr.BooleanFlag"))
	b.Lookup("jdk.settings.Threshold").Annotate(Note(annTimespan, "NANOSECONDS"))
}

func (b *Builder) standardTypes() {
	symbol := func(name string) Field { return Const(name, "jdk.types.Symbol") }
	b.Class("jdk.types.Symbol", Of("string", StringClass)).Simple()
	b.Class("jdk.types.FrameType", Of("description", StringClass)).Simple()
	b.Class("jdk.types.ThreadState", Of("name", StringClass)).Simple()
	b.Class("jdk.types.GCName", Of("name", StringClass)).Simple()
	b.Class("jdk.types.GCCause", Of("cause", StringClass)).Simple()
	b.Class(classChunkHeader, Of("payload", "byte").Array()).Simple()
	b.Class("java.lang.Thread",
		Of("osName", StringClass),
		Of("osThreadId", "long"),
		Of("javaName", StringClass),
		Of("javaThreadId", "long"),
		Const("group", "jdk.types.ThreadGroup"),
		Of("virtual", "boolean"))
	b.Class("jdk.types.ThreadGroup",
		Const("parent", "jdk.types.ThreadGroup"),
		Of("name", StringClass))
	b.Class("java.lang.Class",
		Const("classLoader", "jdk.types.ClassLoader"),
		symbol("name"),
		Const("package", "jdk.types.Package"),
		Of("modifiers", "int"),
		Of("hidden", "boolean"))
	b.Class("jdk.types.ClassLoader",
		Const("type", "java.lang.Class"),
		symbol("name"))
	b.Class("jdk.types.Package",
		symbol("name"),
		Const("module", "jdk.types.Module"),
		Of("exported", "boolean"))
	b.Class("jdk.types.Module",
		symbol("name"),
		symbol("version"),
		symbol("location"),
		Const("classLoader", "jdk.types.ClassLoader"))
	b.Class("jdk.types.Method",
		Const("type", "java.lang.Class"),
		symbol("name"),
		symbol("descriptor"),
		Of("modifiers", "int"),
		Of("hidden", "boolean"))
	b.Class("jdk.types.StackFrame",
		Const("method", "jdk.types.Method"),
		Of("lineNumber", "int"),
		Of("bytecodeIndex", "int"),
		Const("type", "jdk.types.FrameType"))
	b.Class("jdk.types.StackTrace",
		Of("truncated", "boolean"),
		Of("frames", "jdk.types.StackFrame").Array())
}
