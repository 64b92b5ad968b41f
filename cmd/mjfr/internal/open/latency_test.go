package open

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestLatency compares the slowest spans, and what their threads did meanwhile, with a look at every nanosecond that
// begins or ends something.
func TestLatency(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-kinds.jfr", "jdk25-virtual.jfr", "concat-jdk17-jdk25.jfr"} {
		x := explore(t, name)
		types := must(t, x, "/api/latency")["types"].([]any)
		require.NotEmpty(t, types, name)
		events := everything(t, x)
		for _, typ := range types {
			typ := typ.(map[string]any)["name"].(string)
			var d latencyDocument
			remarshal(t, must(t, x, "/api/latency", "type", typ, "limit", "5"), &d)
			var durations []int64
			for _, ev := range events {
				if ns := engine.EventEndNanos(ev) - ev.StartNanos(); ev.Type().Name() == typ && ns > 0 {
					durations = append(durations, ns)
				}
			}
			slices.SortFunc(durations, func(a, b int64) int { return int(b - a) })
			require.Len(t, d.Spans, min(5, len(durations)), typ)
			for i, s := range d.Spans {
				assert.Equal(t, durations[i], s.Duration, typ)
				want, samples := meanwhile(events, &s)
				got := map[string]int64{}
				for _, p := range s.Parts {
					got[p.State] = p.Nanos
				}
				assert.Equal(t, want, got, "%s %s %v", name, typ, s.At)
				found := map[string]int{}
				for _, in := range s.Samples {
					found[in.State] = in.Samples
					assert.NotEmpty(t, in.Top)
				}
				assert.Equal(t, samples, found)
			}
		}
	}
}

// everything returns all events.
func everything(t *testing.T, x *explorer) (list []mmapjfr.Event) {
	t.Helper()
	for ev, err := range x.set.Events() {
		require.NoError(t, err)
		list = append(list, ev.Detached())
	}
	return list
}

// remarshal fills a document with an answer.
func remarshal(t *testing.T, answer, document any) {
	t.Helper()
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, document))
}

// meanwhile returns what the thread of a slow event did, state by state between any two points in time at which something
// begins or ends.
func meanwhile(events []mmapjfr.Event, s *spanDocument) (parts map[string]int64, samples map[string]int) {
	samples = map[string]int{}
	at := slices.IndexFunc(events, func(ev mmapjfr.Event) bool {
		return strconv.FormatUint(ev.Offset(), 10) == s.At.Offset && ev.Type().Name() == s.Type && engine.EventEndNanos(ev)-ev.StartNanos() == s.Duration
	})
	one := events[at]
	names := []string{}
	for _, state := range states {
		names = append(names, state.name)
	}
	names = append(names, "paused")
	type part struct {
		state    int
		from, to int64
	}
	var all []part
	points := []int64{one.StartNanos(), engine.EventEndNanos(one)}
	for _, ev := range events {
		state, sample, is := stateOf(ev)
		if ev.Type().Name() == pauseType {
			state, is = len(states), true
		}
		if !is || state < len(states) && keyOf(ev.Thread()) != keyOf(one.Thread()) {
			continue
		}
		from, to := max(ev.StartNanos(), points[0]), min(engine.EventEndNanos(ev), points[1])
		switch {
		case from > to:
		case sample:
			samples[names[state]]++
		default:
			all = append(all, part{state, from, to})
		}
	}
	for _, p := range all {
		points = append(points, p.from, p.to)
	}
	slices.Sort(points)
	parts = map[string]int64{}
	for i := range points[1:] {
		from, to := points[i], points[i+1]
		if from == to {
			continue
		}
		state := len(names)
		for _, p := range all {
			if p.from <= from && to <= p.to {
				state = min(state, p.state)
			}
		}
		name := "other"
		if state < len(names) {
			name = names[state]
		}
		parts[name] += to - from
	}
	return parts, samples
}

func TestLatencyOfWrongRequests(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	for _, c := range [][]string{{"type", "nonsense"}, {"type", "jdk.CPULoad"}, {"limit", "many"}, {"from", "x"}} {
		status, answer := ask(t, x, "/api/latency", c...)
		assert.Equal(t, http.StatusBadRequest, status)
		assert.NotEmpty(t, answer["error"])
	}
	assert.Empty(t, must(t, x, "/api/latency", "limit", "0", "type", "jdk.ThreadPark")["spans"])
	assert.Empty(t, must(t, x, "/api/latency", "from", "0", "to", "1", "type", "jdk.ThreadPark")["spans"])
}

// TestManyIntervals keeps few of very many times.
func TestManyIntervals(t *testing.T) {
	var list []interval
	for i := range int64(100_000) {
		list = append(list, interval{i * 10, i*10 + 5})
	}
	apart := joined(slices.Clone(list), 0)
	assert.Equal(t, list, apart)
	assert.Equal(t, []interval{{0, 999_995}}, joined(list, 5))
}

// TestBlocks compares who blocked whom with all events.
func TestBlocks(t *testing.T) {
	found := 0
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-kinds.jfr"} {
		x := explore(t, name)
		type blocked struct {
			thread, owner, class string
			from, to             float64
		}
		all := map[blocked]bool{}
		for _, ev := range everything(t, x) {
			if ev.Type().Name() == "jdk.JavaMonitorEnter" {
				all[blocked{
					ev.Thread().Name(), ev.Get(pathOwner).Thread().Name(), ev.Get(pathMonitor).Class().Name(),
					float64(ev.StartNanos()) / 1e6, float64(engine.EventEndNanos(ev)) / 1e6,
				}] = true
			}
		}
		var d struct {
			Threads []threadDocument `json:"threads"`
		}
		remarshal(t, must(t, x, "/api/lanes", "width", "8192"), &d)
		for _, thread := range d.Threads {
			for _, b := range thread.Blocks {
				assert.Contains(t, all, blocked{thread.Name, b.Owner, b.Class, b.From, b.To})
				found++
			}
		}
	}
	assert.Positive(t, found)
}

// TestNoteOfVirtualThreads says that waits of virtual threads for monitors are not recorded, where they are not.
func TestNoteOfVirtualThreads(t *testing.T) {
	for _, monitors := range []string{"no", "platform", "virtual"} {
		b := jfrtest.NewChunk()
		b.Class("java.lang.Thread", jfrtest.Of("osName", jfrtest.StringClass), jfrtest.Of("osThreadId", "long"), jfrtest.Of("javaName", jfrtest.StringClass),
			jfrtest.Of("javaThreadId", "long"), jfrtest.Const("group", "jdk.types.ThreadGroup"), jfrtest.Of("virtual", "boolean"))
		c := b.Checkpoint(jfrtest.MaskStatics)
		threads := map[string]any{
			"virtual":  c.Add("java.lang.Thread", int64(1), "", 1, "", int64(7), 0, true),
			"platform": c.Add("java.lang.Thread", int64(2), "main", 2, "main", int64(1), 0, false),
		}
		enter := b.Event("jdk.JavaMonitorEnter", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Const("previousOwner", "java.lang.Thread"))
		request := b.Event("app.Request", jfrtest.Duration(), jfrtest.EventThread())
		if monitors != "no" {
			b.Emit(enter, 1_000_000, 1000, threads[monitors], 0)
		}
		b.Emit(request, 1_000_000, 5000, threads["virtual"])
		path := filepath.Join(t.TempDir(), "a.jfr")
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		var d latencyDocument
		remarshal(t, must(t, exploreFile(t, path), "/api/latency"), &d)
		require.Len(t, d.Spans, 1)
		assert.Equal(t, "virtual thread 7", d.Spans[0].Title)
		assert.Equal(t, monitors == "platform", len(d.Notes) == 1, monitors)
	}
}
