package rewrite_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// jvmInformation is what tests say of a JVM.
type jvmInformation struct {
	Name  string    `jfr:"jvmName"`
	Start time.Time `jfr:"jvmStartTime" unit:"ms"`
	PID   int64     `jfr:"pid"`
}

// written makes a recording that begins at a time. A process of 0 is not named.
func written(t testing.TB, begin time.Time, process int64) []byte {
	t.Helper()
	var out bytes.Buffer
	now := begin
	w, err := writer.New(&out, writer.Clock(func() time.Time { now = now.Add(time.Minute); return now }))
	require.NoError(t, err)
	info, err := writer.NewRecorder[jvmInformation](w, writer.EventInfo{Name: "jdk.JVMInformation", Instant: true, NoThread: true})
	require.NoError(t, err)
	work, err := writer.NewRecorder[struct{ N int64 }](w, writer.EventInfo{Name: "test.Work"})
	require.NoError(t, err)
	if process != 0 {
		require.NoError(t, info.Record(t.Context(), jvmInformation{"test", begin, process}))
	}
	ctx := writer.WithThread(t.Context(), writer.Thread{Name: "main", ID: 1})
	for n := range int64(3) {
		require.NoError(t, work.Record(ctx, struct{ N int64 }{n}))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// TestMergeOfJVMsThatStartTogether has two virtual machines whose clocks could be one.
func TestMergeOfJVMsThatStartTogether(t *testing.T) {
	begin := time.Date(2026, 11, 25, 21, 0, 0, 0, time.UTC)
	recs := []*mmapjfr.Recording{open(t, written(t, begin, 1)), open(t, written(t, begin.Add(1700*time.Microsecond), 2))}
	require.True(t, engine.ChunkSameJVM(recs[0].Chunks()[0], recs[1].Chunks()[0]), "so the test is one")
	var plan rewrite.Plan
	merged, err := plan.Merge(t.Context(), recs, nil)
	require.NoError(t, err)
	assert.Len(t, merged.Machines, 2)
	data, _ := rewritten(t, &plan, recs...)
	made := open(t, data)
	clean(t, made)
	first := made.Chunks()[0]
	for _, c := range made.Chunks() {
		// What the JDK's reader makes of a chunk's begin by the first chunk's clock.
		assert.Equal(t, c.Start(), engine.ChunkTicksToTime(first, engine.ChunkIndex(c).Header().StartTicks))
	}
	for i, ev := range linesOf(t, made) {
		assert.Equal(t, linesOf(t, recs...)[i].Start, ev.Start)
	}
}

// TestMergeOfChunksWithoutAProcess has a recording as async-profiler makes it beside a virtual machine: not all chunks say
// of which process they are.
func TestMergeOfChunksWithoutAProcess(t *testing.T) {
	begin := time.Date(2026, 11, 25, 21, 0, 0, 0, time.UTC)
	both := append(written(t, begin, 4711), written(t, begin.Add(time.Minute), 0)...)
	later := append(written(t, begin, 4711), written(t, begin.Add(time.Hour), 0)...)
	alone := written(t, begin.Add(2*time.Hour), 0)
	for name, c := range map[string]struct {
		recs     [][]byte
		machines int
	}{
		"one file":                {[][]byte{both}, 1},
		"one after another":       {[][]byte{later}, 2},
		"beside another process":  {[][]byte{both, written(t, begin, 4712)}, 2},
		"a file of its own":       {[][]byte{both, alone}, 2},
		"a file of two processes": {[][]byte{append(bytes.Clone(both), written(t, begin, 4712)...)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var recs []*mmapjfr.Recording
			for _, data := range c.recs {
				recs = append(recs, open(t, data))
			}
			var plan rewrite.Plan
			merged, err := plan.Merge(t.Context(), recs, nil)
			require.NoError(t, err)
			assert.Len(t, merged.Machines, c.machines)
			data, _ := rewritten(t, &plan, recs...)
			clean(t, open(t, data))
		})
	}
}

// TestConstantsThatAreLostAreReported has a checkpoint that cannot be read, so all constants are missing.
func TestConstantsThatAreLostAreReported(t *testing.T) {
	data := longtest.Read(t, filepath.Join(longtest.Root(t), "testdata", "jdk25-cputime.jfr"))
	h, ok := wire.ReadHeader(data)
	require.True(t, ok)
	data[h.Checkpoint] = 2 // its size
	for name, plan := range map[string]*rewrite.Plan{
		"made anew": {Anew: true}, "one clock": {OneClock: true}, "readable": {Readable: true},
		"nothing is dropped": {Drop: func(mmapjfr.Type) bool { return false }}, "time": {From: time.Unix(0, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			var errs []error
			plan.OnError = func(_ *mmapjfr.Recording, err error) { errs = append(errs, err) }
			made, _ := rewritten(t, plan, open(t, data))
			require.NotEmpty(t, errs)
			assert.ErrorIs(t, errs[0], mmapjfr.ErrCorrupt)
			rec := open(t, made)
			for _, c := range rec.Chunks() {
				require.NoError(t, c.ConstantsErr())
			}
			checked, err := verify.Check(t.Context(), rec)
			require.NoError(t, err)
			for _, f := range checked.Findings {
				assert.NotEqual(t, "empty-pool", f.Kind.String(), f.Text)
			}
		})
	}
}

// TestRateThatNoClockHas: a copy gets a usual one, and it is said.
func TestRateThatNoClockHas(t *testing.T) {
	data := longtest.Read(t, filepath.Join(longtest.Root(t), "testdata", "jdk25-ticks.jfr"))
	h, ok := wire.ReadHeader(data)
	require.True(t, ok)
	h.TicksPerSecond = -7
	var head wire.Appender
	head.Header(h)
	copy(data, head.Bytes)
	for name, plan := range map[string]*rewrite.Plan{"made anew": {Anew: true}, "one clock": {OneClock: true}, "readable": {Readable: true}} {
		t.Run(name, func(t *testing.T) {
			var errs []error
			plan.OnError = func(_ *mmapjfr.Recording, err error) { errs = append(errs, err) }
			made, _ := rewritten(t, plan, open(t, data))
			require.NotEmpty(t, errs)
			assert.ErrorContains(t, errs[0], "header: corrupt: its clock has -7 ticks a second")
			checked, err := verify.Check(t.Context(), open(t, made))
			require.NoError(t, err)
			assert.Zero(t, checked.Count(verify.Error), "%v", checked.Findings)
		})
	}
}
