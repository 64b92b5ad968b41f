package atomicfile

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Tests set these: as if no file could be without a name, or none could get one.
var onlyNamed, withoutLinks bool

// unnamed makes a file without a name in a folder: if the process is killed, it is gone. It returns
// nil where the file system has no such files, or the system no way to name one later.
func unnamed(dir string, mode fs.FileMode) *os.File {
	if onlyNamed {
		return nil
	}
	f, err := os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, mode)
	if err != nil {
		return nil
	}
	if _, err := os.Lstat(pathOf(f)); err != nil {
		_ = f.Close() // nothing is in it
		return nil
	}
	return f
}

// link gives a file without a name a name that no other file has.
func link(f *os.File, path string) error {
	if withoutLinks {
		return unix.EPERM
	}
	return unix.Linkat(unix.AT_FDCWD, pathOf(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}
