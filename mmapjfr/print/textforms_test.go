package print_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// form is something that a recording can hold and how its text is written.
type form struct {
	name  string
	build func(b *jfrtest.Builder)
	want  string
	// refused is set if the JDK prints nothing of such a recording.
	refused bool
}

// emit makes an event of one type with fields and their values.
func emit(b *jfrtest.Builder, values []any, fields ...jfrtest.Field) {
	b.Emit(b.Event("test.Event", fields...), append([]any{1_000_000}, values...)...)
}

// fieldOf makes an event with one field.
func fieldOf(f jfrtest.Field, value any) func(b *jfrtest.Builder) {
	return func(b *jfrtest.Builder) { emit(b, []any{value}, f) }
}

// eventText is the text of an event with these lines.
func eventText(lines string) string {
	return "test.Event {\n  startTime = 22:13:20.000 (2023-11-14)\n" + lines + "}\n\n"
}

func field(class string, as ...jfrtest.Annotation) jfrtest.Field {
	return jfrtest.Of("f", class).With(as...)
}

var (
	mark = jfrtest.Mark
	note = jfrtest.Note

	bytesUnit  = note("jdk.jfr.DataAmount", "BYTES")
	bitsUnit   = note("jdk.jfr.DataAmount", "BITS")
	perSecond  = mark("jdk.jfr.Frequency")
	unsigned   = mark("jdk.jfr.Unsigned")
	percentage = mark("jdk.jfr.Percentage")
	address    = mark("jdk.jfr.MemoryAddress")
	nanosUnit  = note("jdk.jfr.Timespan", "NANOSECONDS")
	millisTime = note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")
)

var numberForms = []form{
	{"an int that is not known", fieldOf(field("int"), math.MinInt32), "  f = N/A\n", false},
	{"a short", fieldOf(field("short"), math.MinInt16), "  f = -32768\n", false},
	{"an unsigned int", fieldOf(field("int", unsigned), math.MinInt32), "  f = 2147483648\n", false},
	{"an unsigned long", fieldOf(field("long", unsigned), int64(math.MinInt64)), "  f = 9223372036854775808\n", false},
	{"an unsigned byte", fieldOf(field("byte", unsigned), -1), "  f = 255\n", false},
	{"a percentage that is not known", fieldOf(field("float", percentage), math.NaN()), "  f = N/A\n", false},
	{"a percentage without end", fieldOf(field("double", percentage), math.Inf(1)), "  f = Infinity%\n", false},
	{"a percentage in whole numbers", fieldOf(field("int", percentage), 2), "  f = 200.00%\n", false},
	{"an unsigned percentage", fieldOf(field("long", percentage, unsigned), int64(-1)), "  f = 1844674407370955200000.00%\n", false},
	{"a percentage of -0", fieldOf(field("double", percentage), math.Copysign(0, -1)), "  f = -0.00%\n", false},
	{"halves are rounded up as they are written", fieldOf(field("double", percentage), 0.01005), "  f = 1.01%\n", false},
	{"halves that are no halves", fieldOf(field("double", percentage), 0.00135), "  f = 0.14%\n", false},
	{"rounding up to one digit more", fieldOf(field("double", percentage), -0.099996), "  f = -10.00%\n", false},
	{"percent before bytes", fieldOf(field("int", bytesUnit, percentage), 5), "  f = 500.00%\n", false},
	{"bytes", fieldOf(field("long", bytesUnit), 1023), "  f = 1023 bytes\n", false},
	{"one byte less than none", fieldOf(field("long", bytesUnit), -1), "  f = -1 byte\n", false},
	{"no kilobyte yet", fieldOf(field("long", bytesUnit), -1024), "  f = -1.0 kB\n", false},
	{"almost a megabyte", fieldOf(field("long", bytesUnit), 1<<20-1), "  f = 1024.0 kB\n", false},
	{"almost a petabyte", fieldOf(field("long", bytesUnit), int64(1)<<50-3), "  f = 1.0 PB\n", false},
	{"a bit less", fieldOf(field("long", bytesUnit), int64(1)<<50-4), "  f = 1024.0 TB\n", false},
	{"almost an exabyte", fieldOf(field("long", bytesUnit), int64(1)<<60-6208), "  f = 1.0 EB\n", false},
	{"a little less", fieldOf(field("long", bytesUnit), int64(1)<<60-6209), "  f = 1024.0 PB\n", false},
	{"bytes a second", fieldOf(field("long", bytesUnit, perSecond), 1), "  f = 1 byte/s\n", false},
	{"many bytes a second", fieldOf(field("long", bytesUnit, perSecond), 1536), "  f = 1.5 kB/s\n", false},
	{"a bit", fieldOf(field("long", bitsUnit), 1), "  f = 1 bit\n", false},
	{"many bits", fieldOf(field("long", bitsUnit), int64(3)<<30), "  f = 3.0 Gbit\n", false},
	{"bits a second", fieldOf(field("long", bitsUnit, perSecond), 1), "  f = 1 bps\n", false},
	{"many bits a second", fieldOf(field("long", bitsUnit, perSecond), 3<<20), "  f = 3.0 Mbps\n", false},
	{"bytes in a double", fieldOf(field("double", bytesUnit), 1e300), "  f = 8.0 EB\n", false},
	{"bytes in an unsigned long", fieldOf(field("long", bytesUnit, unsigned), int64(math.MinInt64)), "  f = N/A\n", false},
	{"an amount of something else", fieldOf(field("long", note("jdk.jfr.DataAmount", "EGGS")), 12), "  f = 12\n", false},
	{"an address", fieldOf(field("long", address), 0x7f), "  f = 0x0000007F\n", false},
	{"an address at the end", fieldOf(field("long", address), int64(-1)), "  f = 0xFFFFFFFFFFFFFFFF\n", false},
	{"an address in an int", fieldOf(field("int", address), -1), "  f = 0xFFFFFFFFFFFFFFFF\n", false},
	{"a frequency", fieldOf(field("double", perSecond), 0.5), "  f = 0.5 Hz\n", false},
	{"a boolean with a unit", fieldOf(field("boolean", percentage), true), "  f = true\n", false},
	{"a string with a unit", fieldOf(field(jfrtest.StringClass, percentage), "a\"\n"), "  f = \"a\"\n\"\n", false},
	{"a character", fieldOf(field("char", bytesUnit), 'x'), "  f = x\n", false},
	{"half a character", fieldOf(field("char"), 0xd800), "  f = ?\n", false},
	{"half a character in a string", fieldOf(field(jfrtest.StringClass), jfrtest.UTF16("\uFFFD😀")), "  f = \"\uFFFD😀\"\n", false},
}

var timeForms = []form{
	{"no duration", fieldOf(jfrtest.Duration(), 0), "", false},
	{"a duration", fieldOf(jfrtest.Duration(), 1234567), "  duration = 1.23 ms\n", false},
	{"a timespan of zero", fieldOf(field("long", nanosUnit), 0), "  f = 0 s\n", false},
	{"a timespan that is not known", fieldOf(field("long", nanosUnit), int64(math.MinInt64)), "  f = N/A\n", false},
	{"a timespan without end", fieldOf(field("long", nanosUnit), int64(math.MaxInt64)), "  f = Forever\n", false},
	{"a timespan in an int", fieldOf(field("int", note("jdk.jfr.Timespan", "MILLISECONDS")), -59_950), "  f = -1 m 0 s\n", false},
	{"half a second more than a minute", fieldOf(field("long", nanosUnit), int64(60_500_000_000)), "  f = 1 m 1 s\n", false},
	{"half a minute more than an hour", fieldOf(field("long", nanosUnit), int64(3_630_000_000_000)), "  f = 1 h 1 m\n", false},
	{"almost a day", fieldOf(field("long", nanosUnit), int64(86_399_999_999_999)), "  f = 1 d 0 h\n", false},
	{"almost a second", fieldOf(field("long", nanosUnit), 999_500_000), "  f = 1.00 s\n", false},
	{"almost ten seconds", fieldOf(field("long", nanosUnit), int64(-9_995_000_000)), "  f = -10.0 s\n", false},
	{"less than a microsecond", fieldOf(field("long", nanosUnit), 999), "  f = 0.000999 ms\n", false},
	{"a timespan that is too long", fieldOf(field("long", note("jdk.jfr.Timespan", "SECONDS")), int64(math.MaxInt64-1)),
		"  f = 106751991167300 d 16 h\n", true},
	{"a time before all", fieldOf(field("long", millisTime), int64(math.MinInt64+1)), "  f = 16:47:04.193 (+292275056-05-16)\n", false},
	{"a time after all", fieldOf(field("long", millisTime), int64(math.MaxInt64)), "  f = 07:12:55.807 (+292278994-08-17)\n", false},
	{"a time that is not known", fieldOf(field("long", millisTime), int64(math.MinInt64)), "  f = N/A\n", false},
}

// noContentTypes is fieldOf where the annotations of timespans and amounts do not say
// that they are about what numbers mean.
func noContentTypes(f jfrtest.Field, value any) func(b *jfrtest.Builder) {
	return func(b *jfrtest.Builder) {
		for _, name := range []string{"Timespan", "DataAmount"} {
			b.Lookup("jdk.jfr." + name).Annotations = nil
		}
		emit(b, []any{value}, f)
	}
}

var plainForms = []form{
	{"a timespan of no content type", noContentTypes(field("long", nanosUnit), 1500), "  f = PT0.0000015S\n", false},
	{"bytes of no content type", noContentTypes(field("long", bytesUnit), 1500), "  f = 1500\n", false},
	{"a timespan without end of no content type", noContentTypes(field("long", nanosUnit), int64(math.MaxInt64)), "  f = PT2562047788015215H30M7.999999999S\n", false},
}

var structForms = []form{
	{"a thread of Java", entity("java.lang.Thread", "os", 7, "main", 1, 0, false), "  f = \"main\" (javaThreadId = 1)\n", false},
	{"a virtual thread", entity("java.lang.Thread", "os", 7, "v", 12, 0, true), "  f = \"v\" (javaThreadId = 12, virtual)\n", false},
	{"another thread", entity("java.lang.Thread", "os", 7, nil, 0, 0, false), "  f = \"os\" (osThreadId = 7)\n", false},
	{"a thread without names", entity("java.lang.Thread", nil, 7, nil, -3, 0, true), "  f = \"null\" (osThreadId = -1)\n", false},
	{"a thread that is not there", fieldOf(jfrtest.Const("f", "java.lang.Thread"), 99), "  f = N/A\n", false},
	{"a class", entity("java.lang.Class", 5, 1, 0, 0, false), "  f = a.b.C (classLoader = app)\n", false},
	{"a class of arrays", entity("java.lang.Class", 6, 2, 0, 0, false), "  f = int[][] (classLoader = a.b.C)\n", false},
	{"a class without a loader", entity("java.lang.Class", 0, 3, 0, 0, false), "  f = x.Y[] (classLoader = null)\n", false},
	{"a class of a loader of no class", entity("java.lang.Class", 7, 1, 0, 0, false), "  f = a.b.C (classLoader = null)\n", true},
	{"a class without a name", entity("java.lang.Class", 5, 0, 0, 0, false), "  f = null (classLoader = app)\n", true},
	{"a class loader", fieldOfConstants("jdk.types.ClassLoader", 6), "  f = a.b.C (id = 6)\n", false},
	{"a class loader of no class", fieldOfConstants("jdk.types.ClassLoader", 7), "  f = null\n", false},
	{"a method", entity("jdk.types.Method", 8, 4, 9, 0, false), "  f = a.b.C.run(int, String[], Map$Entry[][], <unknown-descriptor-type>)\n", false},
	{"a method without a descriptor", entity("jdk.types.Method", 8, 4, 0, 0, false), "  f = a.b.C.run()\n", true},
	{"a method without a class", entity("jdk.types.Method", 0, 4, 9, 0, false),
		"  f = null.run(int, String[], Map$Entry[][], <unknown-descriptor-type>)\n", true},
	{"a group in a group", func(b *jfrtest.Builder) {
		b.Constant("jdk.types.ThreadGroup", 1, 0, "outer")
		b.Constant("jdk.types.ThreadGroup", 2, 1, "inner")
		emit(b, []any{2}, jfrtest.Const("f", "jdk.types.ThreadGroup"))
	}, "  f = {\n    parent = {\n      parent = N/A\n      name = \"outer\"\n    }\n    name = \"inner\"\n  }\n", false},
	{"a group in itself", func(b *jfrtest.Builder) {
		b.Constant("jdk.types.ThreadGroup", 1, 1, "loop")
		emit(b, []any{1}, jfrtest.Const("f", "jdk.types.ThreadGroup"))
	}, "  f = {\n    parent = N/A\n    name = \"loop\"\n  }\n", false},
	{"a thread that is no constant", fieldOf(jfrtest.Of("f", "java.lang.Thread"), jfrtest.Inline{"os", 7, "main", 1, 0, false}),
		"  f = {\n    osName = \"os\"\n    osThreadId = 7\n    javaName = \"main\"\n    javaThreadId = 1\n    group = N/A\n    virtual = false\n  }\n", false},
	{"a field named as the thread is", fieldOf(jfrtest.Of("eventThread", "long"), 5), "", false},
	{"a field named as the stack trace is", fieldOf(jfrtest.Of("stackTrace", jfrtest.StringClass), "x"), "", false},
}

var arrayForms = []form{
	{"threads", func(b *jfrtest.Builder) {
		constants(b)
		b.Constant("java.lang.Thread", 1, "os", 7, "main", 1, 0, false)
		// The JDK knows of arrays of constants only where these are no structs.
		emit(b, []any{[]int{1, 0}}, jfrtest.Const("f", "java.lang.Thread").Array())
	}, "  f = [\n    \"main\" (javaThreadId = 1), \n    N/A\n  ]\n", true},
	{"an empty array", fieldOf(field("int").Array(), []int32{}), "  f = [\n  ]\n", false},
	{"numbers", fieldOf(field("int", bytesUnit).Array(), []int32{1, math.MinInt32, 3}), "  f = [\n    1 byte, \n    N/A, \n    3 bytes\n  ]\n", true},
	{"strings", fieldOf(field(jfrtest.StringClass).Array(), []any{"a", nil}), "  f = [\n    \"a\", \n    N/A\n  ]\n", true},
	{"structs", func(b *jfrtest.Builder) {
		b.Class("test.Point", jfrtest.Of("x", "int"))
		emit(b, []any{[]any{jfrtest.Inline{1}, jfrtest.Inline{2}}}, jfrtest.Of("f", "test.Point").Array())
	}, "  f = [\n    {\n      x = 1\n    }, \n    {\n      x = 2\n    }\n  ]\n", true},
	{"frames", func(b *jfrtest.Builder) {
		constants(b)
		emit(b, []any{1}, jfrtest.Const("f", "jdk.types.StackTrace"))
	}, "  f = {\n    truncated = false\n    frames = [\n      a.b.C.run() line: 1,       a.b.C.hidden() line: 2,       a.b.C.run()    ]\n  }\n", false},
}

// entity makes an event with a constant of that type.
func entity(class string, values ...any) func(b *jfrtest.Builder) {
	return func(b *jfrtest.Builder) {
		constants(b)
		b.Constant(class, 100, values...)
		emit(b, []any{100}, jfrtest.Const("f", class))
	}
}

func fieldOfConstants(class string, key int) func(b *jfrtest.Builder) {
	return func(b *jfrtest.Builder) {
		constants(b)
		emit(b, []any{key}, jfrtest.Const("f", class))
	}
}

// constants adds what entities refer to.
func constants(b *jfrtest.Builder) {
	for i, name := range []string{"a/b/C", "[[I", "[Lx.Y;", "run", "app", "hidden", "()V"} {
		b.Constant("jdk.types.Symbol", i+1, name)
	}
	b.Constant("jdk.types.Symbol", 9, "(I[Ljava/lang/String;[[Ljava/util/Map$Entry;V)V")
	b.Constant("jdk.types.ClassLoader", 5, 8, 5)
	b.Constant("jdk.types.ClassLoader", 6, 8, 0)
	b.Constant("jdk.types.ClassLoader", 7, 0, 0)
	b.Constant("java.lang.Class", 8, 0, 1, 0, 0, false)
	b.Constant("jdk.types.Method", 1, 8, 4, 7, 0, false)
	b.Constant("jdk.types.Method", 2, 8, 6, 7, 0, true)
	b.Constant("jdk.types.StackTrace", 1, false, []any{
		jfrtest.Inline{1, 1, 0, 0}, jfrtest.Inline{2, 2, 0, 0}, jfrtest.Inline{1, -1, 0, 0},
	})
	b.Constant("jdk.types.StackTrace", 2, true, []any{jfrtest.Inline{1, 0, 0, 0}})
	b.Constant("jdk.types.StackTrace", 3, false, []any{})
	b.Constant("jdk.types.StackTrace", 4, false, []any{jfrtest.Inline{0, 12, 0, 0}})
}

func allForms() (forms []form) {
	for _, list := range [][]form{numberForms, timeForms, plainForms, structForms, arrayForms} {
		forms = append(forms, list...)
	}
	return forms
}

func TestTextForms(t *testing.T) {
	for _, f := range allForms() {
		t.Run(f.name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			f.build(b)
			assert.Equal(t, eventText(f.want), textOf(t, b, print.Options{StackDepth: 5}))
		})
	}
}

// textOf returns what is written of a chunk.
func textOf(t *testing.T, b *jfrtest.Builder, o print.Options) string {
	t.Helper()
	return bytesOf(t, b.Bytes(), o)
}

// bytesOf returns what is written of a recording that lies in memory.
func bytesOf(t *testing.T, data []byte, o print.Options) string {
	t.Helper()
	rec := opentest.Bytes(t, data)
	return string(writtenOf(t, rec, o))
}

// TestTextFormsAreThoseOfTheJDK asks a JDK, once for each form, whether what these
// tests want is what it prints, or whether it still refuses to.
func TestTextFormsAreThoseOfTheJDK(t *testing.T) {
	if flag.Lookup("ask").Value.String() != "true" {
		t.Skip("go test -ask asks a JDK 25")
	}
	home, ok := jdk.Judge()
	require.True(t, ok)
	path := filepath.Join(t.TempDir(), "form.jfr")
	for _, f := range allForms() {
		t.Run(f.name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			f.build(b)
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			out, refusal, err := oracle.Verbatim(t.Context(), home, path, "print")
			require.NoError(t, err)
			if f.refused {
				assert.NotEmpty(t, refusal)
				return
			}
			require.Empty(t, refusal)
			assert.Equal(t, eventText(f.want), string(out))
		})
	}
}
