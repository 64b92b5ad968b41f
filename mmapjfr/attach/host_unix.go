//go:build linux || darwin

package attach

import (
	"cmp"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func sendQuit(p *os.Process) error { return p.Signal(syscall.SIGQUIT) }

// ownerOf returns the user that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// maxPerfData is the most that is read of a file of counters. They have 32 kB unless
// -XX:PerfDataMemorySize says something else.
const maxPerfData = 4 << 20

// readPerfFile reads the counters of a JVM that runs as a user. It returns nil if
// the file is of another user, or not to be had.
func readPerfFile(path string, uid int) map[string]string {
	f, err := openPerfFile(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPerfData {
		return nil
	}
	if owner, ok := ownerOf(info); !ok || owner != uid {
		return nil
	}
	b := make([]byte, info.Size())
	n, _ := f.ReadAt(b, 0) // what is there counts
	texts, _ := parsePerfData(b[:n])
	return texts
}

// openPerfFile does not wait for a writer where someone has put a pipe.
func openPerfFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
}

// targetsAmong returns the JVMs among processes, by number. Each process is the last element of a
// path; other paths are ignored.
func (h *host) targetsAmong(paths []string) []*target {
	var list []*target
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if t, err := h.find(pid); err == nil {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *target) int { return a.pid - b.pid })
	return slices.CompactFunc(list, func(a, b *target) bool { return a.pid == b.pid })
}

// checkPeer makes sure that it is the JVM which listens at the other end.
func checkPeer(c net.Conn, t *target) error {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var pid int
	if e := raw.Control(func(fd uintptr) { pid, err = peerOf(int(fd)) }); e != nil || err != nil {
		return cmp.Or(e, err)
	}
	if pid != t.pid {
		return fmt.Errorf("%s belongs to process %d and not to %d: %w", t.socket(), pid, t.pid, ErrNotOurs)
	}
	return nil
}
