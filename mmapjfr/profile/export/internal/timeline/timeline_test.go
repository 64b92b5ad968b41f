package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

var open = opentest.File

var openBytes = opentest.Bytes

// TestValues compares the fields of all events with what paths to them lead to.
func TestValues(t *testing.T) {
	for _, name := range []string{"jdk25-kinds.jfr", "jdk17-kinds.jfr", "jdk25-profile.jfr"} {
		rec := open(t, name)
		tl := timeline.New([]*mmapjfr.Recording{rec}, profile.New(), timeline.Options{})
		kinds := make(map[timeline.FieldKind]int)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			typ := tl.Type(ev.Type())
			typ.Values(ev, func(field int, d timeline.Datum) {
				f := &typ.Fields[field]
				kinds[f.Kind]++
				v := ev.Get(mmapjfr.Path(f.Name))
				require.NotEqual(t, mmapjfr.KindNone, v.Kind(), f.Name)
				var want any
				got := any(d.Text)
				switch f.Kind {
				case timeline.Text:
					want = v.Text()
				case timeline.Bool:
					want, got = v.Bool(), d.Bool
				case timeline.Integer:
					want, got = v.Int(), d.Int
					if field, ok := v.Field(); ok && field.IsUnsigned() && v.Int() < 0 {
						want = int64(math.MaxInt64)
					}
				case timeline.Float:
					want, got = v.Float(), d.Float
				case timeline.Span:
					want, got = int64(v.Duration()), d.Int
				case timeline.Time:
					want, got = v.Time(), time.Unix(0, d.Int).UTC()
				case timeline.List:
					want, got = v.Len(), len(d.List)
				}
				require.Equal(t, want, got, "%s.%s", ev.Type().Name(), f.Name)
			})
		}
		for _, kind := range []timeline.FieldKind{timeline.Text, timeline.Bool, timeline.Integer, timeline.Span} {
			assert.Positive(t, kinds[kind], "%s: %d", name, kind)
		}
	}
}

// TestWalk has all events of a chunk in the order of their begin, with their threads and stacks.
func TestWalk(t *testing.T) {
	rec, p := open(t, "jdk25-profile.jfr"), profile.New()
	var o timeline.Options
	bytes := uint64(0)
	o.Where = func(ev mmapjfr.Event) bool { return ev.Type().Name() != "jdk.ClassLoad" }
	o.Progress = func(n uint64) { bytes += n }
	tl := timeline.New([]*mmapjfr.Recording{rec}, p, o)
	marks := make([]int, 1)
	require.NoError(t, tl.Walk(t.Context(), func(list []timeline.Entry) error {
		require.True(t, slices.IsSortedFunc(list, func(a, b timeline.Entry) int {
			if a.Start != b.Start {
				return int(min(max(a.Start-b.Start, -1), 1))
			}
			return int(min(max(b.End-a.End, -1), 1))
		}))
		for i := range list {
			ev, err := tl.Event(&list[i])
			require.NoError(t, err)
			require.NotEqual(t, "jdk.ClassLoad", ev.Type().Name())
			require.Equal(t, ev.StartNanos(), list[i].Start)
			require.Equal(t, engine.EventEndNanos(ev), list[i].End)
			require.Equal(t, ev.Thread().Name(), tl.Threads[list[i].Thread].Name)
			for len(marks) < len(tl.Threads) {
				marks = append(marks, 0)
			}
			if list[i].Type.Role != timeline.Mark {
				continue
			}
			marks[list[i].Thread]++
			n := 0
			for _, f := range p.Stack(list[i].Stack) {
				if f.Kind != profile.Text {
					m := ev.StackTrace().Frame(n).Method()
					require.Equal(t, m.Name(), f.Method.Name)
					n++
				}
			}
			require.Equal(t, ev.StackTrace().Len(), n)
		}
		return nil
	}))
	assert.LessOrEqual(t, bytes, uint64(rec.Size()))
	for i, n := range marks {
		assert.Equal(t, tl.Threads[i].Marks, n)
	}
	stop := errors.New("stop")
	require.ErrorIs(t, tl.Walk(t.Context(), func([]timeline.Entry) error { return stop }), stop)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	require.ErrorIs(t, tl.Walk(ctx, func([]timeline.Entry) error { return nil }), stop)
}

// TestSeveral has the same threads, types and counters for two recordings of one program as for one.
func TestSeveral(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	count := func(recs ...*mmapjfr.Recording) (tl *timeline.Timeline, entries int) {
		tl = timeline.New(recs, profile.New(), timeline.Options{})
		require.NoError(t, tl.Walk(t.Context(), func(list []timeline.Entry) error {
			entries += len(list)
			for i := range list {
				if list[i].Type.Role == timeline.Counter {
					ev, err := tl.Event(&list[i])
					require.NoError(t, err)
					tl.Counts(&list[i], ev, func(int, float64) {})
				}
			}
			return nil
		}))
		return tl, entries
	}
	one, n := count(rec)
	two, both := count(rec, open(t, "jdk25-profile.jfr"))
	assert.Equal(t, 2*n, both)
	assert.Equal(t, len(one.Series), len(two.Series))
	require.Equal(t, len(one.Threads), len(two.Threads))
	for i := range one.Threads {
		assert.Equal(t, 2*one.Threads[i].Marks, two.Threads[i].Marks)
	}
	from, to := two.Span()
	assert.Equal(t, rec.Start().UnixNano(), from)
	assert.Equal(t, rec.End().UnixNano(), to)
	assert.Equal(t, int64(14034), two.Info.PID)
	assert.Equal(t, "gen.Profile", two.Info.Command())
	assert.True(t, strings.HasPrefix(two.Info.JVM, "OpenJDK 64-Bit Server VM (25"))
	assert.Contains(t, two.Info.Arguments, "-XX:+UseG1GC")
	assert.Equal(t, int64(2), two.Info.Cores)
}

// TestParts has the same events of a chunk, in the same order, whether it is read in parts or not.
func TestParts(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Header.DurationNanos = 5000
	typ := b.Event("test.Event", jfrtest.Duration(), jfrtest.Of("n", "int"))
	bare := b.Class("test.Bare", jfrtest.Of("n", "int"))
	bare.SuperType = jfrtest.EventSuperType
	b.Emit(bare, 7) // has no start time
	for i := range 100 {
		b.Emit(typ, 1_000_000+100*int64((i*37)%100), 50, i)
	}
	for _, data := range [][]byte{b.Bytes(), jfrtest.NastyEvents(1, 60).Bytes()} {
		rec := openBytes(t, data)
		var whole []int64
		for _, part := range []uint64{1 << 30, 1000, 100} {
			tl := timeline.New([]*mmapjfr.Recording{rec}, profile.New(), timeline.Options{})
			tl.SetPart(part)
			var got []int64
			calls := 0
			require.NoError(t, tl.Walk(t.Context(), func(list []timeline.Entry) error {
				calls++
				for i := range list {
					got = append(got, list[i].Start)
				}
				return nil
			}))
			if whole == nil {
				whole = got
				require.Equal(t, 1, calls)
				continue
			}
			assert.Greater(t, calls, 2)
			assert.Equal(t, whole, got)
		}
		assert.NotEmpty(t, whole)
	}
}

// TestDamage goes on after events that cannot be read, and returns the first errors or gives them to a
// function.
func TestDamage(t *testing.T) {
	b := jfrtest.NewChunk()
	good := b.Event("test.Good", jfrtest.Of("n", "int"))
	bad := b.Event("test.Bad", jfrtest.Of("s", jfrtest.StringClass))
	for i := range 300 {
		b.Emit(good, 1_000_000+i, i)
		b.Emit(bad, 1_000_000+i, jfrtest.Raw{3, 0x7f}) // a string that is longer than the event
	}
	rec := openBytes(t, b.Bytes())
	count := func(o timeline.Options) (n int, err error) {
		err = timeline.New([]*mmapjfr.Recording{rec}, profile.New(), o).Walk(t.Context(), func(list []timeline.Entry) error {
			n += len(list)
			return nil
		})
		return n, err
	}
	n, err := count(timeline.Options{})
	assert.Equal(t, 300, n)
	require.Error(t, err)
	given := 0
	n, err2 := count(timeline.Options{OnError: func(*mmapjfr.Recording, error) { given++ }})
	assert.Equal(t, 300, n)
	require.NoError(t, err2)
	assert.Equal(t, given, len(strings.Split(err.Error(), "\n")))
	assert.Equal(t, 101, given)
}

// TestCounts keeps the numbers of one type apart: by field, by what the event names, and by thread if
// they are those of a thread.
func TestCounts(t *testing.T) {
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	thread := cp.Add("java.lang.Thread", 1, "os", 7, "main", 1, 0, false)
	network := b.Event("jdk.NetworkUtilization", jfrtest.EventThread(), jfrtest.Of("networkInterface", jfrtest.StringClass), jfrtest.Of("readRate", "long"), jfrtest.Of("gcId", "int"))
	load := b.Event("jdk.ThreadCPULoad", jfrtest.EventThread(), jfrtest.Of("user", "float"))
	heap := b.Event("jdk.GCHeapSummary", jfrtest.Of("when", jfrtest.StringClass), jfrtest.Of("heapUsed", "long"))
	for i := range 3 {
		b.Emit(network, 1000+i, thread, "eth"+fmt.Sprint(i%2), 10+i, i)
		b.Emit(load, 1000+i, thread, float32(i))
		b.Emit(heap, 1000+i, fmt.Sprint("when ", i), 100+i)
	}
	b.Emit(load, 2000, thread, float32(math.NaN()))
	tl := timeline.New([]*mmapjfr.Recording{openBytes(t, b.Bytes())}, profile.New(), timeline.Options{})
	got := make(map[string][]float64)
	require.NoError(t, tl.Walk(t.Context(), func(list []timeline.Entry) error {
		for i := range list {
			ev, err := tl.Event(&list[i])
			require.NoError(t, err)
			tl.Counts(&list[i], ev, func(series int, n float64) {
				s := tl.Series[series]
				got[s.Name+" of "+tl.Threads[s.Thread].Name] = append(got[s.Name+" of "+tl.Threads[s.Thread].Name], n)
			})
		}
		return nil
	}))
	assert.Equal(t, map[string][]float64{
		"NetworkUtilization: readRate (eth0) of ": {10, 12}, "NetworkUtilization: readRate (eth1) of ": {11},
		"ThreadCPULoad: user of main": {0, 1, 2}, "GCHeapSummary: heapUsed of ": {100, 101, 102},
	}, got)
}

// TestSamples sorts samples by kind, thread and time.
func TestSamples(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: 1})
	require.NoError(t, err)
	tl := timeline.New([]*mmapjfr.Recording{rec}, p, timeline.Options{})
	list := tl.Samples()
	n := 0
	for range p.Samples() {
		n++
	}
	require.Len(t, list, n)
	for i, s := range list {
		if i > 0 && list[i-1].Kind.Name == s.Kind.Name && tl.Labeled(p.Labels(list[i-1].Labels)) == tl.Labeled(p.Labels(s.Labels)) {
			require.LessOrEqual(t, list[i-1].Time, s.Time)
		}
	}
}

// TestManyFields gives up on types whose structs hold structs without end.
func TestManyFields(t *testing.T) {
	b := jfrtest.NewChunk()
	inner := b.Class("test.Inner")
	inner.Fields = append(inner.Fields, jfrtest.Of("n", "int"))
	for _, level := range []string{"test.C", "test.B", "test.A"} {
		c := b.Class(level)
		below := map[string]string{"test.C": "test.Inner", "test.B": "test.C", "test.A": "test.B"}[level]
		for i := range 80 {
			c.Fields = append(c.Fields, jfrtest.Of(fmt.Sprint("f", i), below))
		}
	}
	b.Event("test.Event", jfrtest.Of("a", "test.A"))
	rec := openBytes(t, b.Bytes())
	typ, ok := rec.Type("test.Event")
	require.True(t, ok)
	known := timeline.New(nil, profile.New(), timeline.Options{}).Type(typ)
	assert.Len(t, known.Fields, 256)
	assert.True(t, strings.HasPrefix(known.Fields[0].Name, "a.f0."))
}
