package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestMemoryDoesNotGrowWithTheFile takes a recording through all stages in a
// process of its own, of a command that has no detector in it.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	longtest.Long(t, "it makes a recording of 300 MB")
	file := filepath.Join(t.TempDir(), "large.jfr")
	code, _, stderr := command("gen", "-size", "300MB", file)
	require.Equal(t, exitOK, code, stderr)
	jfrbench := filepath.Join(t.TempDir(), "jfrbench")
	said, err := exec.CommandContext(t.Context(), "go", "build", "-o", jfrbench, ".").CombinedOutput()
	require.NoError(t, err, string(said))
	out, err := exec.CommandContext(t.Context(), jfrbench, "-json", file).Output()
	require.NoError(t, err)
	var d document
	require.NoError(t, json.Unmarshal(out, &d))
	require.Greater(t, d.Bytes, int64(300_000_000))
	require.Len(t, d.Stages, len(stageNames))
	for _, s := range d.Stages {
		assert.NotZero(t, s.AnonymousBytes, s.Name)
		assert.Less(t, s.AnonymousBytes, uint64(64<<20), s.Name)
	}
}
