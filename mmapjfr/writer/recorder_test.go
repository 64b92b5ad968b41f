package writer_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

type color string

type point struct{ X, Y float64 }

// everything has a field of each kind that a recorder writes.
type everything struct {
	Flag     bool
	I8       int8
	U8       uint8
	I16      int16
	U16      uint16
	I32      int32
	U32      uint32
	I64      int
	U64      uint64
	F32      float32
	F64      float64
	Text     string           `jfr:"renamed" label:"A Text" description:"With words"`
	Pooled   color            `type:"java.lang.String"`
	State    string           `type:"test.State"`
	At       time.Time        `unit:"ms"`
	Wait     time.Duration    `unit:"us"`
	Rate     int64            `unit:"bytes/s" annotate:"jdk.jfr.Experimental,jdk.jfr.Contextual"`
	Owner    writer.Thread    // a constant
	Class    writer.ClassName // another one
	Point    point            `type:"test.Point"`
	Texts    []string
	States   []string `type:"test.State"`
	Numbers  []int16
	Left     func() `jfr:"-"`
	internal []byte // it is left out
}

// bound is what both a recorder writes and a binding reads.
type bound struct {
	Path    string `jfr:"path" label:"Path"`
	Status  int32
	HTTPTo  time.Duration `unit:"us"`
	Size    int64         `unit:"bytes"`
	State   string        `type:"test.State"`
	Class   writer.ClassName
	Point   point
	Inner   struct{ Deep struct{ Flags []bool } } `type:"test.Inner"`
	Private string                                `jfr:"-"`
	kept    int
}

// TestBindReadsWhatRecordersWrite, by the same struct.
func TestBindReadsWhatRecordersWrite(t *testing.T) {
	w, out := newWriter(t)
	r, err := writer.NewRecorder[bound](w, writer.EventInfo{Name: "test.Bound", NoThread: true})
	require.NoError(t, err)
	want := bound{Path: "/a", Status: -4, HTTPTo: 3 * time.Microsecond, Size: 7, State: "open", Class: "java.lang.String", Point: point{1.5, -2}}
	want.Inner.Deep.Flags = []bool{true, false}
	given := want
	given.Private, given.kept = "left out", 3
	require.NoError(t, r.Record(t.Context(), given))
	require.NoError(t, w.Close())
	rec := opentest.Bytes(t, out.Bytes())
	b, err := mmapjfr.Bind[bound](rec, "test.Bound")
	require.NoError(t, err)
	n := 0
	for got, err := range b.Events() {
		require.NoError(t, err)
		assert.Equal(t, want, got)
		n++
	}
	assert.Equal(t, 1, n)
}

func TestRecorderWritesAllKindsOfFields(t *testing.T) {
	w, out := newWriter(t)
	r, err := writer.NewRecorder[everything](w, writer.EventInfo{
		Name: "test.Everything", Label: "Everything", Description: "All kinds", Category: []string{"Test", "Kinds"}, NoThread: true,
	})
	require.NoError(t, err)
	at := w.Now()
	event := everything{
		true, -1, 255, -2, 65535, -3, 1 << 31, -4, 1 << 63, 0.5, 0.25, "text", "blue", "on", at, time.Millisecond, 7,
		writer.Thread{Name: "owner"}, "app/Lock", point{1, 2},
		[]string{"x"}, []string{"on", "off"}, []int16{-1, 1}, nil, nil,
	}
	require.NoError(t, r.RecordAt(t.Context(), at, time.Second, event))
	event.States, event.Texts = nil, []string{"y", "z"}
	require.NoError(t, r.RecordAt(t.Context(), at, 0, event))
	require.NoError(t, w.Close())
	rec := read(t, out.Bytes())
	all := values(t, rec)
	got := all[0]
	for name, want := range map[string]any{
		"startTime": at, "duration": time.Second, "flag": true, "i8": int64(-1), "u8": uint64(255), "i16": int64(-2), "u16": uint64(65535),
		"i32": int64(-3), "u32": uint64(1 << 31), "i64": int64(-4), "u64": uint64(1 << 63), "f32": 0.5, "f64": 0.25,
		"renamed": "text", "pooled": "blue", "state": "on", "at": at.Truncate(time.Millisecond), "wait": time.Millisecond, "rate": int64(7),
		"point": map[string]any{"x": 1.0, "y": 2.0},
		"texts": []any{"x"}, "states": []any{"on", "off"}, "numbers": []any{int64(-1), int64(1)},
	} {
		assert.Equal(t, want, got[name], name)
	}
	assert.Len(t, got, 26)
	assert.Equal(t, []any{[]any{}, []any{"y", "z"}}, []any{all[1]["states"], all[1]["texts"]})
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		typ := ev.Type()
		assert.Equal(t, []any{"Everything", "All kinds", []string{"Test", "Kinds"}}, []any{typ.Label(), typ.Description(), typ.Category()})
		assert.Equal(t, "owner app.Lock", ev.Get(mmapjfr.Path("owner")).Thread().Name()+" "+ev.Get(mmapjfr.Path("class")).Class().Name())
		renamed, _ := typ.Field("renamed")
		assert.Equal(t, "A Text, With words", renamed.Label()+", "+renamed.Description())
	}
}

func TestRecorderRefusesTypes(t *testing.T) {
	w, _ := newWriter(t)
	refuses := func(want string, err error) {
		t.Helper()
		require.ErrorContains(t, err, want)
	}
	_, err := writer.NewRecorder[int](w, writer.EventInfo{})
	refuses("is not a struct", err)
	_, err = writer.NewRecorder[struct{ X map[string]int }](w, writer.EventInfo{})
	refuses("field X: map[string]int cannot be written", err)
	_, err = writer.NewRecorder[struct{ X [][]int }](w, writer.EventInfo{})
	refuses("cannot be written", err)
	_, err = writer.NewRecorder[struct {
		x int `jfr:"x"`
	}](w, writer.EventInfo{})
	refuses("not exported", err)
	_, err = writer.NewRecorder[struct {
		X string `unit:"bytes"`
	}](w, writer.EventInfo{})
	refuses("unit does not fit", err)
	_, err = writer.NewRecorder[struct{ X []uint8 }](w, writer.EventInfo{})
	refuses("the JDK prints slices of", err)
	_, err = writer.NewRecorder[struct {
		Point struct{ X int } `type:"jdk.types.StackFrame"`
	}](w, writer.EventInfo{Name: "test.T"})
	refuses("with other fields", err)
	_, err = writer.NewRecorder[struct{ StartTime int }](w, writer.EventInfo{Name: "test.T"})
	refuses(`two fields "startTime"`, err)
	_, err = writer.NewRecorder[step](w, writer.EventInfo{})
	require.NoError(t, err)
	_, err = writer.NewRecorder[step](w, writer.EventInfo{})
	refuses(`"writer_test.step" is defined already`, err)
}

type step struct{ Name string }

func TestEventsKnowTheEventAroundThem(t *testing.T) {
	w, out := newWriter(t)
	requests, err := writer.NewRecorder[request](w, writer.EventInfo{Name: "app.Request", Spans: true})
	require.NoError(t, err)
	steps, err := writer.NewRecorder[step](w, writer.EventInfo{Name: "app.Step", Spans: true})
	require.NoError(t, err)
	ctx := writer.WithThread(context.Background(), writer.Thread{Name: "worker", ID: 5})
	inner, begun := requests.Begin(ctx)
	deeper, begunStep := steps.Begin(inner)
	require.NoError(t, steps.Record(deeper, step{"deep"}))
	require.NoError(t, begunStep.End(step{"step"}))
	require.NoError(t, begun.End(sampleRequest()))
	require.ErrorContains(t, begun.End(sampleRequest()), "has ended already")
	require.NoError(t, steps.Record(ctx, step{"outside"}))
	require.NoError(t, w.Close())
	rec := read(t, out.Bytes())
	var got [][]any
	for _, ev := range values(t, rec) {
		got = append(got, []any{ev["name"], ev["path"], ev["spanId"], ev["parentSpanId"]})
	}
	assert.Equal(t, [][]any{
		{"deep", nil, int64(2), int64(0)}, {"step", nil, int64(2), int64(1)}, {nil, "/orders/7", int64(1), int64(0)}, {"outside", nil, int64(0), int64(0)},
	}, got)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		assert.Equal(t, "worker", ev.Thread().Name())
		if ev.Type().Name() == "app.Request" {
			assert.Positive(t, ev.Duration())
		}
	}
}

type server[T any] struct{ r *writer.Recorder[T] }

func (s *server[T]) serve(t *testing.T, event T) {
	var none context.Context
	func() { require.NoError(t, s.r.Record(none, event)) }()
}

func TestStackTracesAreThoseOfTheCaller(t *testing.T) {
	w, out := newWriter(t)
	r, err := writer.NewRecorder[step](w, writer.EventInfo{Name: "app.Step", StackTrace: true})
	require.NoError(t, err)
	s := &server[step]{r}
	s.serve(t, step{"one"})
	typ := define(t, w, "test.Low", writer.StackTraceField())
	require.NoError(t, typ.Write(writer.Time(w.Now()), callers().Value()))
	require.NoError(t, typ.Write(writer.Time(w.Now()), writer.StackTrace(true, writer.Frame{Class: "a/B", Method: "c", Line: 7, Kind: "Native"})))
	require.NoError(t, typ.Write(writer.Time(w.Now()), writer.Null()))
	require.NoError(t, w.Close())
	var got [][]string
	for ev, err := range read(t, out.Bytes()).Events() {
		require.NoError(t, err)
		var frames []string
		for f := range ev.StackTrace().Frames() {
			frames = append(frames, f.Method().Class().Name()+" "+f.Method().Name())
		}
		got = append(got, frames[:min(3, len(frames))])
		if ev.Type().Name() == "app.Step" {
			assert.Contains(t, ev.Thread().Name(), "goroutine ")
			assert.Positive(t, ev.Thread().JavaThreadID())
			assert.Positive(t, ev.StackTrace().Frame(0).Line())
		}
	}
	const pkg = "github.com.mmapjfr.jfr.mmapjfr.writer_test"
	assert.Equal(t, pkg+".server[...] serve.func1", got[0][0])
	assert.Equal(t, pkg+".server[...] serve", got[0][1])
	assert.Equal(t, pkg+" TestStackTracesAreThoseOfTheCaller", got[0][2])
	assert.Equal(t, pkg+" TestStackTracesAreThoseOfTheCaller", got[1][0])
	assert.Equal(t, []string{"a.B c"}, got[2])
	assert.Empty(t, got[3])
}

// Deep stacks are cut, and say so.
func TestDeepStacksAreTruncated(t *testing.T) {
	w, out := newWriter(t)
	typ := define(t, w, "test.Event", writer.StackTraceField())
	var deep func(n int)
	deep = func(n int) {
		if n > 0 {
			deep(n - 1)
			return
		}
		require.NoError(t, typ.Write(writer.Time(w.Now()), callers().Value()))
	}
	deep(100)
	require.NoError(t, w.Close())
	for ev, err := range read(t, out.Bytes()).Events() {
		require.NoError(t, err)
		assert.Equal(t, 64, ev.StackTrace().Len())
		assert.True(t, ev.StackTrace().IsTruncated())
	}
}

func TestSplitFunction(t *testing.T) {
	for name, want := range map[string]string{
		"net/http.(*Server).Serve":                       "net/http/Server Serve false",
		"net/http.Get":                                   "net/http Get true",
		"net/http.(*Server).Serve.func1":                 "net/http/Server Serve.func1 false",
		"net/http.Get.func1.2":                           "net/http Get.func1.2 true",
		"net/http.HandlerFunc.ServeHTTP":                 "net/http/HandlerFunc ServeHTTP false",
		"net/http.HandlerFunc.ServeHTTP-fm":              "net/http/HandlerFunc ServeHTTP-fm false",
		"main.main":                                      "main main true",
		"main.init.0":                                    "main init.0 true",
		"main.glob..func1":                               "main glob..func1 true",
		"main.run.gowrap1":                               "main run.gowrap1 true",
		"gopkg.in/yaml%2ev3.Marshal":                     "gopkg.in/yaml.v3 Marshal true",
		"example.com/a/b.Map[...]":                       "example.com/a/b Map[...] true",
		"example.com/a/b.(*List[go.shape.int]).Push":     "example.com/a/b/List[go.shape.int] Push false",
		"example.com/a/b.Map[example.com/c/d.T,int].Len": "example.com/a/b Map[example.com/c/d.T,int].Len true",
		"cgocall": " cgocall true",
	} {
		assert.Equal(t, want, writer.SplitFunction(name), name)
	}
}

// A writer does not hold what it has written for longer than its chunks.
func TestManyConstantsDoNotGrowTheWriter(t *testing.T) {
	w, err := writer.New(io.Discard, writer.ChunkSize(64<<10))
	require.NoError(t, err)
	typ := define(t, w, "test.Event", writer.Field{Name: "text", Type: "java.lang.String", Pooled: true})
	write := func(from int) {
		for i := range 50_000 {
			text := strings.Repeat("x", 50) + string(rune(from+i))
			require.NoError(t, typ.Write(writer.Time(w.Now()), writer.Text(text)))
		}
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	write(0x10000)
	before := heap()
	write(0x20000)
	write(0x30000)
	assert.Less(t, heap(), before+4<<20)
	runtime.KeepAlive(w)
}

// callers returns the stack of the caller, as programs and profiles of package runtime have it.
func callers() writer.Stack {
	var pcs [200]uintptr
	return pcs[:runtime.Callers(2, pcs[:])]
}

func TestNamesOfFields(t *testing.T) {
	type event struct {
		OK, ID, X, HTTPStatus, UserID, Ärger bool
		IOs                                  int64
	}
	w, out := newWriter(t)
	r, err := writer.NewRecorder[event](w, writer.EventInfo{Name: "test.Names", Instant: true, NoThread: true})
	require.NoError(t, err)
	require.NoError(t, r.Record(t.Context(), event{}))
	require.NoError(t, w.Close())
	typ, ok := read(t, out.Bytes()).Type("test.Names")
	require.True(t, ok)
	var names []string
	for _, f := range typ.Fields() {
		names = append(names, f.Name())
	}
	assert.Equal(t, []string{"startTime", "ok", "id", "x", "httpStatus", "userID", "ärger", "iOs"}, names)
}

type box[T any] struct{ V T }

// TestNamesOfGoTypes records structs whose types have names that Java cannot have.
func TestNamesOfGoTypes(t *testing.T) {
	w, out := newWriter(t)
	a, err := writer.NewRecorder[box[int32]](w, writer.EventInfo{})
	require.NoError(t, err)
	b, err := writer.NewRecorder[box[box[string]]](w, writer.EventInfo{})
	require.NoError(t, err)
	require.NoError(t, a.Record(t.Context(), box[int32]{}))
	require.NoError(t, b.Record(t.Context(), box[box[string]]{}))
	require.NoError(t, w.Close())
	for ev, err := range read(t, out.Bytes()).Events() {
		require.NoError(t, err)
		assert.Regexp(t, `^writer_test\.box_[a-zA-Z0-9_./]*$`, ev.Type().Name())
	}
}

// TestGoroutinesKeepTheirNumbers records events of a goroutine in chunks apart: the JDK shows the keys of threads as
// their numbers.
func TestGoroutinesKeepTheirNumbers(t *testing.T) {
	type event struct{ N int64 }
	w, out := newWriter(t)
	r, err := writer.NewRecorder[event](w, writer.EventInfo{Name: "test.Event"})
	require.NoError(t, err)
	other := writer.WithThread(t.Context(), writer.Thread{Name: "other"})
	for n := range int64(8) {
		ctx := t.Context()
		if n%4 != 0 {
			ctx = other // the chunks between do not have the goroutine
		}
		require.NoError(t, r.Record(ctx, event{n}))
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close())
	keys := make(map[string][]int64)
	thread := mmapjfr.Path("eventThread")
	for ev, err := range read(t, out.Bytes()).Events() {
		require.NoError(t, err)
		v := ev.Get(thread).Thread()
		if k := keys[v.Name()]; len(k) == 0 || k[len(k)-1] != v.Key() {
			keys[v.Name()] = append(k, v.Key())
		}
	}
	require.Len(t, keys, 2)
	for name, k := range keys {
		assert.Len(t, k, 1, name)
	}
}
