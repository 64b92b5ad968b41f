//go:build unix

package repository

import (
	"os"
	"syscall"
)

// open opens a file for reading. It does not wait for the writer of a pipe.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// openFile opens a file for reading, unless it is a link.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}
