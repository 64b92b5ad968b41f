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

// named opens what one name leads to, and returns what is wrong with it: one error for each file that a
// pattern stands for.
func (op *opener) named(name string) (bad []error) {
	if err := op.stopped(); err != nil {
		return []error{err}
	}
	var err error
	switch {
	case name == stdinArg:
		err = op.stdin()
	case op.Remote != nil && op.Remote.Takes(name):
		err = op.urls(name)
	default:
		return op.local(name)
	}
	if err != nil {
		bad = append(bad, err)
	}
	return bad
}

// local opens the files and directories that a name stands for.
func (op *opener) local(name string) (bad []error) {
	paths, isPattern, err := expand(name)
	if err != nil {
		return []error{at(name, OpenError(err))}
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
			return []error{at(name, &userError{"what matches the pattern is no file", fs.ErrNotExist})}
		}
	}
	for _, path := range paths {
		if err := op.path(path); err != nil {
			bad = append(bad, err)
		}
		if op.stopped() != nil {
			break
		}
	}
	return bad
}

// expand returns the files that a name stands for: the file with this name, or else those that
// match it as a pattern.
func expand(name string) (paths []string, isPattern bool, err error) {
	if name == "" {
		return nil, false, &userError{"a name is empty; is a variable of your shell unset?", fs.ErrNotExist}
	}
	_, err = os.Stat(name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "*?[") {
		return []string{name}, false, err
	}
	if matches, bad := filepath.Glob(name); bad == nil && len(matches) > 0 {
		return matches, true, nil
	}
	if strings.ContainsAny(name, "*?[") {
		return nil, true, &userError{"no such file, and no file matches the pattern", fs.ErrNotExist}
	}
	return nil, false, err
}

// path opens the file or directory.
func (op *opener) path(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return at(path, OpenError(err))
	case info.IsDir():
		return op.dir(path)
	}
	return op.file(item{path, path, info})
}

// known reports whether a file is in the set already.
func (op *opener) known(info fs.FileInfo) bool {
	return slices.ContainsFunc(op.seen, func(f fs.FileInfo) bool { return os.SameFile(f, info) })
}
