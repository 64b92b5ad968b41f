package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Scratch is a file for what a process needs only while it runs.
type Scratch struct {
	*os.File
	// Path opens the file again. It is empty when the file has lost the only name that it had.
	Path string
}

// NewScratch makes an empty file in a folder, for this user alone. Where the system has paths of
// open files, as Linux has, nobody else has a name for it, so that it is gone however the process
// ends. Elsewhere it stays until [Scratch.Remove].
func NewScratch(dir string) (*Scratch, error) {
	if f := unnamed(dir, 0o600); f != nil {
		return &Scratch{f, PathOf(f)}, nil
	}
	f, err := os.CreateTemp(dir, "mjfr-*.tmp")
	if err != nil {
		return nil, err
	}
	s := &Scratch{f, f.Name()}
	if path := PathOf(f); path != "" && s.Remove() == nil {
		s.Path = path
	}
	return s, nil
}

// Remove removes the name of the file, if it has one. Some systems refuse that while the file is
// open or mapped.
func (s *Scratch) Remove() error {
	if s.Path != s.Name() {
		return nil
	}
	err := os.Remove(s.Path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		s.Path = ""
		return nil
	}
	return err
}

// PathOf returns a path by which an open file can be opened again, even after it has been removed,
// as on Linux. It is empty on other systems.
func PathOf(f *os.File) string {
	path := pathOf(f)
	again, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer again.Close() // only looked at
	there, err := again.Stat()
	if err != nil {
		return ""
	}
	if is, err := f.Stat(); err != nil || !os.SameFile(is, there) {
		return ""
	}
	return path
}

// pathOf returns the path that an open file has on Linux.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
