// Package atomicfile writes files that are there as a whole or not at all.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write writes a file by way of another one beside it, which gets the name when fill
// has returned without an error and all is written. If anything fails, also if
// fill panics, there is nothing left of it, and a file that was there before is still as it was.
//
// An error of fill is returned as it is. What is wrong with the file is an error that
// says nothing of the other name, and matches the cause, such as fs.ErrNotExist.
//
// Only an ordinary file is replaced. A link stays, and the file that it leads to is
// replaced. A pipe or a character device, such as /dev/stdout, is written into: what was
// written before an error stays written. Anything else that is there is an error.
func Write(path string, fill func(io.Writer) error) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		if info, err = os.Stat(path); err != nil {
			return fmt.Errorf("it is a link that leads nowhere: %w", cause(err, path))
		}
		if info.Mode().IsRegular() {
			if path, err = filepath.EvalSymlinks(path); err != nil {
				return err
			}
		}
	}
	switch {
	case err != nil: // it is not there; if anything else is wrong, replacing it fails
	case info.Mode().IsRegular():
	case info.Mode().Type() == fs.ModeNamedPipe || info.Mode()&fs.ModeCharDevice != 0:
		return writeInto(path, fill)
	case info.IsDir():
		return errors.New("it is a folder; name a file")
	default:
		return errors.New("it is neither an ordinary file nor a pipe; name another file to write")
	}
	return replace(path, fill)
}

// writeInto writes into a pipe or a character device, which stays what it is. It does not
// wait until a reader opens the pipe, for nothing could end that wait.
func writeInto(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return errors.New("nothing reads from it; start its reader first")
	}
	if err != nil {
		return cause(err, path)
	}
	closed := false
	defer func() {
		if !closed { // also after a panic
			_ = f.Close() // the first error is the one to tell
		}
	}()
	if err := fill(f); err != nil {
		return cause(err, path)
	}
	closed = true
	return cause(f.Close(), path)
}

// replace writes a file in place of what has that name.
func replace(path string, fill func(io.Writer) error) error {
	temp := fmt.Sprintf("%s.%d.part", path, os.Getpid())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // as others that are made anew
	if err != nil {
		return cause(err, temp)
	}
	renamed := false
	defer func() {
		if !renamed { // also after a panic
			_ = f.Close() // the first error is the one to tell
			_ = os.Remove(temp)
		}
	}()
	if err := fill(f); err != nil {
		return cause(err, temp)
	}
	if err := f.Close(); err != nil {
		return cause(err, temp)
	}
	err = os.Rename(temp, path)
	renamed = err == nil
	return cause(err, temp)
}

// cause is an error of the file of that name without the name.
func cause(err error, name string) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Path == name {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok && link.Old == name {
		return link.Err
	}
	return err
}
