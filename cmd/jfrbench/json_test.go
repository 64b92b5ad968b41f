package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

// report runs jfrbench -json on one file.
func report(t *testing.T, file string) (code int, d document) {
	code, stdout, stderr := command("-json", file)
	assert.Empty(t, stderr)
	require.Equal(t, 1, strings.Count(stdout, "\n"), "one line")
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))
	return code, d
}

// joinedByID is a recording of two virtual machines that give different types
// the same id. The JDK joins types by id: of those without events it lists only
// the ones of the first chunk.
const joinedByID = "concat-jdk17-jdk25.jfr"

// diffTypes lists the types that are not the same.
func diffTypes(want, got map[string]typeJSON) (diff []string) {
	for name, n := range want {
		if g, ok := got[name]; !ok || g != n {
			diff = append(diff, fmt.Sprintf("%s: want %v, got %v (there: %v)", name, n, g, ok))
		}
	}
	for name, n := range got {
		if _, ok := want[name]; !ok {
			diff = append(diff, fmt.Sprintf("%s: got %v, want none", name, n))
		}
	}
	slices.Sort(diff)
	return diff
}

// TestAgreesWithJDK compares counts and bytes with jfr summary, and counts with
// what jfr print says of each chunk by itself.
func TestAgreesWithJDK(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			answers, err := oracle.Load(file)
			require.NoError(t, err)
			truth := answers.Truth()
			code, d := report(t, file)
			assert.Equal(t, exitOK, code)

			require.Empty(t, truth.Summary.Refused)
			want := make(map[string]typeJSON)
			for name, n := range truth.Summary.Types {
				want[name] = typeJSON{n.Events, n.Bytes}
			}
			got := d.Types
			if filepath.Base(file) == joinedByID {
				got = withEvents(got)
				want = withEvents(want)
			}
			assert.Empty(t, diffTypes(want, got))
			for name, sum := range truth.Events {
				assert.Equal(t, sum.N, d.Types[name].Count, name)
			}
			assert.Equal(t, answers.Bytes, d.Bytes)
			assert.Equal(t, truth.Summary.Chunks, d.Chunks)
			assert.Equal(t, truth.Events.Len(), d.Events)
			assert.Empty(t, d.Errors)
			assert.Equal(t, answers.AsFinished != nil, len(d.Notes) == 1)
		})
	}
}

func withEvents(types map[string]typeJSON) map[string]typeJSON {
	types = maps.Clone(types)
	maps.DeleteFunc(types, func(_ string, n typeJSON) bool { return n.Count == 0 })
	return types
}

// TestAgreesWithPlainReader compares counts and bytes with a reader that
// decodes everything, chunk by chunk.
func TestAgreesWithPlainReader(t *testing.T) {
	for _, file := range recordings(t) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		rec, err := jfrtest.Decode(data)
		_, d := report(t, file)
		if err != nil {
			assert.NotEmpty(t, d.Notes, "%s: %v", file, err)
			continue
		}
		want := make(map[string]typeJSON)
		for _, c := range rec.Chunks {
			add := func(name string, size int64) {
				n := want[name]
				want[name] = typeJSON{n.Count + 1, n.Bytes + uint64(size)}
			}
			for _, class := range c.Classes {
				if n, ok := want[class.Name]; !ok && class.IsEvent() {
					want[class.Name] = n
				}
			}
			for _, ev := range c.Events {
				add(ev.TypeName, ev.Size)
			}
			for _, m := range c.Metadata {
				add(metadataName, m.Size)
			}
			for _, cp := range c.Checkpoints {
				add(checkpointName, cp.Size)
			}
		}
		assert.Empty(t, diffTypes(want, d.Types), file)
	}
}

func TestStagesAndIndex(t *testing.T) {
	_, d := report(t, "../../testdata/jdk25-chunks.jfr")
	var names []string
	for _, s := range d.Stages {
		names = append(names, s.Name)
		assert.Positive(t, s.Seconds, s.Name)
		assert.InEpsilon(t, float64(d.Bytes)/s.Seconds, s.BytesPerSecond, 1e-6, s.Name)
		assert.InEpsilon(t, s.Seconds*1e9/float64(d.Events), *s.NsPerEvent, 1e-6, s.Name)
		assert.InDelta(t, float64(s.Allocs)/float64(d.Events), *s.AllocsPerEvent, 1e-6, s.Name)
		assert.Positive(t, s.HeapBytes, s.Name)
	}
	assert.Equal(t, stageNames, names)
	assert.Positive(t, d.Index.Constants)
	assert.Positive(t, d.Index.Blocks)
	assert.Equal(t, d.Index.Constants+d.Index.Blocks, d.Index.Bytes)
	assert.InEpsilon(t, float64(d.Index.Bytes)/float64(d.Bytes), d.Index.Share, 1e-9)
	assert.Regexp(t, `^20\d\d-\d\d-\d\dT\S+Z$`, d.Start)
	assert.Positive(t, d.Seconds)
}

func TestNoEventsMakeNull(t *testing.T) {
	_, d := report(t, "../../testdata/jdk25-empty.jfr")
	assert.Zero(t, d.Events)
	for _, s := range d.Stages {
		assert.Nil(t, s.NsPerEvent)
		assert.Nil(t, s.AllocsPerEvent)
	}
}

func TestOneLineForEachFile(t *testing.T) {
	files := append(recordings(t)[:2:2], "nosuch.jfr")
	code, stdout, stderr := command(append([]string{"-json"}, files...)...)
	assert.Equal(t, exitDamaged, code)
	assert.Contains(t, stderr, "nosuch.jfr")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, len(files))
	for i, line := range lines {
		var d document
		require.NoError(t, json.Unmarshal([]byte(line), &d))
		assert.Equal(t, files[i], d.File)
		assert.Equal(t, files[i] == "nosuch.jfr", len(d.Errors) == 1)
	}
	assert.Contains(t, lines[2], `"types":{},"stages":[],`)
}

// TestChecksumStays shows that read sees the same values each time.
func TestChecksumStays(t *testing.T) {
	seen := make(map[string]string)
	for _, file := range recordings(t) {
		_, d := report(t, file)
		_, again := report(t, file)
		assert.Equal(t, d.Checksum, again.Checksum, file)
		if d.Events > 0 {
			assert.NotContains(t, seen, d.Checksum, file)
			seen[d.Checksum] = file
		}
	}
}
