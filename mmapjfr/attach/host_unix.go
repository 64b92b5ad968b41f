//go:build linux || darwin

package attach

import (
	"io/fs"
	"os"
	"syscall"
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
