package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dustin/go-humanize"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestMemoryDoesNotGrowWithTheFile takes a recording through all stages in a
// process of its own, of a command that has no detector in it.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	longtest.Slow(t, "it makes a recording of 300 MB")
	file := filepath.Join(t.TempDir(), "large.jfr")
	code, _, stderr := command("gen", "-size", "300MB", file)
	require.Equal(t, exitOK, code, stderr)
	jfrbench := filepath.Join(t.TempDir(), "jfrbench")
	said, err := exec.CommandContext(t.Context(), "go", "build", "-o", jfrbench, ".").CombinedOutput()
	require.NoError(t, err, string(said))
	out, err := exec.CommandContext(t.Context(), jfrbench, file).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "\n  read ")
	most := regexp.MustCompile(`\nmemory: (.*) at most`).FindStringSubmatch(string(out))
	require.NotNil(t, most)
	bytes, err := humanize.ParseBytes(most[1])
	require.NoError(t, err)
	assert.Less(t, bytes, uint64(64<<20))
}
