package firefox_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/firefox"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

var open = opentest.File

// written returns the bytes of a file of recordings, and their profile.
func written(t *testing.T, kinds []string, o timeline.Options, recs ...*mmapjfr.Recording) ([]byte, *profile.Profile) {
	t.Helper()
	return chosen(t, profile.Choice{Kinds: kinds}, o, recs...)
}

// chosen is written for what a choice keeps of the profile.
func chosen(t *testing.T, c profile.Choice, o timeline.Options, recs ...*mmapjfr.Recording) ([]byte, *profile.Profile) {
	t.Helper()
	ignore := func(*mmapjfr.Recording, error) {}
	p, err := profile.Read(t.Context(), recs, profile.Options{Times: 1, OnError: ignore, Filters: o.Filters})
	require.NoError(t, err)
	p = p.Choose(c)
	var out bytes.Buffer
	o.OnError = ignore
	require.NoError(t, firefox.Write(t.Context(), &out, recs, p, o))
	return out.Bytes(), p
}

func write(t *testing.T, kinds []string, o timeline.Options, recs ...*mmapjfr.Recording) (*file, *profile.Profile) {
	t.Helper()
	data, p := written(t, kinds, o, recs...)
	return readFile(t, data), p
}

// nanos returns milliseconds of a file as nanoseconds.
func nanos(ms float64) int64 { return int64(math.Round(ms * 1e6)) }

// depth returns how many frames a stack of a marker has.
func (f *file) depth(d map[string]any) (n int) {
	cause, ok := d["cause"].(map[string]any)
	if !ok {
		return 0
	}
	for i := int(cause["stack"].(float64)); ; i -= f.Shared.StackTable.PrefixOffset[i] {
		if n++; f.Shared.StackTable.PrefixOffset[i] == 0 {
			return n
		}
	}
}

// TestMarkers finds each event among the markers of its thread: at its time, for its duration and with
// its stack; and each counter, also after differences have been added up.
func TestMarkers(t *testing.T) {
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-kinds.jfr", "jdk25-virtual.jfr", "concat-jdk17-jdk25.jfr"} {
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			f, p := write(t, nil, timeline.Options{}, rec)
			got := make(map[string]int)
			for _, k := range f.Threads {
				thread := k.Name
				if k.IsMainThread || strings.Contains(thread, "thread #") {
					thread = ""
				}
				for i, d := range k.Markers.Data {
					start, length := *k.Markers.StartTime[i], int64(0)
					if end := k.Markers.EndTime[i]; end != nil {
						length = nanos(*end - start)
					}
					got[fmt.Sprint(d["type"], nanos(start), length, f.depth(d), thread)]++
				}
			}
			types := timeline.New(nil, p, timeline.Options{})
			heap, last := []float64{}, 0.0
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				if role := types.Type(ev.Type()).Role; role == timeline.Sample || role == timeline.About {
					continue
				}
				n := ev.StackTrace().Len()
				if ev.StackTrace().IsTruncated() {
					n++
				}
				thread := ev.Thread().Name()
				if types.Type(ev.Type()).Role == timeline.Counter {
					n = 0
				}
				key := fmt.Sprint(ev.Type().Name(), ev.StartNanos()-rec.Start().UnixNano(), engine.EventEndNanos(ev)-ev.StartNanos(), n, thread)
				got[key]--
				require.GreaterOrEqual(t, got[key], 0, key)
				if ev.Type().Name() == "jdk.GCHeapSummary" {
					heap = append(heap, ev.Float(mmapjfr.Path("heapUsed")))
				}
			}
			for key, n := range got {
				require.Zero(t, n, key)
			}
			for _, c := range f.Counters {
				for _, delta := range c.Samples.Count {
					if last += delta; c.Description == "jdk.GCHeapSummary.heapUsed" {
						i := slices.Index(heap, last)
						require.GreaterOrEqual(t, i, 0)
						heap = slices.Delete(heap, i, i+1)
					}
				}
				last = 0
			}
			assert.Empty(t, heap)
		})
	}
}

// TestSamples finds all samples of a profile: those of the first kind and allocations in the threads,
// others in threads of their own.
func TestSamples(t *testing.T) {
	for _, kinds := range [][]string{nil, {"cpu", "wall", "native", "alloc"}, {"alloc"}, {"lock"}} {
		f, p := write(t, kinds, timeline.Options{}, open(t, "jdk25-profile.jfr"))
		want, got := make(map[string]float64), make(map[string]float64)
		for s := range p.Samples() {
			value := s.Kind.Main()
			if s.Kind.Sampled {
				value = 0
			}
			weight := float64(s.Values[value])
			if s.Kind.Values[value].Unit == profile.Nanoseconds {
				weight /= 1e6
			}
			want[s.Kind.Name] += weight
			want[s.Kind.Name+" "+p.Labels(s.Labels).Thread] += weight
		}
		first := p.Kinds()[0].Name
		titles := make(map[string]string)
		for _, k := range p.Kinds() {
			titles[k.Title] = k.Name
		}
		for _, k := range f.Threads {
			name, kind := k.Name, first
			if before, title, ok := strings.Cut(strings.TrimSuffix(name, ")"), " ("); ok && titles[title] != "" {
				name, kind = before, titles[title]
			}
			if name == "Events of no thread" || strings.Contains(name, "thread #") {
				name = ""
			}
			add := func(kind string, s *table) {
				for _, weight := range s.Weight {
					got[kind] += weight
					got[kind+" "+name] += weight
				}
			}
			add(kind, k.Samples)
			if k.NativeAllocations != nil {
				add("alloc", k.NativeAllocations)
			}
		}
		assert.InDeltaMapValues(t, want, got, 1e-3)
	}
}

// TestSelection writes what filters leave, and the threads as frames.
func TestSelection(t *testing.T) {
	o := timeline.Options{Filters: []mmapjfr.Filter{mmapjfr.Threads("main")}, Title: "a title"}
	data, _ := chosen(t, profile.Choice{Threads: true}, o, open(t, "jdk25-profile.jfr"))
	f := readFile(t, data)
	assert.Equal(t, "a title", f.Meta.Product)
	for _, k := range f.Threads[1:] {
		assert.True(t, k.Name == "main" || strings.HasPrefix(k.Name, "main ("), k.Name)
		for _, s := range k.Samples.Stack {
			i := *s
			for f.Shared.StackTable.PrefixOffset[i] != 0 {
				i -= f.Shared.StackTable.PrefixOffset[i]
			}
			name := f.Shared.StringArray[f.Shared.FuncTable.Name[f.Shared.FrameTable.Func[f.Shared.StackTable.Frame[i]]]]
			assert.Contains(t, name, "[main tid=")
		}
	}
}

// TestReservedFields renames fields that would hide what the page needs, and those of types that were
// described in several ways.
func TestReservedFields(t *testing.T) {
	one, other := jfrtest.NewChunk(), jfrtest.NewChunk()
	typ := one.Event("Network", jfrtest.Of("type", jfrtest.StringClass), jfrtest.Of("cause", "long"), jfrtest.Of("x", "int"))
	one.Emit(typ, 1_000_000, "<script>\"\n\xff", 7, 1)
	typ = other.Event("Network", jfrtest.Of("x", jfrtest.StringClass))
	other.Emit(typ, 1_000_000, "y")
	data, _ := jfrtest.Concat(one, other)
	rec := opentest.Bytes(t, data)
	bytes, _ := written(t, nil, timeline.Options{}, rec)
	f := readFile(t, bytes)
	require.Len(t, f.Threads[0].Markers.Data, 2)
	for _, d := range f.Threads[0].Markers.Data {
		assert.Equal(t, "jfr.Network", d["type"])
		if d["cause_"] == nil {
			assert.Equal(t, "y", d["x_"])
			continue
		}
		assert.Contains(t, d["type_"], "<script>\"\n")
		assert.InDelta(t, 7, d["cause_"], 0)
		assert.InDelta(t, 1, d["x"], 0)
	}
}

// TestHostile writes recordings with nasty texts, names and values, and one of nothing.
func TestHostile(t *testing.T) {
	data := [][]byte{jfrtest.ExtremeTimes().Bytes(), jfrtest.NewEmptyChunk().Bytes(), jfrtest.NastyEvents(1, 60).Bytes(), jfrtest.NastyNames(1, 60, true).Bytes()}
	for _, program := range jfrtest.Programs(40, 3) {
		data = append(data, jfrtest.Generate(program), jfrtest.GenerateFaulty(program))
	}
	for _, d := range data {
		if rec, err := mmapjfr.OpenBytes(d); err == nil {
			write(t, nil, timeline.Options{}, rec)
			require.NoError(t, rec.Close())
		}
	}
}
