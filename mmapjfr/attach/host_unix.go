//go:build linux || darwin

package attach

import (
	"io/fs"
	"os"
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
