package mapfile

import (
	"io/fs"
	"syscall"
)

// ChangeTime returns when the content or the attributes of a file last changed, in nanoseconds
// since 1970. No program can set that time.
func ChangeTime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
