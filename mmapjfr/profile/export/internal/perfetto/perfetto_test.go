package perfetto_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/perfetto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

var open = opentest.File

// write returns the trace of recordings, and their profile.
func write(t *testing.T, o timeline.Options, recs ...*mmapjfr.Recording) (*trace, *profile.Profile) {
	t.Helper()
	return choose(t, profile.Choice{}, o, recs...)
}

// choose is write for what a choice keeps of the profile.
func choose(t *testing.T, c profile.Choice, o timeline.Options, recs ...*mmapjfr.Recording) (*trace, *profile.Profile) {
	t.Helper()
	ignore := func(*mmapjfr.Recording, error) {}
	p, err := profile.Read(t.Context(), recs, profile.Options{Times: 1, OnError: ignore, Filters: o.Filters})
	require.NoError(t, err)
	p = p.Choose(c)
	var out bytes.Buffer
	o.OnError = ignore
	require.NoError(t, perfetto.Write(t.Context(), &out, recs, p, o))
	return readTrace(t, out.Bytes()), p
}

// isLeftOut reports whether events of a type are no marks and no counters.
func isLeftOut(name string) bool {
	if name == "jdk.NativeLibrary" {
		return true
	}
	for _, part := range []string{"Flag", "jdk.Active", "jdk.Initial", "jdk.ModuleRequire", "jdk.ModuleExport", "ExecutionSample", "jdk.NativeMethodSample", "jdk.CPUTimeSample"} {
		if strings.Contains(name, part) && !strings.HasSuffix(name, "Changed") && !strings.HasSuffix(name, "Lost") {
			return true
		}
	}
	return false
}

// peers are the fields of other threads.
var peers = map[string]*mmapjfr.FieldPath{
	"jdk.JavaMonitorEnter": mmapjfr.Path("previousOwner"), "jdk.JavaMonitorWait": mmapjfr.Path("notifier"), "jdk.ThreadStart": mmapjfr.Path("parentThread"),
}

// TestEvents finds each event in the trace: at its time, for its duration, with its stack, and on the
// track of its thread.
func TestEvents(t *testing.T) {
	for i, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-kinds.jfr", "jdk25-virtual.jfr", "jdk17-chunks.jfr", "concat-jdk17-jdk25.jfr"} {
		if !longtest.Every(i, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			tr, p := write(t, timeline.Options{}, rec)
			types := timeline.New(nil, p, timeline.Options{})
			type key struct {
				typ        string
				start, end uint64
				frames     int
				thread     string
			}
			got, counters := make(map[key]int), make(map[uint64]bool)
			flows := 0
			for _, e := range tr.events {
				switch {
				case e.category == "flow":
					flows++
				case e.kind == 1 || e.kind == 3:
					got[key{e.annotations["eventType"].(string), e.at, e.end, len(e.stack), tr.thread(e.track)}]++
				case e.kind == 4:
					counters[e.at] = true
				}
			}
			want := 0
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				typ := ev.Type().Name()
				if field := peers[typ]; field != nil && !ev.Get(field).Thread().IsZero() {
					want++
				}
				switch {
				case isLeftOut(typ):
				case types.Type(ev.Type()).Role == timeline.Counter:
					require.True(t, counters[uint64(ev.StartNanos())], typ)
				default:
					n := ev.StackTrace().Len()
					if ev.StackTrace().IsTruncated() {
						n++
					}
					k := key{typ, uint64(ev.StartNanos()), uint64(engine.EventEndNanos(ev)), n, ev.Thread().Name()}
					got[k]--
					require.GreaterOrEqual(t, got[k], 0, "%+v", k)
				}
			}
			for k, n := range got {
				require.Zero(t, n, "%+v", k)
			}
			assert.Equal(t, want, flows)
			compareSamples(t, tr, p)
		})
	}
}

// thread returns the name of the thread of a track.
func (tr *trace) thread(uuid uint64) string {
	for ; uuid != 0; uuid = tr.parents[uuid] {
		if name, ok := tr.threads[uuid]; ok {
			return strings.TrimSuffix(name, "thread")
		}
		if name, _, ok := strings.Cut(tr.names[uuid], " #"); ok {
			return strings.TrimSuffix(name, "virtual thread")
		}
	}
	return ""
}

// compareSamples finds all samples of a profile in a trace.
func compareSamples(t *testing.T, tr *trace, p *profile.Profile) {
	t.Helper()
	got, want := make(map[string]int64), make(map[string]int64)
	for source, list := range tr.samples {
		for _, s := range list {
			got[source] += int64(s.weight)
			stack := slices.Clone(s.stack)
			slices.Reverse(stack)
			got[source+": "+strings.Join(stack, ";")] += int64(s.weight)
			for _, n := range s.followers {
				got[source+" followers"] += int64(n)
			}
		}
	}
	names := profile.Names{}
	for s := range p.Samples() {
		main := p.Main(s.Kind)
		source, weight := "jfr."+s.Kind.Name, s.Values[main]
		var stack []string
		for _, f := range p.Stack(s.Stack) {
			stack = append(stack, names.Frame(f))
		}
		want[source] += weight
		want[source+": "+strings.Join(stack, ";")] += weight
		for i, n := range s.Values {
			if i != main {
				want[source+" followers"] += n
			}
		}
	}
	assert.Equal(t, want, got)
}

// TestOverlaps puts events that overlap on tracks of their own, and others inside of each other, in
// whatever order they are recorded.
func TestOverlaps(t *testing.T) {
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	thread := cp.Add("java.lang.Thread", 1, "os", 1, "main", 1, 0, false)
	typ := b.Event("test.Work", jfrtest.Duration(), jfrtest.EventThread())
	times := [][2]int64{{0, 100}, {10, 50}, {10, 10}, {20, 60}, {50, 60}, {60, 100}, {5, 101}, {100, 100}, {100, 200}, {0, 100}}
	for _, at := range slices.Backward(times) {
		b.Emit(typ, 1_000_000+at[0], at[1]-at[0], thread)
	}
	rec := opentest.Bytes(t, b.Bytes())
	tr, _ := write(t, timeline.Options{}, rec)
	var got [][2]int64
	lanes := make(map[uint64]bool)
	first := slices.MinFunc(tr.events, func(a, b *event) int { return cmp.Compare(a.at, b.at) }).at
	for _, e := range tr.events {
		if e.kind == 1 {
			got = append(got, [2]int64{int64(e.at - first), int64(e.end - first)})
			lanes[e.track] = true
		}
	}
	assert.ElementsMatch(t, times, got)
	assert.Len(t, lanes, 2)
}

// TestManyOverlaps takes time in proportion to the events, also if each overlaps with all others.
func TestManyOverlaps(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.Work", jfrtest.Duration())
	const n = 3000
	for i := range int64(n) {
		b.Emit(typ, 1_000_000+i, 2*n)
	}
	rec := opentest.Bytes(t, b.Bytes())
	tr, _ := write(t, timeline.Options{}, rec)
	assert.Len(t, tr.events, 2*n)
}

// TestSelection writes what filters leave, and the threads as frames.
func TestSelection(t *testing.T) {
	o := timeline.Options{Filters: []mmapjfr.Filter{mmapjfr.Threads("main")}}
	tr, p := choose(t, profile.Choice{Threads: true}, o, open(t, "jdk25-profile.jfr"))
	for _, e := range tr.events {
		if e.category != "flow" && e.kind != 4 {
			assert.Equal(t, "main", tr.thread(e.track))
		}
	}
	n := 0
	for _, list := range tr.samples {
		for _, s := range list {
			require.Contains(t, s.stack[0], "[main tid=")
			n++
		}
	}
	assert.Positive(t, n)
	assert.NotEmpty(t, p.Kinds())
}

// TestVirtualThreads has virtual threads as tracks, and samples in them as contexts.
func TestVirtualThreads(t *testing.T) {
	tr, _ := write(t, timeline.Options{}, open(t, "jdk25-virtual.jfr"))
	virtual := 0
	for uuid, parent := range tr.parents {
		if tr.names[parent] == "Virtual threads" {
			virtual++
			assert.NotContains(t, tr.threads, uuid)
		}
	}
	assert.Positive(t, virtual)
	async := 0
	for _, list := range tr.samples {
		for _, s := range list {
			if s.async != "" {
				async++
				assert.Zero(t, s.tid)
			}
		}
	}
	assert.Positive(t, async)
}

// TestHostile writes recordings with nasty texts, names and values.
func TestHostile(t *testing.T) {
	data := [][]byte{jfrtest.ExtremeTimes().Bytes(), jfrtest.NastyEvents(1, 60).Bytes(), jfrtest.NastyNames(1, 60, true).Bytes()}
	for _, program := range jfrtest.Programs(40, 3) {
		data = append(data, jfrtest.Generate(program), jfrtest.GenerateFaulty(program))
	}
	for _, d := range data {
		if rec, err := mmapjfr.OpenBytes(d); err == nil {
			write(t, timeline.Options{}, rec)
			require.NoError(t, rec.Close())
		}
	}
}
