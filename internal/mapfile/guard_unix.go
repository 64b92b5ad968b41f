//go:build unix

package mapfile

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// Guard makes reads of a part of a mapping fault, until it is called with false. The part begins at the beginning of a
// page. It reports whether the system has done so.
func Guard(part []byte, on bool) bool {
	protection := unix.PROT_READ
	if on {
		protection = unix.PROT_NONE
	}
	return len(part) == 0 || unix.Mprotect(part, protection) == nil
}

// Allocated returns how many bytes a file takes on the disk, of which a sparse file takes less than its size.
func Allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(s.Blocks) * 512
	}
	return info.Size()
}
