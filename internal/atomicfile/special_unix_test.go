//go:build unix

package atomicfile_test

import (
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// TestWritesIntoAPipe writes into one with a reader, and into one without, which is an error.
// Both are still pipes.
func TestWritesIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	isPipe := func() {
		t.Helper()
		info, err := os.Lstat(path)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeNamedPipe, info.Mode().Type())
	}
	assert.EqualError(t, atomicfile.Write(path, text("x")), "nothing reads from this pipe; start the reader first")
	isPipe()

	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, atomicfile.Write(path, text("into the pipe")))
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "into the pipe", string(got))
	isPipe()
}

// TestReplacesWhatALinkLeadsTo: the link stays. One that leads nowhere is refused.
func TestReplacesWhatALinkLeadsTo(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("file", link))
	assert.ErrorContains(t, atomicfile.Write(link, text("x")), "it is a link that leads nowhere")
	assert.NoFileExists(t, file)

	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	require.NoError(t, atomicfile.Write(link, text("new")))
	to, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "file", to)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got))
}

// TestRefusesWhatIsNoFile: folders and sockets stay.
func TestRefusesWhatIsNoFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // names of sockets are short
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer l.Close()
	assert.ErrorContains(t, atomicfile.Write(socket, text("x")), "neither a regular file nor a pipe")
	assert.ErrorContains(t, atomicfile.Write(dir, text("x")), "it is a folder")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, fs.ModeSocket, entries[0].Type())
}
