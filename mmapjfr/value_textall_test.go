package mmapjfr_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestThreadsAreNames: a thread is its name, and its number if it has none.
func TestThreadsAreNames(t *testing.T) {
	rec := openFile(t, "jdk25-virtual.jfr")
	texts := make(map[string]bool)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		th := ev.Thread()
		if th.IsZero() {
			continue
		}
		text := engine.ThreadValue(th).Text()
		texts[text] = true
		if th.Name() != "" {
			assert.Equal(t, th.Name(), text)
		} else {
			assert.Regexp(t, `^(virtual |native )?thread \d+$`, text)
		}
	}
	assert.Contains(t, texts, "main")
	assert.Contains(t, strings.Join(keysOf(texts), ","), "virtual thread ")
}

func keysOf(m map[string]bool) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// TestNamesAsPeopleWriteThem: the names of classes and methods, whatever the virtual machine
// makes of them.
func TestNamesAsPeopleWriteThem(t *testing.T) {
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	class := map[string]int{}
	for i, name := range []string{"java/lang/Object", "[B", "[[Ljava/lang/String;", "java/util/Map$Entry", "gen/Foo", "Plain", "[x", ""} {
		cp.Add("jdk.types.Symbol", 100+i, name)
		cp.Add("java.lang.Class", 10+i, 0, 100+i, 0, 0, false)
		class[name] = 10 + i
	}
	methods := []struct{ class, name, descriptor, want string }{
		{"gen/Foo", "bar", "(I[Ljava/lang/String;)V", "gen.Foo.bar(int, String[])"},
		{"java/util/Map$Entry", "get", "(Ljava/lang/Object;)Ljava/lang/Object;", "java.util.Map$Entry.get(Object)"},
		{"gen/Foo", "<init>", "()V", "gen.Foo.<init>()"},
		{"[B", "clone", "()Ljava/lang/Object;", "byte[].clone()"},
		{"", "memcpy", "", "memcpy"},
		{"Plain", "odd", "(Q", "Plain.odd(Q"},
	}
	for i, m := range methods {
		cp.Add("jdk.types.Symbol", 200+i, m.name)
		cp.Add("jdk.types.Symbol", 300+i, m.descriptor)
		cp.Add("jdk.types.Method", 20+i, class[m.class], 200+i, 300+i, 0, false)
	}
	ev := b.Event("test.E", jfrtest.Const("class", "java.lang.Class"), jfrtest.Const("method", "jdk.types.Method"))
	for name := range class {
		b.Emit(ev, start, class[name], 20)
	}
	for i := range methods {
		b.Emit(ev, start, 10, 20+i)
	}
	rec := openBytes(t, b.Bytes())
	want := map[string]string{
		"java/lang/Object": "java.lang.Object", "[B": "byte[]", "[[Ljava/lang/String;": "java.lang.String[][]",
		"java/util/Map$Entry": "java.util.Map$Entry", "gen/Foo": "gen.Foo", "Plain": "Plain", "[x": "[x", "": "",
	}
	classes, signatures := map[string]bool{}, map[string]bool{}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		c, m := ev.Get(mmapjfr.Path("class")).Class(), ev.Get(mmapjfr.Path("method")).Method()
		assert.Equal(t, want[engine.ClassInternalName(c)], c.Name())
		classes[c.Name()], signatures[m.Signature()] = true, true
		assert.Equal(t, m.Signature(), string(engine.MethodAppendSignature(m, nil)))
		allocatesNothing(t, func() { sinkStr = c.Name(); sinkStr = m.Signature() })
	}
	assert.Len(t, classes, len(want))
	for _, m := range methods {
		assert.Contains(t, signatures, m.want)
	}
	assert.Equal(t, "", mmapjfr.Class{}.Name()+mmapjfr.Method{}.Signature()+mmapjfr.Frame{}.Text())
}

func TestFrameTextAllocatesNothing(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Events() {
		require.NoError(t, err)
		frame := ev.StackTrace().Frame(0)
		allocatesNothing(t, func() { sinkStr = frame.Text() })
		return
	}
	t.Fatal("there are samples")
}

// TestAny gives the values of all kinds.
func TestAny(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Inner", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("number", "int"))
	cp := b.Checkpoint(jfrtest.MaskFlush)
	cp.Add("jdk.types.Symbol", 1, "a/B")
	cp.Add("java.lang.Class", 1, 1, 1, 0, 3, false) // its loader is of this class
	cp.Add("jdk.types.ClassLoader", 1, 1, 1)
	kinds := b.Event("test.Kinds", jfrtest.Duration(),
		jfrtest.Of("flag", "boolean"), jfrtest.Of("letter", "char"), jfrtest.Of("byte", "byte"), jfrtest.Of("int", "int"), jfrtest.Of("long", "long"),
		jfrtest.Of("float", "float"), jfrtest.Of("double", "double"), jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("none", jfrtest.StringClass),
		jfrtest.Of("inner", "test.Inner"), jfrtest.Of("inners", "test.Inner").Array(), jfrtest.Const("class", "java.lang.Class"), jfrtest.Const("lost", "java.lang.Class"))
	b.Emit(kinds, start, int64(math.MinInt64), true, 'x', -3, math.MinInt32, int64(7), float32(0.5), 1.25, "text", nil,
		jfrtest.Inline{"inner", 1}, []any{jfrtest.Inline{"one", 1}, jfrtest.Inline{nil, 2}}, 1, 99)
	rec := openBytes(t, b.Bytes())
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		got := ev.Value().Any().(map[string]any)
		assert.IsType(t, time.Time{}, got["startTime"])
		delete(got, "startTime")
		class := map[string]any{
			"classLoader": map[string]any{"name": "a/B", "type": nil},
			"name":        "a/B", "package": nil, "modifiers": int64(3), "hidden": false,
		}
		assert.Equal(t, map[string]any{
			"duration": nil, "flag": true, "letter": "x", "byte": int64(-3), "int": int64(math.MinInt32), "long": int64(7),
			"float": 0.5, "double": 1.25, "text": "text", "none": nil,
			"inner":  map[string]any{"text": "inner", "number": int64(1)},
			"inners": []any{map[string]any{"text": "one", "number": int64(1)}, map[string]any{"text": nil, "number": int64(2)}},
			"class":  class, "lost": nil,
		}, got)
		return
	}
	t.Fatal("there is an event")
}

// TestAnyHasBounds: constants that hold one another many times each are no trouble.
func TestAnyHasBounds(t *testing.T) {
	b := jfrtest.NewChunk()
	var fields []jfrtest.Field
	for _, name := range []string{"a", "b", "c"} {
		fields = append(fields, jfrtest.Const(name, "test.Fan"))
	}
	b.Class("test.Fan", fields...)
	cp := b.Checkpoint(jfrtest.MaskFlush)
	for i := 1; i < 40; i++ {
		cp.Add("test.Fan", i, i+1, i+1, i+1)
	}
	b.Emit(b.Event("test.E", jfrtest.Const("fan", "test.Fan")), start, 1)
	for ev, err := range openBytes(t, b.Bytes()).Events() {
		require.NoError(t, err)
		assert.NotNil(t, ev.Value().Any())
	}
}
