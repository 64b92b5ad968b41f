package mmapjfr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestParsePathRejects(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "a field name is missing at character 1"},
		{".", "a field name is missing at character 1"},
		{"a.", "a field name is missing at character 3"},
		{"a..b", "a field name is missing at character 3"},
		{".a", "a field name is missing at character 1"},
		{"[0]", "a field name is missing at character 1"},
		{"a.[0]", "a field name is missing at character 3"},
		{"]", "a field name is missing at character 1"},
		{"a]", "expected a dot at character 2"},
		{"a[0]b", "expected a dot at character 5"},
		{"a[0]]", "expected a dot at character 5"},
		{"a[", "a bracket is not closed at character 2"},
		{"a[0].b[1", "a bracket is not closed at character 7"},
		{"a[]", "an element is not a number at character 3"},
		{"a[x]", "an element is not a number at character 3"},
		{"a[-1]", "an element is not a number at character 3"},
		{"a[ 1]", "an element is not a number at character 3"},
		{"a[1.5]", "an element is not a number at character 3"},
		{"a[99999999999]", "an element is not a number at character 3"},
	} {
		t.Run(c.text, func(t *testing.T) {
			p, err := mmapjfr.ParsePath(c.text)
			assert.Nil(t, p)
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "field path ")
			assert.PanicsWithError(t, err.Error(), func() { mmapjfr.Path(c.text) })
		})
	}
}

// TestParsePathCountsCharacters: a character can be more than a byte.
func TestParsePathCountsCharacters(t *testing.T) {
	_, err := mmapjfr.ParsePath("größe..x")
	assert.ErrorContains(t, err, "at character 7")
}

func TestParsePathAccepts(t *testing.T) {
	for _, text := range []string{
		"a", "a.b", "a[0]", "a[0][1]", "a[2147483647].b", "größe.名前", "with space", "a-b", "$x",
	} {
		p, err := mmapjfr.ParsePath(text)
		require.NoError(t, err)
		assert.Equal(t, text, p.String())
		assert.Same(t, p, mmapjfr.Path(strings.Clone(text)), "the same text is the same path")
	}
}

// TestPathsThatLeadNowhere: what is wrong comes out where paths are checked, and
// reading by such a path gives nothing.
func TestPathsThatLeadNowhere(t *testing.T) {
	rec, _ := openBuilt(t, newSample())
	for _, c := range []struct{ typ, path, want string }{
		{"test.Shapes", "nothing", "type test.Shapes has no field nothing; it has startTime, box, code, millis, wrapped, last"},
		{"test.Shapes", "box.nothing", "type test.Box has no field nothing; it has from, to, tags"},
		{"test.Shapes", "box.from.x.y", "type int has no field y"},
		{"test.Shapes", "box.tags.length", "field tags is an array; say which element, as in tags[0]"},
		{"test.Shapes", "code[0]", "field code is not an array"},
		{"test.Shapes", "box[0].from", "field box is not an array"},
		{"test.Lists", "ints[0][1]", "field ints is not an array"},
		{"test.Lists", "ints[0].x", "type int has no field x"},
		{"test.Lists", "points.x", "field points is an array; say which element, as in points[0]"},
		{"test.Lists", "points[0].z", "type test.Point has no field z; it has x, y"},
		{"jdk.ExecutionSample", "stackTrace.frames.method", "field frames is an array; say which element, as in frames[0]"},
		{"jdk.ExecutionSample", "sampledThread.names", "type java.lang.Thread has no field names; it has osName, osThreadId…; did you mean name?"},
		{"jdk.ExecutionSample", "@thred", "type jdk.ExecutionSample has no @thred; it has @type, @start…; did you mean @thread?"},
		{"jdk.ExecutionSample", "@class", "has no @class"},
		{"jdk.ExecutionSample", "@raw", "has no @raw"},
		{"jdk.ExecutionSample", "@raw.thread", "has no field thread; it has startTime, sampledThread…; did you mean sampledThread?"},
		{"jdk.ExecutionSample", "sampledThread.@type", "type java.lang.Thread has no @type"},
		{"jdk.ExecutionSample", "sampledThread.name.x", "type java.lang.String has no field x"},
		{"jdk.ExecutionSample", "sampledThread.name[0]", "field name is not an array"},
		{"jdk.ExecutionSample", "state.value", "has no field value"},
		{"test.Texts", "utf8.length", "type java.lang.String has no field length"},
	} {
		t.Run(c.typ+" "+c.path, func(t *testing.T) {
			err := bindPath(t, rec, c.typ, c.path)
			require.ErrorContains(t, err, "field path \""+c.path+"\"")
			for part := range strings.SplitSeq(c.want, "…") {
				assert.ErrorContains(t, err, part)
			}
			p := mmapjfr.Path(c.path)
			for ev, err := range rec.Select(mmapjfr.Types(c.typ)).Events() {
				require.NoError(t, err)
				assert.False(t, ev.Has(p))
				assert.True(t, ev.Get(p).IsAbsent())
				assert.True(t, ev.Value().Get(p).IsAbsent())
				assert.Zero(t, ev.Int(p))
				assert.Empty(t, ev.Str(p))
				break
			}
		})
	}
}

// bindPath returns what Bind says of a path.
func bindPath(t *testing.T, rec *mmapjfr.Recording, typ, path string) error {
	t.Helper()
	return bindWith(rec, typ, path)
}

func TestPathsThroughConstants(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Events() {
			require.NoError(t, err)
			for _, ev := range []mmapjfr.Event{ev, ev.Detached()} {
				for path, want := range map[string]string{
					"sampledThread.javaName":                                             "main",
					"sampledThread.group.name":                                           "main-group",
					"sampledThread.group.parent.name":                                    "system",
					"sampledThread.group.parent.parent.name":                             "",
					"stackTrace.frames[0].method.name":                                   "run",
					"stackTrace.frames[0].method.name.string":                            "run",
					"stackTrace.frames[1].type":                                          "Interpreted",
					"stackTrace.frames[0].type.description":                              "JIT compiled",
					"stackTrace.frames[1].method.type.classLoader.name":                  "app",
					"stackTrace.frames[1].method.type.classLoader.type.classLoader.name": "app",
					"stackTrace.frames[1].method.type.package.name":                      "com/acme",
					"stackTrace.frames[2].method.name":                                   "",
					"stackTrace.frames[3].method.name":                                   "",
					"state":                                                              "STATE_RUNNABLE",
					"state.name":                                                         "STATE_RUNNABLE",
				} {
					p := mmapjfr.Path(path)
					assert.True(t, ev.Has(p), path)
					assert.Equal(t, want, ev.Str(p), path)
					assert.Equal(t, want, ev.Value().Get(p).Str(), path)
				}
				assert.Equal(t, int64(34), ev.Int(mmapjfr.Path("stackTrace.frames[1].lineNumber")))
				assert.Equal(t, int64(2), ev.Int(mmapjfr.Path("sampledThread.javaThreadId"))+1)
			}
			break
		}
	})
}

// TestPathsFollowTheLayoutOfEachChunk: positions and types differ from chunk to
// chunk.
func TestPathsFollowTheLayoutOfEachChunk(t *testing.T) {
	p, name := mmapjfr.Path("value"), mmapjfr.Path("thread.javaName")
	build := func(fields []jfrtest.Field, values ...any) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		ty := b.Event("test.Drift", fields...)
		b.Emit(ty, append([]any{start}, values...)...)
		b.Emit(ty, append([]any{start}, values...)...)
		b.Constant("java.lang.Thread", 1, "os", 1, "java", 1, 0, false)
		b.Constant("jdk.types.Symbol", 1, "symbol")
		return b
	}
	of, constant := jfrtest.Of, jfrtest.Const
	rec, _ := openBuilt(t,
		build([]jfrtest.Field{of("value", "int"), constant("thread", "java.lang.Thread")}, 7, 1),
		build([]jfrtest.Field{constant("thread", "java.lang.Thread"), of("text", jfrtest.StringClass), of("value", "long")}, 1, "x", 7),
		build([]jfrtest.Field{of("value", "double")}, 7.5),
		build([]jfrtest.Field{of("text", jfrtest.StringClass), constant("value", "jdk.types.Symbol")}, "x", 1),
		build([]jfrtest.Field{of("value", "short").Array()}, []int{7}),
		build(nil),
		build([]jfrtest.Field{of("value", "byte").With(jfrtest.Mark("jdk.jfr.Unsigned"))}, -1).Uncompressed(),
	)
	var got []mmapjfr.Event
	for range 2 {
		got = all(t, rec)
	}
	require.Len(t, got, 14)
	for i, ev := range got {
		switch i / 2 {
		case 0, 1:
			assert.Equal(t, int64(7), ev.Int(p))
			assert.Equal(t, "java", ev.Str(name))
		case 2:
			assert.InDelta(t, 7.5, ev.Float(p), 0)
			assert.Equal(t, int64(7), ev.Int(p))
			assert.False(t, ev.Has(name))
		case 3:
			assert.Equal(t, "symbol", ev.Str(p))
			assert.Zero(t, ev.Int(p))
		case 4:
			assert.Equal(t, 1, ev.Get(p).Len())
			assert.Equal(t, int64(7), ev.Get(p).Index(0).Int())
		case 5:
			assert.False(t, ev.Has(p))
		case 6:
			assert.Equal(t, int64(255), ev.Int(p))
		}
	}
}

// TestNamesWithDotsAreWithinReach: Datadog's agent names fields like that.
func TestNamesWithDotsAreWithinReach(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("E", jfrtest.Of("_dd.trace.operation", "int")), start, 7)
	rec, _ := openBuilt(t, b)
	assert.Equal(t, int64(7), first(t, rec).Int(mmapjfr.Path("_dd.trace.operation")))
}
