package open

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// sampledThreads opens a recording as async-profiler and the JVM write it: of a thread that runs, one that sleeps, and one
// that waits in native code, whose samples are most. A request of the second one lasts as long as all samples.
func sampledThreads(t *testing.T) *explorer {
	t.Helper()
	b := jfrtest.NewChunk()
	c := b.Checkpoint(jfrtest.MaskStatics)
	states := map[string]any{}
	for i, name := range []string{"STATE_DEFAULT", "STATE_RUNNABLE", "STATE_SLEEPING", "STATE_PARKED"} {
		states[name] = c.Add("jdk.types.ThreadState", i+1, name)
	}
	threads := map[string]any{}
	for i, name := range []string{"busy", "asleep", "acceptor"} {
		threads[name] = c.Add("java.lang.Thread", int64(i+1), name, i+1, name, int64(i+1), 0, false)
	}
	fields := []jfrtest.Field{jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.StackTrace(), jfrtest.Const("state", "jdk.types.ThreadState")}
	execution, wall, in := b.Event("jdk.ExecutionSample", fields...), b.Event("profiler.WallClockSample", fields...), b.Event("jdk.NativeMethodSample", fields...)
	request := b.Event("app.Request", jfrtest.Duration(), jfrtest.EventThread())
	at := 1_000_000
	emit := func(class *jfrtest.Class, thread, state string, times int) {
		for range times {
			at += 1_000_000
			b.Emit(class, at, threads[thread], 0, states[state])
		}
	}
	emit(execution, "busy", "STATE_DEFAULT", 1)
	emit(execution, "busy", "STATE_RUNNABLE", 2)
	emit(wall, "busy", "STATE_RUNNABLE", 3)
	emit(wall, "asleep", "STATE_SLEEPING", 10)
	emit(execution, "asleep", "STATE_PARKED", 4)
	emit(in, "acceptor", "STATE_RUNNABLE", 20)
	b.Emit(request, 1_000_000, at, threads["asleep"])
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return exploreFile(t, path)
}

// TestOnlyThreadsThatRunAreRunning looks at samples of threads that do not run, or of which nobody knows.
func TestOnlyThreadsThatRunAreRunning(t *testing.T) {
	x := sampledThreads(t)
	var d struct {
		Threads []threadDocument `json:"threads"`
	}
	remarshal(t, must(t, x, "/api/lanes"), &d)
	require.Len(t, d.Threads, 3)
	assert.Equal(t, "busy", d.Threads[0].Name, "the thread that runs is first, though it has the fewest samples")
	got := map[string]map[string]float64{}
	for _, thread := range d.Threads {
		events := map[string]float64{}
		for _, lane := range thread.Lanes {
			for i := 2; i < len(lane.Spans); i += 3 {
				events[lane.State] += lane.Spans[i]
			}
		}
		got[thread.Name] = events
	}
	assert.Equal(t, map[string]map[string]float64{"busy": {"running": 6}, "asleep": {"sleeping": 14}, "acceptor": {"native": 20}}, got)

	var l latencyDocument
	remarshal(t, must(t, x, "/api/latency"), &l)
	require.Len(t, l.Spans, 1)
	require.Len(t, l.Spans[0].Samples, 1)
	assert.Equal(t, "sleeping", l.Spans[0].Samples[0].State)
	assert.Equal(t, 14, l.Spans[0].Samples[0].Samples)
}

// TestMomentOfALane compares what a thread did at some moments with all events, and the pauses of lanes with those of the JVM.
func TestMomentOfALane(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	events := everything(t, x)
	var d struct {
		Threads []threadDocument `json:"threads"`
		Pauses  []float64        `json:"pauses"`
	}
	remarshal(t, must(t, x, "/api/lanes", "width", "8192"), &d)
	pauses := 0.0
	for i := 2; i < len(d.Pauses); i += 3 {
		pauses += d.Pauses[i]
	}
	blocked := 0
	start, end := x.set.Span()
	for _, thread := range d.Threads[:8] {
		for part := 0; part < 50; part += longtest.Cases(2, 1) {
			at := start.Add(end.Sub(start) * time.Duration(part) / 50)
			at = time.UnixMicro(at.UnixMicro()) // numbers of scripts are not exact
			want := map[string]bool{}
			paused := 0.0
			for _, ev := range events {
				_, _, is := stateOf(ev)
				pause := ev.Type().Name() == pauseType
				if pause {
					paused++
				}
				of := keyOf(ev.Thread())
				if (pause || is && of.name == thread.Name && of.id == thread.ID) && ev.StartNanos() <= at.UnixNano()+1e6 && engine.EventEndNanos(ev) >= at.UnixNano()-1e6 {
					want[x.place(ev).Offset] = true
				}
			}
			require.Equal(t, paused, pauses)
			var found laneDoc
			remarshal(t, must(t, x, "/api/lane", "name", thread.Name, "id", fmt.Sprint(thread.ID), "at", fmt.Sprintf("%.3f", millis(at)), "around", "1", "limit", "100"), &found)
			require.Len(t, found.Events, len(want))
			for _, ev := range found.Events {
				assert.True(t, want[ev.At.Offset])
				if ev.State == "blocked" {
					blocked++
					assert.NotEmpty(t, ev.Owner)
					assert.Equal(t, "java.lang.Object", ev.Class)
					assert.Contains(t, ev.Top, "gen.Locks.contend")
				}
			}
		}
	}
	assert.Positive(t, blocked)
}
