package jvmstats_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/internal/opentest"
)

// begin is when made recordings begin.
var begin = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

// newChunk returns a chunk whose ticks are nanoseconds since begin.
func newChunk() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Header.StartNanos, b.Header.StartTicks, b.Header.TickRate = begin.UnixNano(), 0, 1e9
	return b
}

const second = int64(time.Second)

// class adds a class, and returns what refers to it.
func class(b *jfrtest.Builder, key int, name string) jfrtest.Constant {
	b.Constant("jdk.types.Symbol", key, name)
	return b.Constant("java.lang.Class", key, 0, key, 0, 1, false)
}

// known returns what is known after a made recording.
func known(t *testing.T, b *jfrtest.Builder) jvmstats.Snapshot {
	t.Helper()
	return observed(t, inOrder(t, b.Bytes())).Snapshot()
}

// TestBuffersInsteadOfSamples has the events of older JVMs and other profilers.
func TestBuffersInsteadOfSamples(t *testing.T) {
	b := newChunk()
	of, ints := class(b, 1, "java/lang/String"), class(b, 2, "[[I")
	inTLAB := b.Event("jdk.ObjectAllocationInNewTLAB", jfrtest.Const("objectClass", "java.lang.Class"),
		jfrtest.Of("allocationSize", "long"), jfrtest.Of("tlabSize", "long"))
	outside := b.Event("jdk.ObjectAllocationOutsideTLAB", jfrtest.Const("objectClass", "java.lang.Class"),
		jfrtest.Of("allocationSize", "long"))
	b.Emit(inTLAB, 1*second, of, 24, 1000)
	b.Emit(outside, 2*second, ints, 3000)
	b.Emit(inTLAB, 3*second, of, 24, 500)
	s := known(t, b)
	assert.Equal(t, jvmstats.Allocation{
		Source: "jdk.ObjectAllocationInNewTLAB", PerSecond: 4500. / 2, Recent: 4500,
		Classes: []jvmstats.ClassAlloc{
			{Class: "int[][]", Bytes: 3000, Events: 1, Share: 3000. / 4500},
			{Class: "java.lang.String", Bytes: 1500, Events: 2, Share: 1500. / 4500},
		},
	}, s.Alloc)
}

// TestErrorsInsteadOfExceptions has what JVMs record by default, and the three events that each error has.
func TestErrorsInsteadOfExceptions(t *testing.T) {
	for _, both := range []bool{false, true} {
		b := newChunk()
		c, other := class(b, 1, "java/lang/Error"), class(b, 2, "java/lang/Exception")
		b.Emit(b.Event("jdk.JavaErrorThrow", jfrtest.Const("thrownClass", "java.lang.Class")), second, c)
		want := jvmstats.Exceptions{Source: "jdk.JavaErrorThrow", Recorded: 1, Classes: []jvmstats.ClassCount{{Class: "java.lang.Error", Count: 1}}}
		if both {
			thrown := b.Event("jdk.JavaExceptionThrow", jfrtest.Const("thrownClass", "java.lang.Class"))
			for _, one := range []any{c, c, other, other, other} {
				b.Emit(thrown, second, one)
			}
			want.Source, want.Recorded = "jdk.JavaExceptionThrow", 4
			want.Classes = append([]jvmstats.ClassCount{{Class: "java.lang.Exception", Count: 3}}, want.Classes...)
		}
		assert.Equal(t, want, known(t, b).Exceptions)
	}
}

// TestCollectionsInsteadOfPauses has no events for pauses.
func TestCollectionsInsteadOfPauses(t *testing.T) {
	b := newChunk()
	b.Constant("jdk.types.GCCause", 1, "Allocation Failure")
	gc := b.Event("jdk.GarbageCollection", jfrtest.Duration(), jfrtest.Const("cause", "jdk.types.GCCause"),
		jfrtest.Of("sumOfPauses", "long").With(jfrtest.Note("jdk.jfr.Timespan", "TICKS")),
		jfrtest.Of("longestPause", "long").With(jfrtest.Note("jdk.jfr.Timespan", "TICKS")))
	b.Emit(gc, 1*second, second, 1, 300, 200)
	b.Emit(gc, 5*second, second/2, 1, 100, 100)
	s := known(t, b)
	assert.InDelta(t, 400e-9/3.5, s.GC.Share, 1e-18)
	s.GC.Share = 0
	assert.Equal(t, jvmstats.GC{
		Time: jsonout.At(begin.Add(5500 * time.Millisecond)), Last: 100, Recent: 2, Sum: 400, Longest: 200,
		Count: 2, Total: 400, Causes: []jvmstats.Cause{{Name: "Allocation Failure", Count: 2, Pauses: 400}},
	}, s.GC)
}

// TestWindows has events that get older than a minute.
func TestWindows(t *testing.T) {
	b := newChunk()
	pause := b.Event("jdk.GCPhasePause", jfrtest.Duration())
	tick := b.Event("Tick")
	for i := range int64(121) {
		b.Emit(tick, i*second)
	}
	b.Emit(pause, 10*second, 9_000)
	b.Emit(pause, 100*second, 50)
	s := known(t, b)
	assert.Equal(t, begin, s.Start.Time)
	assert.Equal(t, begin.Add(120*time.Second), s.Time.Time)
	assert.EqualValues(t, 1, s.GC.Recent)
	assert.EqualValues(t, 50, s.GC.Sum)
	assert.EqualValues(t, 50, s.GC.Longest)
	assert.EqualValues(t, 2, s.GC.Count)
	assert.EqualValues(t, 9050, s.GC.Total)
	require.Equal(t, []string{"Tick", "jdk.GCPhasePause"}, []string{s.Types[0].Name, s.Types[1].Name})
	assert.EqualValues(t, 121, s.Types[0].Count)
	assert.InDelta(t, 10./9, s.Types[0].PerSecond, 1e-9, "the second that has just begun counts, but has no length")
	assert.InDelta(t, 60./59, s.Types[0].PerSecondMinute, 1e-9)
	assert.Zero(t, s.Types[1].PerSecond)
}

// TestExceptionCounts has a number that only grows, until another JVM begins.
func TestExceptionCounts(t *testing.T) {
	b := newChunk()
	ty := b.Event("jdk.ExceptionStatistics", jfrtest.Of("throwables", "long"))
	for i := range int64(30) {
		b.Emit(ty, i*second, 1000+i*i)
	}
	s := known(t, b)
	assert.EqualValues(t, 1000+29*29, s.Exceptions.Count)
	assert.InDelta(t, (29*29-19*19)/10., s.Exceptions.PerSecond, 1e-9)
	b.Emit(ty, 30*second, 3)
	assert.Zero(t, known(t, b).Exceptions.PerSecond, "nothing to compare with")
	b.Emit(ty, 32*second, 7)
	assert.InDelta(t, 2, known(t, b).Exceptions.PerSecond, 1e-9)
}

// TestHistories has more points than are kept, and several in a second.
func TestHistories(t *testing.T) {
	b := newChunk()
	load := b.Event("jdk.CPULoad", jfrtest.Of("jvmUser", "float"), jfrtest.Of("jvmSystem", "float"), jfrtest.Of("machineTotal", "float"))
	usage := b.Event("jdk.GCHeapMemoryUsage", jfrtest.Of("used", "long"), jfrtest.Of("committed", "long"), jfrtest.Of("max", "long"))
	for i := range int64(500) {
		b.Emit(load, i*second, float32(0.25), float32(0.5), float32(i)/512)
		b.Emit(usage, i*second, 1000+i, 9000, 10000)
		b.Emit(usage, i*second+1, 10+i, 9000, 10000)
	}
	s := known(t, b)
	require.Len(t, s.CPU.History, 240)
	require.Len(t, s.Heap.History, 240)
	for i, p := range s.CPU.History {
		at := begin.Add(time.Duration(260+i) * time.Second)
		assert.Equal(t, jvmstats.CPUPoint{Time: jsonout.At(at), JVM: 0.75, Machine: float64(260+i) / 512}, p)
		assert.Equal(t, jvmstats.HeapPoint{Time: jsonout.At(at.Add(1)), Used: int64(1260 + i), Committed: 9000}, s.Heap.History[i], "the most of the second")
	}
	assert.EqualValues(t, 10+499, s.Heap.Used)
	assert.EqualValues(t, 10000, s.Heap.Max)
}

// TestOddNumbers has what no JVM tells. All of it can be written as JSON.
func TestOddNumbers(t *testing.T) {
	b := newChunk()
	load := b.Event("jdk.CPULoad", jfrtest.Of("jvmUser", "float"), jfrtest.Of("jvmSystem", "double"), jfrtest.Of("machineTotal", "float"))
	usage := b.Event("jdk.GCHeapMemoryUsage", jfrtest.Of("used", "long"), jfrtest.Of("committed", "long"), jfrtest.Of("max", "long"))
	pause := b.Event("jdk.GCPhasePause", jfrtest.Duration())
	read := b.Event("jdk.FileRead", jfrtest.Of("bytesRead", "long"))
	jvm := b.Event("jdk.JVMInformation", jfrtest.Of("jvmName", jfrtest.StringClass), jfrtest.Of("pid", "long"),
		jfrtest.Of("jvmStartTime", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")))
	sample := b.Event("jdk.ExecutionSample", jfrtest.StackTrace())
	b.Emit(load, 1, float32(math.NaN()), math.Inf(1), float32(-1))
	b.Emit(usage, 2, int64(math.MinInt64), -1, int64(math.MaxInt64))
	for i := range int64(100) {
		b.Emit(pause, 3+i, int64(math.MaxInt64))
		b.Emit(read, 3+i, int64(math.MaxInt64))
	}
	b.Emit(read, 4, -1)
	b.Emit(jvm, 5, strings.Repeat("x", 100_000), int64(math.MinInt64), int64(math.MaxInt64))
	b.Emit(sample, 6, 4711)
	s := known(t, b)
	assert.Zero(t, s.CPU.JVMUser)
	assert.EqualValues(t, 1, s.CPU.JVMSystem)
	assert.Zero(t, s.CPU.Machine)
	assert.Zero(t, s.Heap.Used)
	assert.Zero(t, s.Heap.Committed)
	assert.GreaterOrEqual(t, s.GC.Sum, time.Duration(0))
	assert.Positive(t, s.IO.FileRead)
	assert.Len(t, s.JVM.Name, 4096)
	assert.Equal(t, []jvmstats.Method{{Name: "(unknown)", Samples: 1, Share: 1}}, s.Methods.Top)
	_, err := json.Marshal(s)
	assert.NoError(t, err)
}

// TestLengthsThatAreNone has pauses that have no end, or whose length is not known.
func TestLengthsThatAreNone(t *testing.T) {
	b := newChunk()
	gc := b.Event("jdk.GarbageCollection",
		jfrtest.Of("sumOfPauses", "long").With(jfrtest.Note("jdk.jfr.Timespan", "TICKS")),
		jfrtest.Of("longestPause", "long").With(jfrtest.Note("jdk.jfr.Timespan", "TICKS")))
	b.Emit(gc, 1, 5, 5)
	b.Emit(gc, 2, int64(math.MinInt64), int64(math.MinInt64))
	b.Emit(gc, 3, int64(math.MaxInt64), int64(math.MaxInt64))
	s := known(t, b)
	assert.EqualValues(t, 5, s.GC.Sum)
	assert.EqualValues(t, 5, s.GC.Longest)
	assert.EqualValues(t, 1, s.GC.Count, "what is not known does not count")
}

// TestHeapOutOfOrder has what was used before, told after.
func TestHeapOutOfOrder(t *testing.T) {
	b := newChunk()
	usage := b.Event("jdk.GCHeapMemoryUsage", jfrtest.Of("used", "long"), jfrtest.Of("committed", "long"), jfrtest.Of("max", "long"))
	b.Emit(usage, 2*second, 2, 20, 200)
	b.Emit(usage, 1*second, 1, 10, 200)
	rec := opentest.Bytes(t, b.Bytes())
	v := jvmstats.New()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		require.NoError(t, v.Observe(ev))
	}
	v.Ended(nil)
	s := v.Snapshot()
	assert.EqualValues(t, 2, s.Heap.Used)
	assert.EqualValues(t, 20, s.Heap.Committed)
	assert.Equal(t, begin.Add(2*time.Second), s.Heap.Time.Time)
}

// TestTooManyTypes has more types than are counted each on its own.
func TestTooManyTypes(t *testing.T) {
	b := newChunk()
	for i := range 1100 {
		b.Emit(b.Event(fmt.Sprintf("T%04d", i)), int64(i))
	}
	long := b.Event("long." + strings.Repeat("x", 1000))
	b.Emit(long, 1)
	s := known(t, b)
	require.Len(t, s.Types, 1001)
	rest := s.Types[1000]
	assert.Equal(t, "(other types)", rest.Name)
	assert.EqualValues(t, 101, rest.Count)
	assert.Equal(t, "long."+strings.Repeat("x", 507), s.Types[999].Name)
	assert.EqualValues(t, 1101, s.Events.Count)
}

func TestStates(t *testing.T) {
	b := newChunk()
	b.Emit(b.Event("Tick"), second)
	events := inOrder(t, b.Bytes())
	v := jvmstats.New()
	wall := time.Unix(1000, 0)
	v.SetWall(func() time.Time { return wall })
	assert.Equal(t, jvmstats.Snapshot{State: jvmstats.Waiting, Types: []jvmstats.TypeRate{}}, v.Snapshot())
	require.NoError(t, v.Observe(events[0]))
	assert.Equal(t, jvmstats.Waiting, v.Snapshot().State, "not flushed yet")
	v.Flushed(wall)
	assert.Equal(t, jvmstats.Live, v.Snapshot().State)
	require.NoError(t, v.Observe(events[0]))
	assert.EqualValues(t, 1, v.Snapshot().Events.Count, "the state after a flush")
	wall = wall.Add(time.Second)
	v.Flushed(wall)
	assert.EqualValues(t, 2, v.Snapshot().Events.Count)
	wall = wall.Add(7 * time.Second)
	assert.Equal(t, 7*time.Second, v.Snapshot().Quiet)
	require.NoError(t, v.Observe(events[0]))
	v.Ended(nil)
	s := v.Snapshot()
	assert.Equal(t, jvmstats.Ended, s.State)
	assert.Zero(t, s.Quiet)
	assert.EqualValues(t, 3, s.Events.Count, "flushed or not")
	v.Ended(errors.New("the repository has gone"))
	s = v.Snapshot()
	assert.Equal(t, jvmstats.Lost, s.State)
	assert.Equal(t, "the repository has gone", s.Why)
}
