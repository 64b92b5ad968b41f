package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// badMetadata returns the path of a recording of a JVM that was killed, of which eight bytes
// of the metadata are others.
func badMetadata(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(clitest.File("jdk25-killed.jfr"))
	require.NoError(t, err)
	copy(data[9331:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	path := filepath.Join(t.TempDir(), "killed.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// TestUnfinishedChunkHidesNoBadMetadata: all verbs say what is wrong with the metadata. That
// the chunk is unfinished is no damage, and no reason for it.
func TestUnfinishedChunkHidesNoBadMetadata(t *testing.T) {
	file := badMetadata(t)
	for _, args := range []string{
		"print", "print --json", "print --order file", "events", "summary", "summary --json",
		"types", "types --json", "chunks", "metadata", "constants", "verify",
	} {
		code, out, told := mjfrCommand(t, append(strings.Fields(args), file)...)
		assert.Equal(t, cli.ExitData, code, args)
		assert.Contains(t, out+told, "string 8 of 2218 does not fit", args)
	}
}

// TestLostMetadataNamesRepair: without metadata nothing can be read, but mjfr repair takes types from
// other chunks and flushes.
func TestLostMetadataNamesRepair(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	metadata := binary.BigEndian.Uint64(data[24:])
	clear(data[metadata:])
	dir := t.TempDir()
	lost, whole := filepath.Join(dir, "lost.jfr"), filepath.Join(dir, "whole.jfr")
	require.NoError(t, os.WriteFile(lost, data, 0o600))
	for _, verb := range []string{"print", "summary", "events", "types", "metadata"} {
		code, _, told := mjfrCommand(t, verb, lost)
		assert.Equal(t, cli.ExitData, code, verb)
		assert.Equal(t, 1, strings.Count(told, "mjfr repair FILE OUT.jfr may recover them"), told)
	}
	code, out, _ := mjfrCommand(t, "repair", lost, whole)
	assert.Equal(t, cli.ExitData, code, "some events are lost")
	assert.Contains(t, out, "with 4,443 events")
	assert.Contains(t, output(t, "print", "--limit", "1", whole), "jdk.")
	_, _, told := mjfrCommand(t, "print", clitest.File("jdk25-live.jfr"))
	assert.NotContains(t, told, "mjfr repair", "the metadata is there")
}
