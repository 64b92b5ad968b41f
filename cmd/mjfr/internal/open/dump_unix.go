//go:build linux || darwin

package open

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeBytes returns how many bytes the disk of a folder has left.
func freeBytes(dir string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return math.MaxUint64
	}
	return s.Bavail * uint64(s.Bsize)
}

// openOf opens an ordinary file of a user, or with -1 of any. The folder may belong to that user,
// and mjfr may run as root: a link, or the file of another user that a folder leads to, would show
// what the user may not read.
func openOf(path string, uid int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || info.Mode().Type() != 0 || uid >= 0 && int(s.Uid) != uid {
			err = &fs.PathError{Op: "open", Path: path, Err: errors.New("it is not a regular file of the JVM's user")}
		}
	}
	if err != nil {
		_ = f.Close() // only looked at
		return nil, err
	}
	return f, nil
}
