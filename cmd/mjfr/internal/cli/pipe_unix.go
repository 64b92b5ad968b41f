//go:build unix

package cli

import (
	"io"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// KeepBrokenPipes makes a write fail if nothing reads the pipe. Otherwise the signal would end the
// process at once, and temporary files would remain.
func KeepBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// brokenPipeHere knows no errors beyond those of all systems.
func brokenPipeHere(error) bool { return false }

// NobodyReads reports whether w is a pipe whose reader has ended, without writing to it.
func NobodyReads(w io.Writer) (gone bool) {
	f, ok := w.(syscall.Conn)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&unix.POLLERR != 0
	})
	return err == nil && gone
}
