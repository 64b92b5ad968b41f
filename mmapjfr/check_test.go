package mmapjfr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func pathsOf(texts ...string) (list []*mmapjfr.FieldPath) {
	for _, text := range texts {
		list = append(list, mmapjfr.Path(text))
	}
	return list
}

// TestCheckTellsTypingErrors asks for types and paths as people write them.
func TestCheckTellsTypingErrors(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	for _, c := range []struct {
		name  string
		types []string
		paths []string
		is    error
		want  []string // none: all is well
	}{
		{"all is well", []string{"jdk.ExecutionSample", "CPULoad", "GC*"}, []string{"sampledThread.javaName", "machineTotal", "@top.line"}, nil, nil},
		{"any type", nil, []string{"jvmUser", "stackTrace.frames[0].method.name"}, nil, nil},
		{"nothing", nil, nil, nil, nil},
		{"type", []string{"jdk.CPULod"}, nil, mmapjfr.ErrNoType, []string{`the recording has no event type "jdk.CPULod"; did you mean jdk.CPULoad`}},
		{"one of two types", []string{"jdk.CPULoad", "jdk.ThreadPrk"}, nil, mmapjfr.ErrNoType, []string{`"jdk.ThreadPrk"; did you mean jdk.ThreadPark`}},
		{"type that is none of events", []string{"java.lang.Thread"}, nil, mmapjfr.ErrNoType, []string{`no event type "java.lang.Thread"`}},
		{"pattern", []string{"gdk.*"}, nil, mmapjfr.ErrNoType, []string{`"gdk.*"`}},
		{"field", []string{"jdk.CPULoad"}, []string{"machineTotl"}, mmapjfr.ErrNoField,
			[]string{`field path "machineTotl": type jdk.CPULoad has no field machineTotl; it has startTime, jvmUser, jvmSystem, machineTotal; did you mean machineTotal?`}},
		{"field of a field", []string{"jdk.ExecutionSample"}, []string{"sampledThread.javaNam"}, mmapjfr.ErrNoField,
			[]string{"type java.lang.Thread has no field javaNam; it has osName, osThreadId, javaName, javaThreadId, group, virtual, name, javaId, osId; did you mean javaName?"}},
		{"field of a field, of any type", nil, []string{"sampledThread.javaNam"}, mmapjfr.ErrNoField, []string{"did you mean javaName?"}},
		{"field of another type", []string{"jdk.CPULoad"}, []string{"sampledThread"}, mmapjfr.ErrNoField, []string{"type jdk.CPULoad has no field sampledThread"}},
		{"field of no type", nil, []string{"smpledThread"}, mmapjfr.ErrNoField,
			[]string{"event types that are selected has a field smpledThread; did you mean sampledThread?"}},
		{"computed field", []string{"jdk.CPULoad"}, []string{"@strt"}, mmapjfr.ErrNoField, []string{"did you mean @start?"}},
		{"several", []string{"jdk.CPULod", "jdk.CPULoad"}, []string{"one", "two"}, mmapjfr.ErrNoField, []string{`"jdk.CPULod"`, `"one"`, `"two"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := rec.Check(pathsOf(c.paths...), c.types...)
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, c.is)
			for _, want := range c.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// TestSelectionsCheckThemselves: filters of all kinds name things.
func TestSelectionsCheckThemselves(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	park := mmapjfr.Path("parkedClass")
	require.NoError(t, rec.Select(mmapjfr.Types("jdk.ThreadPark"), mmapjfr.Between(rec.Start(), time.Time{})).Check(park))
	require.NoError(t, rec.Chunks()[0].Select(mmapjfr.Categories("GC")).Check())
	err := rec.Select(mmapjfr.Categories("Java Aplication")).Check(park)
	require.ErrorIs(t, err, mmapjfr.ErrNoType)
	assert.ErrorContains(t, err, "did you mean Java Application?")
	err = rec.Select(mmapjfr.Types("jdk.CPULoad"), mmapjfr.Categories("GC")).Check(park)
	assert.ErrorContains(t, err, "wants events of no type")
	assert.ErrorContains(t, rec.Select(mmapjfr.Categories()).Check(), "names none")
	assert.ErrorIs(t, rec.Select(mmapjfr.Types("jdk.CPULoad")).Check(park), mmapjfr.ErrNoField)
	assert.ErrorIs(t, rec.Check([]*mmapjfr.FieldPath{nil}), mmapjfr.ErrNoField)
	require.NoError(t, rec.Close())
	assert.ErrorIs(t, rec.Check(nil, "jdk.CPULoad"), mmapjfr.ErrClosed)
}

// TestCheckOfChunks: a type or a field that one chunk has is there.
func TestCheckOfChunks(t *testing.T) {
	one, two := jfrtest.NewChunk(), jfrtest.NewChunk()
	one.Emit(one.Event("test.One", jfrtest.Of("n", "int")), start, 1)
	two.Emit(two.Event("test.One", jfrtest.Of("m", "int")), start, 1)
	two.Emit(two.Event("test.Two", jfrtest.Of("n", "int")), start, 1)
	rec, _ := openBuilt(t, one, two)
	require.NoError(t, rec.Check(pathsOf("n", "m"), "test.One", "test.Two"))
	assert.ErrorIs(t, rec.Chunks()[0].Select(mmapjfr.Types("test.Two")).Check(), mmapjfr.ErrNoType)
	assert.ErrorIs(t, rec.Chunks()[0].Select().Check(mmapjfr.Path("m")), mmapjfr.ErrNoField)
	_, err := mmapjfr.Bind[struct {
		N int32 `jfr:"n"`
	}](rec, "test.Twoo")
	assert.ErrorIs(t, err, mmapjfr.ErrNoType)
}
