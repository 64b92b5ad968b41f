package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestIndexesAreKept of a recording that is large enough, unless that is turned off.
func TestIndexesAreKept(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	one, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "app.jfr")
	require.NoError(t, os.WriteFile(file, bytes.Repeat(one, 120), 0o600))
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, long, long))
	kept := func() []string {
		for _, pattern := range []string{"mjfr", "*/mjfr", "*/*/mjfr"} { // as the system has it
			if list, _ := filepath.Glob(filepath.Join(home, pattern, "index", "*")); len(list) > 0 {
				return list
			}
		}
		return nil
	}
	at := func(args ...string) string {
		code, out, told := mjfrCommand(t, append([]string{"at", file, "#500000"}, args...)...)
		assert.Equal(t, cli.ExitOK, code, told)
		return out
	}
	want := at("--no-cache")
	assert.Empty(t, kept())
	assert.Equal(t, want, at())
	require.Len(t, kept(), 1)
	assert.Equal(t, want, at())
	require.NoError(t, os.Truncate(kept()[0], 100))
	assert.Equal(t, want, at(), "a spoilt index is not used")
}
