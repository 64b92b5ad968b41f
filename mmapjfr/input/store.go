package input

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What the system can do. Tests set them.
var (
	newScratch = atomicfile.NewScratch
	roomOn     = freeSpace
)

// store holds what has been unpacked: in memory, and in a temporary file once that is full.
type store struct {
	op               *opener
	mem              bytes.Buffer
	file             *atomicfile.Scratch // nil while all is in memory
	size             int64
	room             int64 // on the disk, for this file, as of size checked
	checked, reserve int64
}

// roomStep is how many bytes are written before the room on the disk is looked at again: others write, too.
const roomStep = 64 << 20

// Write stores the bytes. If that fails nothing more is to be unpacked.
func (s *store) Write(p []byte) (int, error) {
	if s.op.keep != nil {
		if err := s.op.keep(int64(len(p))); err != nil {
			s.op.fatal = err
			return 0, err
		}
	}
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
	if s.size-s.checked >= roomStep {
		s.look()
	}
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

// spill moves the contents of the memory to a file.
func (s *store) spill() error {
	f, err := newScratch(s.op.TempDir)
	if err != nil {
		return fmt.Errorf("cannot unpack it to a temporary file: %w", err)
	}
	s.file = f
	s.reserve = roomOn(s.op.TempDir) / 10
	data := s.mem.Bytes()
	s.mem, s.size = bytes.Buffer{}, 0
	s.op.held -= int64(len(data))
	s.look()
	_, err = s.append(data)
	return err
}

// look looks how much room there is.
func (s *store) look() {
	s.checked = s.size
	s.room = s.size + max(0, min(roomOn(s.op.TempDir), math.MaxInt64/2)-s.reserve)
}

// open opens the contents of the store as a recording with that name, which then owns them.
func (s *store) open(name string) (*mmapjfr.Recording, error) {
	opts := append(s.op.unpackedOptions(), engine.Named(name))
	if s.file == nil {
		rec, err := mmapjfr.OpenBytes(s.mem.Bytes(), opts...)
		if err == nil {
			s.mem = bytes.Buffer{}
		}
		return rec, err
	}
	rec, err := mmapjfr.Open(s.file.Path, opts...)
	if err != nil {
		return nil, err
	}
	_ = s.file.Close() // all has been written, and is mapped
	if s.file.Remove() != nil {
		s.op.set.temps = append(s.op.set.temps, s.file.Path)
	}
	s.file = nil
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
		_ = s.file.Remove()
		return
	}
	s.op.held -= int64(s.mem.Len())
}
