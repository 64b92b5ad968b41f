package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	} {
		assert.Equal(t, c.code, run(t.Context(), c.args), c.args)
	}
	dir := out()
	require.Equal(t, 1, run(t.Context(), []string{"profile", "-o", dir, recording, none}), "there is damage")
	for _, name := range []string{"profile.pb.gz", "flamegraph.html", "results.ndjson", "damage.ndjson"} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
}
