//go:build !js && !wasip1

package atomicfile

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// writeInto writes into a pipe or a character device, which stays what it is. It does not
// wait until a reader opens the pipe, for nothing could end that wait.
func writeInto(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return errors.New("nothing reads from this pipe; start the reader first")
	}
	if err != nil {
		return cause(err, path)
	}
	closed := false
	defer func() {
		if !closed { // also after a panic
			_ = f.Close() // the first error is the one to return
		}
	}()
	if err := fill(f); err != nil {
		return cause(err, path)
	}
	closed = true
	return cause(f.Close(), path)
}
