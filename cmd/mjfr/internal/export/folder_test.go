package export_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// linesOf returns the different lines of all files of a table, sorted.
func linesOf(t *testing.T, dir, table string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, table+"*.ndjson"))
	require.NoError(t, err)
	var lines []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		lines = append(lines, strings.Split(strings.TrimSpace(string(data)), "\n")...)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// filesOf returns the names of files.
func filesOf(t *testing.T, dir, pattern string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// TestOneTypeAfterAnother exports types into one folder: all files of a table together have what one export of them has.
func TestOneTypeAfterAnother(t *testing.T) {
	one, all := t.TempDir(), t.TempDir()
	profile := clitest.File("jdk25-profile.jfr")
	types := []string{"FileRead", "ThreadPark", "JavaMonitorEnter"}
	output(t, "--ndjson", all, "--events", strings.Join(types, ","), profile)
	for _, typ := range types {
		output(t, "--ndjson", one, "--events", typ, profile)
	}
	for _, table := range []string{"_stacks", "_frames", "_threads", "_classes", "_recording", "jdk."} {
		assert.Equal(t, linesOf(t, all, table), linesOf(t, one, table), table)
	}
	assert.Len(t, filesOf(t, one, "_recording*"), 1, "all have the same one")
	assert.Contains(t, linesOf(t, one, "_recording")[0], `"source":`+strconv.Quote(profile)+`,`, "the whole name")
	assert.Len(t, filesOf(t, one, "_stacks*"), len(types))
	assert.Empty(t, filesOf(t, one, ".new*"))

	// Again without --force: nothing changes. With it one type is replaced, and the stacks of the others stay.
	before := filesOf(t, one, "*")
	code, _, stderr := mjfr(t, "export", "--ndjson", one, "--events", "FileRead", profile)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "jdk.FileRead.ndjson: it exists; use --force to replace it")
	assert.Equal(t, before, filesOf(t, one, "*"))
	output(t, "--ndjson", one, "--force", "--events", "FileRead", "--where", "bytesRead > 1000", profile)
	for _, row := range append(linesOf(t, one, "jdk.ThreadPark"), linesOf(t, one, "jdk.JavaMonitorEnter")...) {
		var event struct {
			StackID json.Number `json:"stack_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(row), &event))
		assert.True(t, slices.ContainsFunc(linesOf(t, one, "_stacks"), func(line string) bool {
			return strings.HasPrefix(line, `{"stack_id":`+event.StackID.String()+",")
		}), row)
	}

	// All types at once replace all: no file of earlier exports remains, and the folder is as if it were new.
	var d struct {
		Folders []struct{ Tables []struct{ File string } }
	}
	out := output(t, "--ndjson", one, "--force", "--json", "--events", strings.Join(types, ","), profile)
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	assert.Equal(t, filesOf(t, all, "*"), filesOf(t, one, "*"))
	assert.Len(t, d.Folders[0].Tables, len(filesOf(t, all, "*")))
	for _, name := range filesOf(t, all, "*") {
		want, err := os.ReadFile(filepath.Join(all, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(one, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), name)
	}
}
