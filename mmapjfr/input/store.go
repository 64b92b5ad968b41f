package input

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// What the system can do. Tests set them.
var (
	reopenable = PathOf
	roomOn     = freeSpace
)

// store holds what has been unpacked: in memory, and in a temporary file once that is full.
type store struct {
	op   *opener
	mem  bytes.Buffer
	file *os.File // nil while all is in memory
	path string   // by which the file can be opened again
	temp string   // where it is to be removed; empty once it has been
	size int64
	room int64 // on the disk, for this file
}

// Write stores the bytes. If that fails nothing more is to be unpacked.
func (s *store) Write(p []byte) (int, error) {
	if s.file == nil && s.op.held+int64(len(p)) > s.op.InMemory {
		if err := s.spill(); err != nil {
			s.op.fatal = err
			return 0, err
		}
	}
	if s.file == nil {
		s.op.held += int64(len(p))
		s.size += int64(len(p))
		return s.mem.Write(p)
	}
	n, err := s.append(p)
	if err != nil {
		s.op.fatal = err
	}
	return n, err
}

// append adds to the file.
func (s *store) append(p []byte) (int, error) {
	if s.size+int64(len(p)) > s.room {
		return 0, errNoRoom(s.op.TempDir)
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("cannot unpack it to a temporary file: %w", err)
	}
	return n, nil
}

// spill moves the contents of the memory to a file. Where the system has a path for open files, the
// file is removed at once, so that it is gone however the program ends.
func (s *store) spill() error {
	f, err := os.CreateTemp(s.op.TempDir, "mjfr-*.tmp")
	if err != nil {
		return fmt.Errorf("cannot unpack it to a temporary file: %w", err)
	}
	s.file, s.path, s.temp = f, f.Name(), f.Name()
	if path := reopenable(f); path != "" {
		s.path = path
		s.remove()
	}
	free := roomOn(s.op.TempDir)
	s.room = free - free/10
	data := s.mem.Bytes()
	s.mem, s.size = bytes.Buffer{}, 0
	s.op.held -= int64(len(data))
	_, err = s.append(data)
	return err
}

// remove removes the file, if the system can remove open files.
func (s *store) remove() {
	if s.temp != "" && os.Remove(s.temp) == nil {
		s.temp = ""
	}
}

// open opens the contents of the store as a recording with that name, which then owns them.
func (s *store) open(name string) (*mmapjfr.Recording, error) {
	opts := append(s.op.unpackedOptions(), mmapjfr.Named(name))
	if s.file == nil {
		rec, err := mmapjfr.OpenBytes(s.mem.Bytes(), opts...)
		if err == nil {
			s.mem = bytes.Buffer{}
		}
		return rec, err
	}
	rec, err := mmapjfr.Open(s.path, opts...)
	if err != nil {
		return nil, err
	}
	_ = s.file.Close() // all has been written, and is mapped
	s.file = nil
	s.remove()
	if s.temp != "" {
		s.op.set.temps = append(s.op.set.temps, s.temp)
	}
	return rec, nil
}

// readerAt returns what is in the store, and its size.
func (s *store) readerAt() (io.ReaderAt, int64) {
	if s.file == nil {
		return bytes.NewReader(s.mem.Bytes()), s.size
	}
	return s.file, s.size
}

// discard removes what no recording owns.
func (s *store) discard() {
	if s.file != nil {
		_ = s.file.Close() // no recording uses it
		s.remove()
		return
	}
	s.op.held -= int64(s.mem.Len())
}

// PathOf returns a path by which an open file can be opened again, even after it has been removed,
// as on Linux. It is empty on other systems.
func PathOf(f *os.File) string {
	path := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
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
