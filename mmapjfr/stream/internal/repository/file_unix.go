//go:build unix

package repository

import (
	"os"
	"syscall"
)

// open opens a file to read. It does not wait for whoever writes into a pipe.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// openFile opens a file to read, but no link to one.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}
