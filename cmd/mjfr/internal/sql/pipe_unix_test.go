//go:build unix

package sql

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestWhatIsNoFileIsMadeAnew puts a pipe, a link and folders in the place of tables that are kept.
func TestWhatIsNoFileIsMadeAnew(t *testing.T) {
	dir := fake(t, answered, "")
	ask := func() (paths []string) {
		t.Helper()
		code, _, errs := mjfr(t, "sql", profile, "from FileRead, ZAllocationStall")
		require.Equal(t, cli.ExitOK, code, errs)
		root, err := cacheRoot()
		require.NoError(t, err)
		paths, err = filepath.Glob(filepath.Join(root, "*", "jdk.*"))
		require.NoError(t, err)
		require.Len(t, paths, 2, "one is empty")
		return paths
	}
	whole := read(t, ask()[0])
	other := filepath.Join(dir, "other.parquet")
	require.NoError(t, os.WriteFile(other, []byte(whole), 0o600))
	for name, put := range map[string]func(path string) error{
		"pipe":        func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":        func(path string) error { return os.Symlink(other, path) },
		"folder":      func(path string) error { return os.Mkdir(path, 0o700) },
		"full folder": func(path string) error { return os.MkdirAll(filepath.Join(path, "a"), 0o700) },
	} {
		for _, path := range ask() {
			require.NoError(t, os.Remove(path))
			require.NoError(t, put(path))
		}
		paths := ask()
		if name == "full folder" {
			assert.Contains(t, read(t, dir, "setup"), "new-", "files that cannot be kept are made each time")
			for _, path := range paths {
				require.NoError(t, os.RemoveAll(path))
			}
			continue
		}
		for _, path := range paths {
			assert.True(t, isFile(path), "%s: %s", name, path)
			if strings.HasSuffix(path, ".parquet") {
				assert.Equal(t, whole, read(t, path), name)
			}
		}
	}
}

// TestScriptsAreReadToALimit reads statements from a device without end.
func TestScriptsAreReadToALimit(t *testing.T) {
	fake(t, answered, "")
	code, _, errs := mjfr(t, "sql", "-f", "/dev/zero", profile)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "/dev/zero: it has more than 16 MiB")
	zero, err := os.Open("/dev/zero")
	require.NoError(t, err)
	defer zero.Close()
	var told strings.Builder
	a := &cli.App{Root: clitest.Verbs(New), Stdin: zero, Stdout: &told, Stderr: &told}
	assert.Equal(t, cli.ExitData, a.Run(t.Context(), []string{"sql", profile}))
	assert.Contains(t, told.String(), "standard input: it has more than 16 MiB")
}
