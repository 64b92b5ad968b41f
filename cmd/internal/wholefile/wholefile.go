// Package wholefile writes files that are there as a whole or not at all.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Write writes a file by way of another one beside it, which gets the name when fill
// has returned without an error and all is written. If anything fails, also if
// fill panics, there is nothing left of it, and a file that was there before is still as it was.
//
// An error of fill is returned as it is. What is wrong with the file is an error that
// says nothing of the other name, and matches the cause, such as fs.ErrNotExist.
func Write(path string, fill func(io.Writer) error) error {
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
