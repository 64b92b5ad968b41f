//go:build unix

package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// TestNarrow writes in all ways there are, new files and in the place of others.
func TestNarrow(t *testing.T) {
	mode := func(path string) fs.FileMode {
		t.Helper()
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	for _, most := range []fs.FileMode{0o600, 0o640, 0o440, 0o400, 0o644, 0o604, 0o777} {
		dir := t.TempDir()
		old := filepath.Join(dir, "old")
		require.NoError(t, os.WriteFile(old, nil, 0o600))
		require.NoError(t, os.Chmod(old, 0o666))
		restore := atomicfile.Narrow(most)
		require.NoError(t, atomicfile.Write(old, text("x")))
		require.NoError(t, atomicfile.Write(filepath.Join(dir, "written"), text("x")))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o666))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
		restore()
		for _, name := range []string{"old", "written", "other"} {
			got := mode(filepath.Join(dir, name))
			assert.Zero(t, got&^(most|0o600), "%v: %s: %v", most, name, got)
			assert.EqualValues(t, 0o600, got&0o600)
		}
		folder := mode(filepath.Join(dir, "folder"))
		assert.EqualValues(t, 0o700, folder&0o700)
		if most&0o004 == 0 {
			assert.Zero(t, folder&0o007, "%v: %v", most, folder)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "after"), nil, 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "before"), nil, 0o666))
		assert.Equal(t, mode(filepath.Join(dir, "before")), mode(filepath.Join(dir, "after")))
	}
}

// TestNarrowInAnyOrder takes back what several callers have narrowed, the first before the last.
func TestNarrowInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	mode := func(name string) fs.FileMode {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o666))
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	before := mode("before")
	one := atomicfile.Narrow(0o600)
	two := atomicfile.Narrow(fs.ModePerm)
	one()
	one()
	assert.Equal(t, before, mode("two"))
	three := atomicfile.Narrow(0o600)
	two()
	assert.EqualValues(t, 0o600, mode("three"))
	three()
	assert.Equal(t, before, mode("after"))
}
