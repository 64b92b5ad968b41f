package mmapjfr_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestComputedFieldsOfEvents compares the fields that any event has with what the accessors
// of events, and a naive look at the fields, say of every event.
func TestComputedFieldsOfEvents(t *testing.T) {
	seen := make(map[string]int)
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-cputime.jfr", "jdk25-oldobjects.jfr", "jdk25-virtual.jfr"}[longtest.Cases(1, 0):] {
		rec, err := mmapjfr.Open("../testdata/" + name)
		require.NoError(t, err)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			if !longtest.Every(int(ev.Offset()), 3) && seen[ev.Type().Name()] > 5 {
				continue // these are like the others of their type
			}
			seen[ev.Type().Name()]++
			requireComputed(t, ev, seen)
			requireComputed(t, ev.Detached(), seen)
		}
		require.NoError(t, rec.Close())
	}
	for _, name := range []string{"@type", "@start", "@end", "@duration", "@thread", "thread", "@stack", "@top", "@class", "@offset", "@size", "@chunk"} {
		assert.NotZero(t, seen[name], name)
	}
}

func requireComputed(t *testing.T, ev mmapjfr.Event, seen map[string]int) {
	t.Helper()
	get := func(name string) mmapjfr.Value {
		p := mmapjfr.Path(name)
		_, _, err := ev.Type().Resolve(p)
		require.Equal(t, err == nil, ev.Has(p), name)
		if err == nil {
			seen[name]++
		}
		return ev.Get(p)
	}
	require.Equal(t, ev.Type().Name(), get("@type").Str())
	require.Equal(t, mmapjfr.KindString, get("@type").Kind())
	require.Equal(t, int64(ev.Offset()), get("@offset").Int())
	require.Equal(t, int64(ev.Size()), get("@size").Int())
	require.Equal(t, int64(ev.Chunk().Number()), get("@chunk").Int())
	require.Equal(t, ev.Start(), get("@start").Time())
	require.Equal(t, ev.End(), get("@end").Time())
	require.Equal(t, ev.Timespan(mmapjfr.Path("duration")), get("@duration").Duration())
	var threads, classes []mmapjfr.Value
	for f, v := range ev.Fields() {
		switch f.Type().Name() {
		case "java.lang.Thread":
			threads = append(threads, v)
		case "java.lang.Class":
			classes = append(classes, v)
		case "jdk.types.OldObject":
			classes = append(classes, v.Get(mmapjfr.Path("type")))
		}
	}
	for _, name := range []string{"eventThread", "sampledThread"} {
		if p := mmapjfr.Path(name); ev.Has(p) {
			threads = []mmapjfr.Value{ev.Get(p)}
			break
		}
	}
	requireFirst(t, threads, get("@thread"))
	if _, ok := ev.Type().Field("thread"); !ok {
		requireFirst(t, threads, get("thread"))
	}
	requireFirst(t, classes, get("@class"))
	require.Equal(t, ev.StackTrace().Key(), engine.ValueKey(get("@stack")))
	require.Equal(t, ev.StackTrace().Frame(0), get("@top").Frame())
	require.Equal(t, naiveText(engine.FrameValue(ev.StackTrace().Frame(0))), get("@top").Str())
	require.Equal(t, get("@top").Str(), string(get("@stack.top.text").AppendStr(nil)))
}

func requireFirst(t *testing.T, of []mmapjfr.Value, v mmapjfr.Value) {
	t.Helper()
	if len(of) == 0 {
		require.True(t, v.IsAbsent())
		return
	}
	require.Equal(t, of[0], v)
	require.Equal(t, naiveText(of[0]), v.Str())
}

// naiveText is the text of a struct, put together from its accessors.
func naiveText(v mmapjfr.Value) string {
	class := func(c mmapjfr.Class) string { return string(javaname.AppendClass(nil, c.Name())) }
	if v.Kind() != mmapjfr.KindStruct {
		return ""
	}
	switch v.Type().Name() {
	case "java.lang.Thread":
		return v.Thread().Name()
	case "java.lang.Class":
		return class(v.Class())
	case "jdk.types.Method":
		m := v.Method()
		return strings.TrimPrefix(class(m.Class())+".", ".") + m.Name() + string(javaname.AppendParameters(nil, engine.MethodDescriptor(m)))
	case "jdk.types.StackFrame":
		text := naiveText(engine.MethodValue(v.Frame().Method()))
		if line := v.Frame().Line(); line > 0 && text != "" {
			text += ":" + strconv.Itoa(line)
		}
		return text
	case "jdk.types.ClassLoader":
		if name := v.ClassLoader().Name(); name != "" {
			return name
		}
		return class(v.ClassLoader().Type())
	case "jdk.types.ThreadGroup":
		return v.Get(mmapjfr.Path("name")).Str()
	}
	return ""
}

// TestTextsOfStructs reads everything that is in the constant pools.
func TestTextsOfStructs(t *testing.T) {
	path := mmapjfr.Path
	for _, name := range []string{"jdk17-oldobjects.jfr", "jdk25-virtual.jfr"} {
		rec, err := mmapjfr.Open("../testdata/" + name)
		require.NoError(t, err)
		for _, c := range rec.Chunks() {
			types, err := c.Types()
			require.NoError(t, err)
			for _, typ := range types {
				for _, v := range engine.ChunkConstants(c, typ) {
					if v.Kind() != mmapjfr.KindStruct {
						continue
					}
					text := naiveText(v)
					require.Equal(t, text, v.Str())
					require.Equal(t, text, string(v.AppendStr(nil)))
					switch typ.Name() {
					case "java.lang.Thread":
						require.Equal(t, text, v.Get(path("name")).Str())
						require.Equal(t, v.Thread().JavaThreadID() <= 0, v.Get(path("javaId")).IsNull())
						require.Equal(t, max(0, v.Thread().JavaThreadID()), v.Get(path("javaId")).Int())
						require.Equal(t, max(0, v.Thread().OSThreadID()), v.Get(path("osId")).Int())
					case "java.lang.Class":
						require.Equal(t, text, v.Get(path("name")).Str())
						require.Equal(t, engine.ClassInternalName(v.Class()), v.Get(path("@raw")).Str())
						require.Equal(t, engine.ClassInternalName(v.Class()), v.Get(path("@raw.name")).Str())
					case "jdk.types.Method":
						m := v.Method()
						require.Equal(t, text, v.Get(path("signature")).Str())
						require.Equal(t, engine.ClassInternalName(m.Class())+"."+m.Name()+engine.MethodDescriptor(m), v.Get(path("@raw")).Str())
						require.Equal(t, m.Class(), v.Get(path("class")).Class())
					}
				}
			}
		}
		require.NoError(t, rec.Close())
	}
}

// TestComputedListsWhatCanBeFound: of every type, all that is listed leads somewhere, and to
// what the list says.
func TestComputedListsWhatCanBeFound(t *testing.T) {
	rec := opentest.File(t, "../testdata/jdk25-profile.jfr")
	types, err := rec.Types()
	require.NoError(t, err)
	for _, typ := range types {
		for _, f := range engine.TypeComputed(typ) {
			found, one, err := typ.Resolve(mmapjfr.Path(f.Name()))
			require.NoError(t, err)
			require.True(t, one)
			require.Equal(t, found.Type(), f.Type(), typ.Name()+"."+f.Name())
			require.Equal(t, found.Unit(), f.Unit())
			require.NotEmpty(t, f.Label())
		}
	}
	park, _ := rec.Type("jdk.ThreadPark")
	var names []string
	for _, f := range engine.TypeComputed(park) {
		names = append(names, f.Name())
	}
	assert.Equal(t, []string{"@type", "@start", "@end", "@duration", "@thread", "thread", "@stack", "@top", "@class", "@offset", "@size", "@chunk"}, names)
}

// TestComputedFieldsBind: tags can name them.
func TestComputedFieldsBind(t *testing.T) {
	rec := opentest.File(t, "../testdata/jdk25-profile.jfr")
	type row struct {
		Type     string        `jfr:"@type"`
		End      time.Time     `jfr:"@end"`
		Duration time.Duration `jfr:"@duration"`
		Thread   string        `jfr:"@thread"`
		Name     string        `jfr:"eventThread.name"`
		ID       int64         `jfr:"eventThread.javaId"`
		Class    string        `jfr:"parkedClass"`
		Top      string        `jfr:"@top"`
		Frame    mmapjfr.Frame `jfr:"@stack.top"`
		Line     int           `jfr:"@top.line"`
		Offset   int64         `jfr:"@offset"`
	}
	b, err := mmapjfr.Bind[row](rec, "jdk.ThreadPark")
	require.NoError(t, err)
	r := b.Row()
	n := 0
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ThreadPark")).Events() {
		require.NoError(t, err)
		top := ev.StackTrace().Frame(0)
		assert.Equal(t, row{
			"jdk.ThreadPark", ev.End(), ev.Timespan(mmapjfr.Path("duration")), ev.Thread().Name(), ev.Thread().Name(),
			max(0, ev.Thread().JavaThreadID()), naiveText(ev.Get(mmapjfr.Path("parkedClass"))), naiveText(engine.FrameValue(top)), top, top.Line(), int64(ev.Offset()),
		}, *r.Read(ev))
		n++
	}
	require.NotZero(t, n)
}

// TestComputedFieldsAllocateNothing once their texts are known.
func TestComputedFieldsAllocateNothing(t *testing.T) {
	if raceEnabled || copiesStrings {
		t.Skip("this build allocates")
	}
	rec := opentest.File(t, "../testdata/jdk25-profile.jfr")
	var events []mmapjfr.Event
	for ev := range rec.Events() {
		events = append(events, ev.Detached())
	}
	for _, name := range []string{"@type", "@end", "@duration", "@thread", "@class", "@top", "@offset", "eventThread.name", "eventThread.javaId", "objectClass.name", "objectClass.@raw", "@top.method.signature"} {
		p := mmapjfr.Path(name)
		text, n := make([]byte, 0, 1<<12), int64(0)
		all := func() {
			for _, ev := range events {
				v := ev.Get(p)
				n += int64(len(v.Str())) + v.Int()
				text = v.AppendStr(text[:0])
			}
		}
		all()
		assert.Zero(t, testing.AllocsPerRun(3, all), name)
	}
}

// TestRecordedFieldsComeFirst: a type that has a field with the name of a computed one means
// it, but for the name of a class.
func TestRecordedFieldsComeFirst(t *testing.T) {
	forms(t, func() *jfrtest.Builder {
		b := jfrtest.NewChunk()
		ty := b.Event("E", jfrtest.Of("@type", "int"), jfrtest.Of("thread", jfrtest.StringClass), jfrtest.EventThread(),
			jfrtest.Const("c", "java.lang.Class"), jfrtest.Const("none", "java.lang.Class"), jfrtest.Const("lost", "java.lang.Class"))
		b.Constant("java.lang.Thread", 1, "os", 0, "java", 0, 0, false)
		b.Constant("java.lang.Class", 1, 0, 1, 0, 0, false)
		b.Constant("jdk.types.Symbol", 1, "[[Lcom/acme/A;")
		b.Emit(ty, start, 7, "text", 1, 1, 0, 99)
		return b
	}, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		ev := first(t, rec)
		str := func(path string) string { return ev.Str(mmapjfr.Path(path)) }
		assert.Equal(t, int64(7), ev.Int(mmapjfr.Path("@type")))
		assert.Equal(t, "text", str("thread"))
		assert.Equal(t, "java", str("@thread"))
		assert.Equal(t, "java", str("@thread.name"))
		assert.True(t, ev.Get(mmapjfr.Path("@thread.javaId")).IsNull())
		assert.Equal(t, "com.acme.A[][]", str("c.name"))
		assert.Equal(t, "com.acme.A[][]", str("@class"))
		assert.Equal(t, "[[Lcom/acme/A;", str("c.@raw"))
		assert.Equal(t, "[[Lcom/acme/A;", str("@raw.c.@raw.name"))
		assert.True(t, ev.Get(mmapjfr.Path("none.name")).IsNull())
		assert.True(t, ev.Get(mmapjfr.Path("lost.name")).IsMissing())
		assert.Empty(t, str("lost.@raw"))
		assert.Equal(t, ev.Start(), ev.Time(mmapjfr.Path("@end")))
		assert.Zero(t, ev.Timespan(mmapjfr.Path("@duration")))
		whole := ev.Value()
		assert.Equal(t, "java", whole.Get(mmapjfr.Path("@thread")).Str())
		assert.True(t, whole.Get(mmapjfr.Path("@offset")).IsAbsent())
		assert.Equal(t, ev.Start(), whole.Get(mmapjfr.Path("@end")).Time())
		assert.NotEqual(t, int64(math.MinInt64), whole.Get(mmapjfr.Path("@chunk")).Int())
	})
}
