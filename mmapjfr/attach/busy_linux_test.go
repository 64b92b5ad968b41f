package attach_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// TestWaitsForABusyJVM connects to a socket that has no room for another waiting connection
// until somebody accepts one, and to one at which nobody does.
func TestWaitsForABusyJVM(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
	require.NoError(t, syscall.Listen(fd, 0))
	file := os.NewFile(uintptr(fd), path)
	listener, err := net.FileListener(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	defer listener.Close()

	first, err := attach.Connect(t.Context(), path)
	require.NoError(t, err)
	defer first.Close()
	ended, cancel := context.WithCancel(t.Context())
	go cancel()
	_, err = attach.Connect(ended, path)
	require.Error(t, err, "the queue is full")

	second := make(chan error, 1)
	go func() {
		c, err := attach.Connect(t.Context(), path)
		if err == nil {
			err = c.Close()
		}
		second <- err
	}()
	for range 2 {
		c, err := listener.Accept()
		require.NoError(t, err)
		defer c.Close()
	}
	assert.NoError(t, <-second)
}
