package export_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// grafanaFiles are the names of kinds in the names of answers.
var grafanaFiles = map[string]string{
	"_process_cpu_": "process_cpu", "_wall_wall_": "wall", "_alloc_in_new_tlab_": "alloc_in_new_tlab", "_alloc_outside_tlab_": "alloc_outside_tlab",
	"_malloc_objects_": "malloc", "_mutex_": "mutex",
}

// TestLikeGrafana compares all stacks and values with those that Grafana's parser expects. Of locks
// the count alone is compared: it takes ticks for nanoseconds.
func TestLikeGrafana(t *testing.T) {
	answers, err := filepath.Glob(shared + "expected/*_expected.txt.gz")
	require.NoError(t, err)
	if len(answers) == 0 {
		t.Skip("the recordings of Grafana's parser are not here")
	}
	for _, answer := range answers {
		name, kind := filepath.Base(answer), ""
		for part, k := range grafanaFiles {
			if strings.Contains(name, part) {
				kind = k
			}
		}
		recording, _, _ := strings.Cut(name, "_")
		g := grafanaProfile(t, shared+recording+".jfr.gz", kind)
		want := unpack(t, answer)
		head, _, _ := strings.Cut(want, "\n")
		period := "PeriodType: "
		if g.PeriodType != nil && g.PeriodType.Type != "" {
			period += g.PeriodType.Type + " " + g.PeriodType.Unit
		}
		assert.Equal(t, strings.TrimSpace(head), strings.TrimSpace(period), name)
		var types []string
		for _, typ := range g.SampleType {
			types = append(types, typ.Type+"/"+typ.Unit)
		}
		assert.Contains(t, want, "\n"+strings.Join(types, " ")+"\n", name)
		got, wanted := stacksOf(g), expectedStacks(t, unpack(t, strings.TrimSuffix(answer, ".txt.gz")+"_collapsed.txt.gz"))
		require.Len(t, got, len(wanted), name)

		for stack, values := range wanted {
			if kind == "mutex" {
				values, got[stack] = values[:1], got[stack][:min(1, len(got[stack]))]
			}
			require.Equal(t, values, got[stack], "%s: %s", name, stack)
		}
	}
}

// grafanaProfile returns a profile of a recording as --grafana writes it.
func grafanaProfile(t *testing.T, path, kind string) *google.Profile {
	t.Helper()
	set, err := input.Open(t.Context(), []string{path}, input.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, set.Close()) }()
	p, err := profile.Read(t.Context(), set.Recordings, profile.Options{Grafana: true})
	require.NoError(t, err)
	var out bytes.Buffer
	o := export.Options{Grafana: true, Names: profile.Names{Normalize: true}}
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p.Choose(profile.Choice{Kinds: []string{kind}}), o))
	g, err := google.Parse(&out)
	require.NoError(t, err)
	return g
}

// stacksOf returns the values by stack, the outermost function first, with lines.
func stacksOf(g *google.Profile) map[string][]int64 {
	sums := make(map[string][]int64)
	for _, s := range g.Sample {
		stack := ""
		for _, l := range s.Location {
			name := l.Line[0].Function.Name
			if l.Line[0].Function.SystemName == "" { // native code, which has the library there
				name = strings.TrimPrefix(strings.TrimPrefix(l.Mapping.File, "java"), "[kernel]") + "." + name
			}
			if name != ".[truncated]" {
				stack = name + ":" + strconv.FormatInt(l.Line[0].Line, 10) + ";" + stack
			}
		}
		if sums[stack] == nil {
			sums[stack] = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			sums[stack][i] += v
		}
	}
	return sums
}

// expectedStacks reads lines such as a:1;b:2 [3 4].
func expectedStacks(t *testing.T, text string) map[string][]int64 {
	t.Helper()
	sums := make(map[string][]int64)
	// Functions of the program java have no library here.
	same := strings.NewReplacer("$$Lambda_", "$$Lambda", "java._start:", "._start:", ";java.main:", ";.main:")
	for line := range strings.Lines(same.Replace(text)) {
		at := strings.LastIndex(line, " [")
		stack := line[:at] + ";"
		for i, field := range strings.Fields(strings.Trim(line[at:], " []\n")) {
			n, err := strconv.ParseInt(field, 10, 64)
			require.NoError(t, err)
			if len(sums[stack]) == i {
				sums[stack] = append(sums[stack], 0)
			}
			sums[stack][i] += n
		}
	}
	return sums
}

// unpack returns the text of a packed file.
func unpack(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// TestGrafanaLabels has those of requests alone.
func TestGrafanaLabels(t *testing.T) {
	p := profile.New()
	k := profile.Kind{Name: "process_cpu", Values: []profile.ValueType{{Name: "cpu", Unit: profile.Nanoseconds}}}
	p.AddKind(k)
	p.Add(k.Name, 0, p.AddLabels(profile.Labels{Thread: "main", State: "x", SpanID: 255, TraceHigh: 1}), 7)
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Grafana: true}))
	g, err := google.Parse(&out)
	require.NoError(t, err)
	assert.Equal(t, "map[profile_id:[00000000000000ff] trace_id:[00000000000000010000000000000000]]", fmt.Sprint(g.Sample[0].Label))
	assert.Empty(t, g.Sample[0].NumLabel)
}
