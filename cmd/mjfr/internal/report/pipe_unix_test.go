//go:build unix

package report

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestPipe writes Markdown into a pipe: it has no pictures, and none lie beside it.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "q")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer reader.Close()
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, reader)
		read <- err
	}()
	code, _, told := mjfrCommand(t, "report", "--markdown", "-o", pipe, clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code, told)
	require.NoError(t, reader.Close())
	assert.ErrorIs(t, <-read, os.ErrClosed)
	assert.Equal(t, []string{"q"}, namesIn(t, dir))
}
