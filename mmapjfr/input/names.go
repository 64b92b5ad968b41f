package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// stdinArg stands for standard input on a command line, stdinName in messages.
	stdinArg  = "-"
	stdinName = "standard input"
)

// item is a file that may be a recording.
type item struct {
	name string // in messages
	path string
	info fs.FileInfo
}

// named opens what one name leads to.
func (op *opener) named(name string) error {
	if err := op.stopped(); err != nil {
		return err
	}
	if name == stdinArg {
		return op.stdin()
	}
	if op.Remote != nil && op.Remote.Takes(name) {
		return op.remote(name)
	}
	paths, isPattern, err := expand(name)
	if err != nil {
		return at(name, opening(err))
	}
	if isPattern {
		passed := 0
		paths = slices.DeleteFunc(paths, func(path string) bool {
			_, err := Entry(path)
			none, is := errors.AsType[*NoFile](err)
			if is {
				op.passOver(path, none, &passed)
			}
			return is
		})
		if len(paths) == 0 {
			return at(name, &userError{"what matches the pattern is no file", fs.ErrNotExist})
		}
	}
	for _, path := range paths {
		if err := op.path(path); err != nil {
			return err
		}
	}
	return nil
}

// expand returns the files that a name stands for: the file with this name, or else those that
// match it as a pattern.
func expand(name string) (paths []string, isPattern bool, err error) {
	_, err = os.Stat(name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "*?[") {
		return []string{name}, false, err
	}
	if matches, bad := filepath.Glob(name); bad == nil && len(matches) > 0 {
		return matches, true, nil
	}
	if strings.ContainsAny(name, "*?[") {
		return nil, true, &userError{"no file has this name, or matches it as a pattern; check the path", fs.ErrNotExist}
	}
	return nil, false, err
}

// path opens the file or directory.
func (op *opener) path(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return at(path, opening(err))
	case info.IsDir():
		return op.dir(path)
	}
	return op.file(item{path, path, info})
}

// known reports whether a file is in the set already.
func (op *opener) known(info fs.FileInfo) bool {
	return slices.ContainsFunc(op.seen, func(f fs.FileInfo) bool { return os.SameFile(f, info) })
}
