package mmapjfr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// bindWith binds one field to a path that onePath knows, and finds what any other leads to.
func bindWith(rec *mmapjfr.Recording, typ, path string) error {
	try, ok := onePath[path]
	if !ok {
		t, _ := rec.Type(typ)
		_, _, err := t.Resolve(mmapjfr.Path(path))
		return err
	}
	return try(rec, typ)
}

func binds[T any](rec *mmapjfr.Recording, typ string) error {
	_, err := mmapjfr.Bind[T](rec, typ)
	return err
}

type value = mmapjfr.Value

// onePath binds structs of one field. Tags cannot be made at run time for a type
// parameter, so here is one struct for each.
var onePath = map[string]func(*mmapjfr.Recording, string) error{
	"nothing": binds[struct {
		V value `jfr:"nothing"`
	}],
	"box.nothing": binds[struct {
		V value `jfr:"box.nothing"`
	}],
	"box.from.x.y": binds[struct {
		V value `jfr:"box.from.x.y"`
	}],
	"box.tags.length": binds[struct {
		V value `jfr:"box.tags.length"`
	}],
	"code[0]": binds[struct {
		V value `jfr:"code[0]"`
	}],
	"box[0].from": binds[struct {
		V value `jfr:"box[0].from"`
	}],
	"ints[0][1]": binds[struct {
		V value `jfr:"ints[0][1]"`
	}],
	"ints[0].x": binds[struct {
		V value `jfr:"ints[0].x"`
	}],
	"points.x": binds[struct {
		V value `jfr:"points.x"`
	}],
	"points[0].z": binds[struct {
		V value `jfr:"points[0].z"`
	}],
	"stackTrace.frames.method": binds[struct {
		V value `jfr:"stackTrace.frames.method"`
	}],
	"sampledThread.name": binds[struct {
		V value `jfr:"sampledThread.name"`
	}],
	"state.value": binds[struct {
		V value `jfr:"state.value"`
	}],
	"utf8.length": binds[struct {
		V value `jfr:"utf8.length"`
	}],
}

type (
	myBool     bool
	myInt      int64
	myFloat    float64
	myDuration time.Duration
)

// TestBindLeavesOtherFieldsAlone binds fields that events lack, of types that hold no value.
func TestBindLeavesOtherFieldsAlone(t *testing.T) {
	type others struct {
		ID     int64 `jfr:"id"`
		P      *int
		M      map[string]int
		E      error
		A      [2]int
		S      []*int
		C      chan int
		F      func()
		Tagged *int `jfr:"nothing,optional"`
	}
	b := jfrtest.NewChunk()
	b.Emit(b.Event("test.Event", jfrtest.Of("id", "long")), int64(0), int64(7))
	rec := openBytes(t, b.Bytes())
	binding, err := mmapjfr.Bind[others](rec, "test.Event")
	require.NoError(t, err)
	for ev, err := range binding.Events() {
		require.NoError(t, err)
		assert.Equal(t, others{ID: 7}, ev)
	}
	for ev := range rec.Events() {
		var got others
		require.NoError(t, ev.Value().Decode(&got))
		assert.Equal(t, others{ID: 7}, got)
	}
}

func TestBindKinds(t *testing.T) {
	type kinds struct {
		Start    time.Time     `jfr:"startTime"`
		Duration time.Duration `jfr:"duration"`
		Ticks    int64         `jfr:"duration,ticks"`
		Named    myDuration    `jfr:"duration,ticks"`
		Truth    bool          `jfr:"truth"`
		MyTruth  myBool        `jfr:"truth"`
		B        int8          `jfr:"b"`
		B16      int16         `jfr:"b"`
		C        uint16        `jfr:"c"`
		C32      int32         `jfr:"c"`
		C64      uint64        `jfr:"c"`
		S        int16         `jfr:"s"`
		I        int32         `jfr:"i"`
		IInt     int           `jfr:"i"`
		L        int64         `jfr:"l"`
		MyL      myInt         `jfr:"l"`
		F        float32       `jfr:"f"`
		F64      float64       `jfr:"f"`
		D        float64       `jfr:"d"`
		MyD      myFloat       `jfr:"d"`
		UB       uint8         `jfr:"ub"`
		UB16     int16         `jfr:"ub"`
		US       uint16        `jfr:"us"`
		US32     int32         `jfr:"us"`
		UI       uint32        `jfr:"ui"`
		UI64     int64         `jfr:"ui"`
		UIUint   uint          `jfr:"ui"`
		UL       uint64        `jfr:"ul"`
		V        mmapjfr.Value `jfr:"i"`
		Ignored  string
		ignored  string
		None     string `jfr:"nothing,optional"`
	}
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		bound, err := mmapjfr.Bind[kinds](rec, "test.Kinds")
		require.NoError(t, err)
		var rows []kinds
		for row, err := range bound.Events() {
			require.NoError(t, err)
			assert.Empty(t, row.Ignored+row.ignored, "fields without a tag")
			rows = append(rows, row)
		}
		require.Len(t, rows, 3)
		for i, ev := range all(t, rec)[:2] {
			var got kinds
			require.NoError(t, ev.Value().Decode(&got))
			assert.Equal(t, rows[i], got)
		}
		v := rows[0].V
		assert.Equal(t, int64(-70_000), v.Int())
		rows[0].V = mmapjfr.Value{}
		assert.Equal(t, kinds{
			Start: time.Unix(0, 1_700_000_000_000_000_010).UTC(), Duration: 5, Ticks: 5, Named: 5, Truth: true, MyTruth: true,
			B: -2, B16: -2, C: 'ß', C32: 'ß', C64: 'ß', S: -300, I: -70_000, IInt: -70_000, L: -1 << 62, MyL: -1 << 62,
			F: 1.5, F64: 1.5, D: -2.25, MyD: -2.25,
			UB: 1, UB16: 1, US: 2, US32: 2, UI: 3, UI64: 3, UIUint: 3, UL: 4,
		}, rows[0])
		rows[1].V = mmapjfr.Value{}
		assert.Equal(t, kinds{
			Start: time.Unix(0, 1_700_000_000_000_000_020).UTC(),
			B:     127, B16: 127, C: 0xffff, C32: 0xffff, C64: 0xffff, S: 300, I: -70_000, IInt: -70_000, L: 1<<56 - 1, MyL: 1<<56 - 1,
			D: 1e300, MyD: 1e300,
			UB: 255, UB16: 255, US: 0xffff, US32: 0xffff, UI: 1<<32 - 1, UI64: 1<<32 - 1, UIUint: 1<<32 - 1, UL: 1<<64 - 1,
		}, rows[1])
		assert.Equal(t, mmapjfr.Forever, rows[2].Duration)
	})
}

func TestBindTimesInSlices(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E",
		jfrtest.Of("spans", "long").Array().With(jfrtest.Note("jdk.jfr.Timespan", "SECONDS")),
		jfrtest.Of("points", "long").Array().With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")),
		jfrtest.Const("threads", "java.lang.Thread").Array())
	b.Constant("java.lang.Thread", 1, "os", 1, "java", 1, 0, false)
	b.Emit(ty, start, []int64{1, 2}, []int64{1000, 2000}, []int{1, 0})
	b.Emit(ty, start, []int64{3, 4, 5}, []int64{3000}, []int{1})
	b.Emit(ty, start, nil, []int64{1000}, nil)
	rec, _ := openBuilt(t, b)
	type row struct {
		Spans   []time.Duration  `jfr:"spans"`
		Points  []time.Time      `jfr:"points"`
		Threads []mmapjfr.Thread `jfr:"threads"`
	}
	bound, err := mmapjfr.Bind[row](rec, "E")
	require.NoError(t, err)
	i := 0
	for r, err := range bound.Events() {
		require.NoError(t, err)
		switch i {
		case 0:
			assert.Equal(t, []time.Duration{time.Second, 2 * time.Second}, r.Spans)
			assert.Equal(t, int64(2), r.Points[1].Unix())
			require.Len(t, r.Threads, 2)
			assert.Equal(t, "java", r.Threads[0].Name())
			assert.True(t, r.Threads[1].IsZero())
		case 1:
			assert.Len(t, r.Spans, 3)
			assert.Len(t, r.Points, 1)
			assert.Equal(t, int64(3), r.Points[0].Unix())
			assert.Len(t, r.Threads, 1)
		case 2:
			assert.Empty(t, r.Spans)
			assert.Empty(t, r.Threads)
		}
		i++
	}
	assert.Equal(t, 3, i)
}

func TestBindViews(t *testing.T) {
	type sample struct {
		Thread mmapjfr.Thread      `jfr:"sampledThread"`
		Stack  mmapjfr.StackTrace  `jfr:"stackTrace"`
		Method mmapjfr.Method      `jfr:"stackTrace.frames[0].method"`
		Class  mmapjfr.Class       `jfr:"stackTrace.frames[0].method.type"`
		Loader mmapjfr.ClassLoader `jfr:"stackTrace.frames[0].method.type.classLoader"`
		State  string              `jfr:"state"`
		Frames []mmapjfr.Value     `jfr:"stackTrace.frames"`
	}
	rec, _ := openBuilt(t, newSample())
	bound, err := mmapjfr.Bind[sample](rec, "jdk.ExecutionSample")
	require.NoError(t, err)
	row := bound.Row()
	i := 0
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Events() {
		require.NoError(t, err)
		got := row.Read(ev)
		assert.Same(t, got, row.Read(ev.Detached()), "the same struct each time")
		var decoded sample
		require.NoError(t, ev.Value().Decode(&decoded))
		assert.Equal(t, got.Stack, decoded.Stack)
		assert.Len(t, decoded.Frames, len(got.Frames))
		require.ErrorContains(t, ev.Value().Decode(decoded), "it is not a pointer to a struct")
		require.ErrorContains(t, ev.Get(mmapjfr.Path("state")).Decode(new(int)), "it is not a struct")
		if i == 0 {
			assert.Equal(t, "main", got.Thread.Name())
			assert.Equal(t, 3, got.Stack.Len())
			assert.Equal(t, "run", got.Method.Name())
			assert.Equal(t, "com.acme.App", got.Class.Name())
			assert.Equal(t, "app", got.Loader.Name())
			assert.Equal(t, "STATE_RUNNABLE", got.State)
			assert.Len(t, got.Frames, 3)
		} else {
			assert.True(t, got.Thread.IsZero())
			assert.True(t, got.Stack.IsZero())
			assert.True(t, got.Method.IsZero())
			assert.True(t, got.Class.IsZero())
			assert.True(t, got.Loader.IsZero())
			assert.Empty(t, got.State)
			assert.Empty(t, got.Frames)
		}
		i++
	}
	assert.Equal(t, 2, i)
}

// TestRowsAreIndependent: two loops over one binding do not fill one struct.
func TestRowsAreIndependent(t *testing.T) {
	rec, _ := openBuilt(t, newSample())
	bound, err := mmapjfr.Bind[struct {
		I int32 `jfr:"i"`
	}](rec, "test.Kinds")
	require.NoError(t, err)
	a, b := bound.Row(), bound.Row()
	events := all(t, rec)
	assert.Equal(t, int32(-70_000), a.Read(events[0]).I)
	assert.NotSame(t, a.Read(events[0]), b.Read(events[2]))
	assert.Equal(t, int32(-70_000), a.Read(events[0]).I)
	assert.Equal(t, int32(-1<<31), b.Read(events[2]).I)
}

func TestBindPassesErrorsOn(t *testing.T) {
	b := newSample()
	b.EmitRaw(jfrtest.EventOptions{Size: new(int64(0))}, 5, nil)
	rec, layouts := openBuilt(t, b)
	bound, err := mmapjfr.Bind[struct {
		I int32 `jfr:"i"`
	}](rec, "test.Kinds")
	require.NoError(t, err)
	n := 0
	var errs []error
	for row, err := range bound.Events() {
		if err != nil {
			assert.Zero(t, row)
			errs = append(errs, err)
			continue
		}
		n++
	}
	assert.Equal(t, 3, n)
	require.Len(t, errs, 1)
	isAt(t, errs[0], mmapjfr.ErrCorrupt, 0, layouts[0].Events[len(layouts[0].Events)-1].Offset)
	for range bound.Events() {
		break
	}
}

// TestBindToATypeThatTheNewestMetadataForgot finds it whether somebody has come upon it before
// or not.
func TestBindToATypeThatTheNewestMetadataForgot(t *testing.T) {
	forms(t, forgetful, func(t *testing.T, b *jfrtest.Builder) {
		for _, before := range []bool{false, true} {
			rec, _ := openBuilt(t, newSample(), b)
			if before {
				require.NotEmpty(t, all(t, rec))
			}
			bound, err := mmapjfr.Bind[struct {
				N int `jfr:"n"`
			}](rec, "test.Gone")
			require.NoError(t, err)
			var got []int
			for row, err := range bound.Events() {
				require.NoError(t, err)
				got = append(got, row.N)
			}
			assert.Equal(t, []int{2, 4, 6}, got)
			_, err = mmapjfr.Bind[struct {
				Text int `jfr:"text"`
			}](rec, "test.Gone")
			require.ErrorContains(t, err, "cannot hold java.lang.String text")
			_, err = mmapjfr.Bind[struct {
				N int `jfr:"n"`
			}](rec, "test.None")
			require.ErrorContains(t, err, "the recording has no event type")
		}
	})
}
