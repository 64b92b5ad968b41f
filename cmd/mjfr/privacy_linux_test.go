package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/leakcheck"
)

// TestTerminalShowsNoValues runs verbs with standard error on a terminal.
func TestTerminalShowsNoValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jfr")
	for what, data := range leakcheck.Damaged(0) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for _, args := range [][]string{{"summary", path}, {"verify", path}, {"print", path}, {"events", path}} {
			_, _, stderr := onTerminal(t, 200, args...)
			assert.Empty(t, leakcheck.Leak(stderr), "%s: %v", what, args)
		}
	}
}
