package writer_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// kindFields are fields of all kinds, and kindValues values for them.
var kindFields = []writer.Field{
	field("z", "boolean"), field("b", "byte"), field("s", "short"), field("c", "char"), field("i", "int"), field("l", "long"),
	field("f", "float"), field("d", "double"), field("t", "java.lang.String"),
	field("ub", "byte", writer.Unsigned()), field("ul", "long", writer.Unsigned()),
	field("at", "long", writer.Timestamp(0)), field("ms", "long", writer.Timestamp(time.Millisecond)),
	field("ticks", "long", writer.Timespan(0)), field("ns", "long", writer.Timespan(time.Nanosecond)),
	field("us", "int", writer.Timespan(time.Microsecond)), field("sec", "short", writer.Timespan(time.Second)),
	{Name: "pooled", Type: "java.lang.String", Pooled: true},
	array(field("ints", "int")), array(field("texts", "java.lang.String")),
	field("point", "test.Point"), array(field("points", "test.Point")),
	constant(field("where", "test.Point")), array(constant(field("places", "test.Point"))),
	constant(field("state", "test.State")), constant(field("color", "test.Color")),
}

func kindTypes() []writer.Type {
	return []writer.Type{
		{Name: "test.Point", Fields: []writer.Field{field("x", "int"), field("y", "double")}},
		{Name: "test.State", Simple: true, Fields: []writer.Field{field("name", "java.lang.String")}},
		{Name: "test.Color", Simple: true, Fields: []writer.Field{field("name", "java.lang.String")}},
	}
}

// kindValues returns values of an event and what they read as.
func kindValues(start time.Time) ([]writer.Value, map[string]any) {
	point := func(x int64, y float64) writer.Value { return writer.List(writer.Int(x), writer.Float(y)) }
	readPoint := func(x int64, y float64) any { return map[string]any{"x": x, "y": y} }
	long := strings.Repeat("long é日😀 ", 10_000)
	return []writer.Value{
			writer.Time(start),
			writer.Bool(true), writer.Int(-128), writer.Int(-32768), writer.Int(65535), writer.Int(math.MinInt32), writer.Int(math.MaxInt64),
			writer.Float(1.5), writer.Float(-2.25), writer.Text("é日😀"),
			writer.Uint(255), writer.Uint(math.MaxUint64),
			writer.Time(start.Add(time.Second)), writer.Time(start),
			writer.Duration(-time.Second), writer.Duration(math.MaxInt64), writer.Duration(1500 * time.Microsecond), writer.Duration(time.Minute),
			writer.Text("pooled"),
			writer.List(writer.Int(1), writer.Int(-1)), writer.List(writer.Null(), writer.Text(""), writer.Text(long)),
			point(1, 2), writer.List(point(3, 4), point(5, 6)),
			point(7, 8), writer.List(point(7, 8), point(9, 8)),
			writer.Text("running"), writer.Text("green"),
		}, map[string]any{
			"type": "test.Kinds", "startTime": start, "z": true, "b": int64(-128), "s": int64(-32768), "c": "\uffff", "i": int64(math.MinInt32), "l": int64(math.MaxInt64),
			"f": 1.5, "d": -2.25, "t": "é日😀", "ub": uint64(255), "ul": uint64(math.MaxUint64),
			"at": start.Add(time.Second), "ms": start.Truncate(time.Millisecond),
			"ticks": -time.Second, "ns": mmapjfr.Forever, "us": 1500 * time.Microsecond, "sec": time.Minute,
			"pooled": "pooled", "ints": []any{int64(1), int64(-1)}, "texts": []any{nil, "", long},
			"point": readPoint(1, 2), "points": []any{readPoint(3, 4), readPoint(5, 6)},
			"where": readPoint(7, 8), "places": []any{readPoint(7, 8), readPoint(9, 8)}, "state": "running", "color": "green",
		}
}

func TestAllKindsReadAsTheyWereWritten(t *testing.T) {
	for name, opts := range map[string][]writer.Option{
		"one chunk": nil, "many chunks": {writer.ChunkSize(4096)},
	} {
		t.Run(name, func(t *testing.T) {
			w, out := newWriter(t, opts...)
			require.NoError(t, w.Define(kindTypes()...))
			typ := define(t, w, "test.Kinds", kindFields...)
			var want []map[string]any
			for range 5 {
				v, read := kindValues(w.Now())
				require.NoError(t, typ.Write(v...))
				want = append(want, read)
			}
			require.NoError(t, w.Close())
			rec := read(t, out.Bytes())
			assert.Equal(t, want, values(t, rec))
			if name == "many chunks" {
				assert.Len(t, rec.Chunks(), 5)
			}
		})
	}
}

func TestConstantsAreWrittenOnceInAChunk(t *testing.T) {
	w, out := newWriter(t, writer.ChunkSize(8192))
	typ := define(t, w, "test.Event", constant(field("thread", "java.lang.Thread")), array(field("filler", "byte")))
	filler := make([]writer.Value, 100)
	for i := range filler {
		filler[i] = writer.Int(1)
	}
	for i := range 300 {
		thread := writer.Thread{Name: fmt.Sprint("thread ", i%3), ID: int64(i % 3), Group: "main"}
		if i > 200 {
			thread = writer.Thread{Name: "thread 0", OSName: "os", OSID: 7, Virtual: true}
		}
		require.NoError(t, typ.Write(writer.Time(w.Now()), thread.Value(), writer.List(filler...)))
	}
	require.NoError(t, w.Close())
	rec := read(t, out.Bytes())
	report, err := verify.Check(t.Context(), rec)
	require.NoError(t, err)
	assert.Greater(t, report.Chunks, 3)
	assert.Less(t, report.Constants, uint64(report.Chunks*15))
	keys := map[int64]string{} // the JDK takes a constant from the chunk before if the key is the same
	path := mmapjfr.Path("thread")
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		thread := ev.Get(path).Thread()
		text := fmt.Sprint(thread.JavaName(), thread.OSName(), thread.OSThreadID(), thread.IsVirtual(), thread.Group().Name())
		if old, ok := keys[thread.Key()]; ok {
			require.Equal(t, old, text)
		}
		keys[thread.Key()] = text
	}
	assert.Len(t, keys, 4)
}

// Constants that are not used any more are forgotten, and have another key when they come again.
func TestKeysAreNotUsedAgain(t *testing.T) {
	w, out := newWriter(t)
	typ := define(t, w, "test.Event", constant(field("thread", "java.lang.Thread")))
	names := []string{"a", "b", "c", "a", "a", "c"}
	for _, name := range names {
		require.NoError(t, typ.Write(writer.Time(w.Now()), writer.Thread{Name: name}.Value()))
		require.NoError(t, w.Flush()) // it ends the chunk
	}
	require.NoError(t, w.Close())
	path, seen := mmapjfr.Path("thread"), map[int64]string{}
	var got []string
	for ev, err := range read(t, out.Bytes()).Events() {
		require.NoError(t, err)
		thread := ev.Get(path).Thread()
		got = append(got, thread.Name())
		if old, ok := seen[thread.Key()]; ok {
			require.Equal(t, old, thread.Name())
		}
		seen[thread.Key()] = thread.Name()
	}
	assert.Equal(t, names, got)
	assert.Len(t, seen, 5, "a and c came back with other keys")
}

func TestConcurrentWriters(t *testing.T) {
	var out bytes.Buffer
	w, err := writer.New(&out, writer.ChunkSize(8192))
	require.NoError(t, err)
	r, err := writer.NewRecorder[request](w, writer.EventInfo{Name: "app.Request", StackTrace: true, Spans: true})
	require.NoError(t, err)
	const workers, each = 4, 200
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			low, err := w.DefineEvent(writer.Type{Name: fmt.Sprint("test.Worker", i), Fields: []writer.Field{writer.StartTimeField(), field("n", "int")}})
			assert.NoError(t, err)
			for n := range each {
				assert.NoError(t, r.Record(t.Context(), request{Path: fmt.Sprint(n), Status: int32(i)}))
				assert.NoError(t, low.Write(writer.Time(w.Now()), writer.Int(int64(n))))
				if n%50 == 0 {
					assert.NoError(t, w.Flush())
				}
			}
		})
	}
	group.Wait()
	require.NoError(t, w.Close())
	counts := map[string]int{}
	for _, ev := range values(t, read(t, out.Bytes())) {
		counts[ev["type"].(string)]++
	}
	want := map[string]int{"app.Request": workers * each}
	for i := range workers {
		want[fmt.Sprint("test.Worker", i)] = each
	}
	assert.Equal(t, want, counts)
}

func TestEmptyRecordings(t *testing.T) {
	w, out := newWriter(t)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	rec := read(t, out.Bytes())
	assert.Len(t, rec.Chunks(), 1)
	assert.Empty(t, values(t, rec))
}

// Old data can be written with the clock of the data.
func TestEventsOfThePast(t *testing.T) {
	w, out := newWriter(t)
	typ, err := w.DefineEvent(writer.Type{Name: "test.Event", Fields: []writer.Field{writer.StartTimeField(), writer.DurationField()}})
	require.NoError(t, err)
	start := w.Now().Add(-30 * time.Minute)
	for i := range 10 {
		require.NoError(t, typ.Write(writer.Time(start.Add(time.Duration(i)*time.Second)), writer.Duration(time.Millisecond)))
	}
	require.NoError(t, typ.Write(writer.Time(time.Time{}), writer.Duration(math.MaxInt64)))
	require.NoError(t, w.Close())
	rec := read(t, out.Bytes())
	got := values(t, rec)
	assert.Equal(t, start, got[0]["startTime"])
	assert.Nil(t, got[10]["startTime"])
	assert.Equal(t, start, rec.Chunks()[0].Start())
}

func TestChunksEndByTheAgeOfTheirEvents(t *testing.T) {
	w, out := newWriter(t, writer.ChunkAge(time.Minute))
	typ := define(t, w, "test.Event")
	start := w.Now()
	for i := range 10 {
		require.NoError(t, typ.Write(writer.Time(start.Add(time.Duration(i)*30*time.Second))))
	}
	require.NoError(t, w.Close())
	assert.Greater(t, len(read(t, out.Bytes(), "chunk-order", "chunk-gap").Chunks()), 2)
}
