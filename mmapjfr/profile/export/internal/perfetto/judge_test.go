package perfetto_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/perfetto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// answerFile is what Perfetto's own messages, version 0.59.1 of its package for Python, say about the
// trace of jdk25-profile.jfr.
const answerFile = "testdata/jdk25-profile.json"

var update = flag.Bool("update", false, "keep what Perfetto's messages say now")

// answer is what a trace has.
type answer struct {
	Unknown  int              `json:"unknown"` // fields that the messages do not have
	Tracks   int              `json:"tracks"`
	Events   map[string]int   `json:"events"`   // slices and instants by name
	Counters map[string]int   `json:"counters"` // numbers by the name of the counter
	Samples  map[string]int   `json:"samples"`  // by source
	Weights  map[string]int64 `json:"weights"`
}

// TestAnswers compares a trace with what Perfetto's messages have said about it.
func TestAnswers(t *testing.T) {
	kept, err := os.ReadFile(answerFile)
	require.NoError(t, err)
	var want answer
	require.NoError(t, json.Unmarshal(kept, &want))
	tr, _ := write(t, timeline.Options{}, open(t, "jdk25-profile.jfr"))
	got := answer{Tracks: len(tr.names), Events: make(map[string]int), Counters: make(map[string]int), Samples: make(map[string]int), Weights: make(map[string]int64)}
	for _, e := range tr.events {
		switch e.kind {
		case 1, 3:
			got.Events[e.name]++
		case 4:
			got.Counters[tr.names[e.track]]++
		}
	}
	for source, list := range tr.samples {
		got.Samples[source] = len(list)
		for _, s := range list {
			got.Weights[source] += int64(s.weight)
		}
	}
	assert.Equal(t, want, got)
}

// TestJudge decodes a trace with Perfetto's messages.
func TestJudge(t *testing.T) {
	longtest.Long(t, "it starts Python")
	if err := exec.Command("python3", "-c", "import perfetto.protos").Run(); err != nil {
		t.Skip("it needs Perfetto's messages: pip install perfetto")
	}
	rec := open(t, "jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: 1})
	require.NoError(t, err)
	var trace bytes.Buffer
	require.NoError(t, perfetto.Write(t.Context(), &trace, []*mmapjfr.Recording{rec}, p, timeline.Options{}))
	cmd := exec.Command("python3", "testdata/judge.py")
	cmd.Stdin, cmd.Stderr = &trace, os.Stderr
	got, err := cmd.Output()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(answerFile, got, 0o600))
	}
	want, err := os.ReadFile(answerFile)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}
