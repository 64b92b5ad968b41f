// Package atomicfile writes files that are there as a whole or not at all.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write is [WriteMode] with the mode of ordinary files.
func Write(path string, fill func(io.Writer) error) error { return WriteMode(path, 0o666, fill) }

// WriteMode writes a file as [Replace] does. It replaces only an ordinary file. It keeps a link and
// replaces the file that the link leads to. A file that is replaced keeps its mode. It writes into a pipe or a character device, such as
// /dev/stdout: what was written before an error stays written. If anything else has that name,
// WriteMode returns an error.
func WriteMode(path string, mode fs.FileMode, fill func(io.Writer) error) error {
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
	return Replace(path, mode, func(f *os.File) error {
		if info != nil {
			if err := f.Chmod(info.Mode().Perm()); err != nil {
				return err
			}
		}
		return fill(f)
	})
}

// longestName is how many bytes names of files have at most in file systems of today.
const longestName = 255

// Replace writes a file with a mode, less the umask, by way of another file beside it. That file
// gets the name when fill has returned without an error. If anything fails, and if fill panics,
// nothing of it remains, and a file that had the name is as it was. Replace does not wait for the
// disk.
//
// An error of fill is returned as it is. An error of the file does not show the name of the other
// file, and matches the cause, such as fs.ErrNotExist.
func Replace(path string, mode fs.FileMode, fill func(*os.File) error) error {
	dir, base := filepath.Split(path)
	end := fmt.Sprintf(".%d-%08x.part", os.Getpid(), rand.Uint32())
	temp := dir + base[:min(len(base), max(0, longestName-len(end)))] + end
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return cause(err, temp)
	}
	renamed := false
	defer func() {
		if !renamed { // also after a panic
			_ = f.Close() // the first error is the one to return
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

// cause returns an error of the file of that name without the name, and without that of a system call.
func cause(err error, name string) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Path == name {
		if call, ok := errors.AsType[*os.SyscallError](path.Err); ok {
			return call.Err
		}
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok && link.Old == name {
		return link.Err
	}
	return err
}
