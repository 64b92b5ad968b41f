// Package atomicfile writes files that are there as a whole or not at all.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write is [WriteMode] with the mode of ordinary files.
func Write(path string, fill func(io.Writer) error) error { return WriteMode(path, 0o666, fill) }

// WriteMode writes a file as [Replace] does. It replaces only an ordinary file. It keeps a link and
// replaces the file that the link leads to. A file that is replaced keeps its mode, as far as
// [Narrow] lets it. It writes into a pipe or a character device, such as /dev/stdout: what was
// written before an error stays written. If anything else has that name, WriteMode returns an
// error.
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
		return errors.New("it is neither a regular file nor a pipe; name another file to write")
	}
	return Replace(path, mode, func(f *os.File) error {
		if info != nil {
			if err := f.Chmod(modeAgain(info.Mode())); err != nil {
				return err
			}
		}
		return fill(f)
	})
}

// Replace writes a file with a mode, less the umask, by way of another file beside it, which on
// Linux mostly has no name. That file gets the name when fill has returned without an error. If
// anything fails, and if fill panics, nothing of it remains, and a file that had the name is as it
// was. Replace does not wait for the disk.
//
// A process that is killed can leave a file with a name as [TempName] makes it, where the system
// knows no files without names. The next process that writes into the folder removes it.
//
// An error of fill is returned as it is. An error of the file does not show the name of the other
// file, and matches the cause, such as fs.ErrNotExist.
func Replace(path string, mode fs.FileMode, fill func(*os.File) error) (err error) {
	temp := ""
	f := unnamed(filepath.Dir(path), mode)
	if f == nil {
		if f, err = Create(path, mode); err != nil {
			return err
		}
		temp = f.Name()
	}
	done := false
	defer func() {
		if !done { // also after a panic
			_ = f.Close() // the first error is the one to return
			if temp != "" {
				_ = os.Remove(temp)
			}
		}
	}()
	if err := fill(f); err != nil {
		return cause(err, f.Name())
	}
	if temp == "" {
		if link(f, path) == nil {
			done = true
			return cause(f.Close(), f.Name())
		}
		temp = TempName(path) // no file takes the place of another in one step
		if link(f, temp) != nil {
			unnamed := f
			f, err = copied(unnamed, path)
			_ = unnamed.Close() // it has been read
			if err != nil {
				temp = ""
				return err
			}
			temp = f.Name()
		}
	}
	if err := f.Close(); err != nil {
		return cause(err, f.Name())
	}
	err = os.Rename(temp, path)
	done = err == nil
	return cause(err, temp)
}

// copied returns a file of [Create] with what a file has that can get no name.
func copied(from *os.File, path string) (f *os.File, err error) {
	info, err := from.Stat()
	if err == nil {
		_, err = from.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, cause(err, from.Name())
	}
	if f, err = Create(path, info.Mode().Perm()); err != nil {
		return nil, err
	}
	if _, err = io.Copy(f, from); err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err != nil {
		_ = f.Close() // the first error is the one to return
		_ = os.Remove(f.Name())
		return nil, cause(err, f.Name())
	}
	return f, nil
}

// cause returns an error of the file of that name without the name, and without that of a system
// call.
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
