package main

import (
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
)

// TestCommandLines has the exit codes of mjfr, and its files by default.
func TestCommandLines(t *testing.T) {
	const recording = "../../../testdata/jdk25-profile.jfr"
	none := filepath.Join(t.TempDir(), "none.jfr")
	require.NoError(t, os.WriteFile(none, []byte("no recording"), 0o600))
	out := func() string { return filepath.Join(t.TempDir(), "out") }
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, []string{"profile", recording}},
		{2, []string{"profile", "-o", out()}},
		{2, []string{"profile", "-o", out(), "--manifest", "x", recording}},
		{2, []string{"profile", "-o", out(), "--split", recording}},
		{2, []string{"profile", "-o", out(), "--log-level", "much", recording}},
		{2, []string{"profile", "-o", out(), "-t", "none", recording}},
		{2, []string{"profile", "-o", out(), "--diff", "service", recording}},
		{2, []string{"query", "-o", out(), "select startTime from jdk.CPULoad", recording}},
		{2, []string{"profil", "-o", out(), recording}},
		{0, []string{"help"}},
		{0, []string{"help", "profile"}},
		{0, []string{"completion", "bash"}},
		{1, []string{"profile", "-o", out(), "nonexist/"}},
		{1, []string{"profile", "-o", "azblob://bucket/out", recording}},
		{1, []string{"profile", "-o", recording, recording}},
	} {
		assert.Equal(t, c.code, run(t.Context(), c.args), c.args)
	}
	assert.EqualError(t, checkVerb(newRoot(), []string{"profil", "-o", "x"}), "unknown verb profil; did you mean profile?")
	dir := filepath.Join(t.TempDir(), "nonexist") + "/"
	assert.EqualError(t, checkInputs([]string{"s3://bucket/", recording, "../../../testdata/*.jfr", dir}), dir+": no such file or folder")
	dir = out()
	require.Equal(t, 1, run(t.Context(), []string{"profile", "-o", dir, recording, none}), "there is damage")
	for _, name := range []string{"profile.pb.gz", "flamegraph.html", "results.ndjson", "damage.ndjson"} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
}

// TestNamesThatNoRecordingHas asks for an event type that one of two recordings has, and for ones that are misspelt. Each recording
// has a result of its own.
func TestNamesThatNoRecordingHas(t *testing.T) {
	for _, c := range []struct {
		code int
		args []string
	}{
		{0, []string{"query", "select count(*), first(biased) from CPUTimeSample"}},
		{1, []string{"query", "select count(*), first(biasde) from CPUTimeSample"}},
		{1, []string{"query", "select count(*) from CPUTimeSampel"}},
		{1, []string{"profile", "--events", "CPUTimeSampel"}},
		{0, []string{"profile", "--events", "CPUTimeSample"}},
		{0, []string{"view", "cpu-time-hot-methods"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(c.args, "-o", out, "--key", "name", "--labels", "{name}.jfr", "../../../testdata/jdk17-kinds.jfr", "../../../testdata/jdk25-cputime.jfr")
		assert.Equal(t, c.code, run(t.Context(), args), c.args)
		for _, name := range []string{"jdk17-kinds", "jdk25-cputime"} {
			files, err := filepath.Glob(filepath.Join(out, "name="+name, "*"))
			require.NoError(t, err)
			assert.Equal(t, c.code == 1, len(files) == 0, c.args) // nothing is written that is wrong
		}
	}
}

// TestBeamsFlags are none that a verb has, too.
func TestBeamsFlags(t *testing.T) {
	for _, verb := range []string{"profile", "query", "view", "export"} {
		cmd, _ := answers.Command(verb, pflag.NewFlagSet("", pflag.ContinueOnError))
		flag.VisitAll(func(f *flag.Flag) {
			assert.Nil(t, cmd.Flags().Lookup(f.Name), "%s --%s", verb, f.Name)
		})
	}
}

// TestReasons of steps are what the last of them says.
func TestReasons(t *testing.T) {
	for text, want := range map[string]string{
		"job failed:\nPlan[x]:\n\tcaused by:\nDoFn[UID:4, PID:e2, Name: fleet.listFn] failed:\na.jfr: gone": "a.jfr: gone",
		"Error: DoFn[UID:4] failed:\none\ntwo\n\tat java.lang.Thread\n\tat x":                               "one\ntwo",
		"connection refused\n": "connection refused",
	} {
		assert.Equal(t, want, reason(text))
	}
}

// TestEnginesThatCannotWork are refused before anything is read, and leave the report of an earlier job.
func TestEnginesThatCannotWork(t *testing.T) {
	const recording = "../../../testdata/jdk25-profile.jfr"
	closed := httptest.NewServer(nil)
	closed.Close()
	for _, c := range []struct {
		code int
		args []string
	}{
		{1, []string{"--runner", "flink", "--environment_type", "LOOPBACK", "--endpoint", closed.Listener.Addr().String()}},
		{2, []string{"--runner", "x"}},
		{2, []string{"--runner", "universal", "--environment_type", "DOCKER"}}, // names of files are not whole
	} {
		out := t.TempDir()
		report := filepath.Join(out, "results.ndjson")
		require.NoError(t, os.WriteFile(report, []byte("{}\n"), 0o600))
		assert.Equal(t, c.code, run(t.Context(), slices.Concat([]string{"profile", "-o", out, recording}, c.args)), c.args)
		assert.FileExists(t, report)
	}
	require.NoError(t, flag.Set("worker_binary", "main.go"))
	require.ErrorContains(t, setWorker(), "main.go is not a Linux program")
}
