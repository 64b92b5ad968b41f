package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestNoProgressWithoutATerminal writes to a file.
func TestNoProgressWithoutATerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer f.Close()
	a := &cli.App{Root: newMjfr, Stdout: new(bytes.Buffer), Stderr: f}
	bar := a.Progress("reading", 1000, cli.AtEnd)
	assert.Nil(t, bar)
	bar.Add(1000)
	bar.Done()
	for _, verb := range []string{"summary", "types", "chunks", "verify"} {
		require.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{verb, clitest.File("jdk25-kinds.jfr")}))
	}
	info, err := f.Stat()
	require.NoError(t, err)
	assert.Zero(t, info.Size())
}

// TestProgressOfUnpacking has a recording that must be unpacked first.
func TestProgressOfUnpacking(t *testing.T) {
	raw, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(raw)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	file := filepath.Join(t.TempDir(), "a.jfr.gz")
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
	code, stdout, stderr := mjfrCommand(t, "types", file)
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, stderr)
	_, want, _ := mjfrCommand(t, "types", clitest.File("jdk25-kinds.jfr"))
	assert.Equal(t, want, stdout)
}
