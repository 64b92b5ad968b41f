package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/leaktest"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// requireOnly looks whether the file is all there is in its folder, and what it holds.
func requireOnly(t *testing.T, path, want string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, atomicfile.Write(path, text("one")))
	requireOnly(t, path, "one")
	require.NoError(t, atomicfile.Write(path, text("two")))
	requireOnly(t, path, "two")
}

// TestLongNames writes a file whose name leaves no room for an ending.
func TestLongNames(t *testing.T) {
	for n := 225; n <= 255; n++ {
		path := filepath.Join(t.TempDir(), strings.Repeat("n", n))
		require.NoError(t, atomicfile.Write(path, text("one")))
		requireOnly(t, path, "one")
	}
}

// TestKeepsTheOldFile fails after something was written.
func TestKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, atomicfile.Write(path, text("old")))
	wrong := errors.New("wrong")
	err := atomicfile.Write(path, func(w io.Writer) error { return errors.Join(text("new")(w), wrong) })
	assert.ErrorIs(t, err, wrong)
	requireOnly(t, path, "old")
}

func TestNothingIsLeftOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, atomicfile.Write(path, text("old")))
	for _, fill := range []func(io.Writer) error{
		text("old"),
		func(io.Writer) error { return errors.New("wrong") },
		func(w io.Writer) error { _ = text("new")(w); panic("wrong") },
	} {
		leaktest.Check(t, func() {
			defer func() { _ = recover() }()
			_ = atomicfile.Write(path, fill)
		})
		requireOnly(t, path, "old")
	}
}

// TestIsNotThereBeforeItIsWhole looks at the folder while the file is written.
func TestIsNotThereBeforeItIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, atomicfile.Write(path, func(io.Writer) error {
		assert.NoFileExists(t, path)
		return nil
	}))
	requireOnly(t, path, "")
}

func TestErrorsNameNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	err := atomicfile.Write(filepath.Join(dir, "no", "out"), text(""))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.NotContains(t, err.Error(), ".part")

	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kept"), nil, 0o600))
	err = atomicfile.Write(folder, text("x"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), ".part")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left")

	_, other := os.Open(filepath.Join(dir, "missing"))
	assert.Equal(t, other, atomicfile.Write(filepath.Join(dir, "out"), func(io.Writer) error { return other }))
}
