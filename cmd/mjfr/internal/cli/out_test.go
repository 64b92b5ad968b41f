package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestWriteOutOfAChangedFile: a copy of a recording that others write to meanwhile would have bytes of before and of after.
func TestWriteOutOfAChangedFile(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	dir := t.TempDir()
	path, out := filepath.Join(dir, "app.jfr"), filepath.Join(dir, "out.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	a := &cli.App{Stdin: nil, Stdout: io.Discard, Stderr: io.Discard}
	set, err := a.Open(t.Context(), []string{path}, input.Options{})
	require.NoError(t, err)
	defer set.Close()
	fill := func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
	require.NoError(t, a.WriteOut(t.Context(), out, set, fill))
	require.NoError(t, os.Remove(out))
	require.ErrorIs(t, a.WriteOut(t.Context(), out, set, func(w io.Writer) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteAt(make([]byte, 100), 8)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		later := time.Now().Add(time.Hour) // clocks of file systems can be coarse
		require.NoError(t, os.Chtimes(path, later, later))
		return fill(w)
	}), mmapjfr.ErrChanged)
	assert.NoFileExists(t, out)
}
