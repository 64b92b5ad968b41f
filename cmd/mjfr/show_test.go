package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoProgressWithoutATerminal writes to a file.
func TestNoProgressWithoutATerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer f.Close()
	a := &app{root: newMjfr, stdout: new(bytes.Buffer), stderr: f}
	bar := a.progress("reading", 1000, atTheEnd)
	assert.Nil(t, bar)
	bar.Add(1000)
	bar.Done()
	for _, verb := range []string{"summary", "types", "chunks", "verify"} {
		require.Equal(t, exitOK, a.run(t.Context(), []string{verb, kitFile("jdk25-kinds.jfr")}))
	}
	info, err := f.Stat()
	require.NoError(t, err)
	assert.Zero(t, info.Size())
}

// TestProgressOfUnpacking has a recording that must be unpacked first.
func TestProgressOfUnpacking(t *testing.T) {
	raw, err := os.ReadFile(kitFile("jdk25-kinds.jfr"))
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(raw)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	file := filepath.Join(t.TempDir(), "a.jfr.gz")
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
	code, stdout, stderr := mjfrCommand(t, "types", file)
	assert.Equal(t, exitOK, code)
	assert.Empty(t, stderr)
	_, want, _ := mjfrCommand(t, "types", kitFile("jdk25-kinds.jfr"))
	assert.Equal(t, want, stdout)
}
