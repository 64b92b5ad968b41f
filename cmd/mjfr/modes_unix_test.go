//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestNobodyReadsWhatIsMadeOfAPrivateRecording writes by every verb that writes, from recordings that
// their user alone may read, also beside one that everybody may.
func TestNobodyReadsWhatIsMadeOfAPrivateRecording(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("in.jfr"), data, 0o600))
	require.NoError(t, os.WriteFile(at("in2.jfr"), data, 0o600))
	before := map[string]bool{"in.jfr": true, "in2.jfr": true}
	open, err := os.ReadFile(clitest.File("jdk17-kinds.jfr"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("open.jfr"), open, 0o600))
	require.NoError(t, os.Chmod(at("open.jfr"), 0o644))
	before["open.jfr"] = true
	in := at("in.jfr")
	for i, args := range [][]string{
		{"slice", "--from", "100ms", in, "OUT.jfr"},
		{"compact", in, "OUT.jfr"},
		{"merge", at("open.jfr"), in, "OUT.jfr"},
		{"scrub", "--exclude-events", "GC*", in, "OUT.jfr"},
		{"redact", in, "OUT.jfr"},
		{"profile", "-o", "OUT.html", in},
		{"profile", "-o", "OUT.collapsed", "-t", "alloc", at("open.jfr"), in},
		{"profile", "-o", "OUT.collapsed", "--diff", in, at("open.jfr")},
		{"report", "-o", "OUT.html", in},
		{"export", "--parquet", "OUT", in},
		{"export", "--csv", "OUT", "--events", "GC*", in},
		{"export", "--ndjson", "OUT", in},
		{"batch", "view", "--out", "OUT", "hot-methods", in},
		{"batch", "export", "--parquet", "OUT", in},
		{"index", in},
	} {
		for j, a := range args {
			if a == "OUT" {
				args[j] = at(strconv.Itoa(i))
				require.NoError(t, os.Mkdir(args[j], 0o777))
				before[strconv.Itoa(i)] = true
			} else if len(a) > 3 && a[:3] == "OUT" {
				args[j] = at(strconv.Itoa(i)) + a[3:]
			}
		}
		code, _, errs := mjfrCommand(t, args...)
		require.Zero(t, code, "%v: %s", args, errs)
	}
	code, _, errs := mjfrCommand(t, "batch", "merge", "-o", at("merged.txt"), at("12"))
	require.Zero(t, code, "%s", errs)
	n := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		name, _ := filepath.Rel(dir, path)
		if before[name] || path == dir {
			return nil
		}
		n++
		info, err := e.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, "%s: %v", name, info.Mode())
		return nil
	}))
	assert.Greater(t, n, 20)
	require.NoError(t, os.WriteFile(at("after"), nil, 0o666))
	info, err := os.Stat(at("after"))
	require.NoError(t, err)
	assert.NotZero(t, info.Mode().Perm()&0o040, "what the process writes later")
}
