// Package mapfile maps files into memory, and reads them where they cannot be mapped.
//
// A [Mapping] holds the bytes of a whole file, or bytes that are in memory already.
// A [Growing] maps a file that is still written to.
//
// Files are mapped with golang.org/x/exp/mmap. That package hands out no slice, so
// this one reads the slice in its reader by reflection, and reads files into memory
// should the reader ever look different. Growing files need a map that reaches beyond
// the end of the file, which golang.org/x/exp/mmap does not make.
package mapfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"golang.org/x/exp/mmap"

	"github.com/mmapjfr/jfr/internal/guardpage"
)

// ErrDirectory is the error of a path that leads to a directory.
var ErrDirectory = errors.New("is a directory")

// SizeError is the error of a file that does not fit into the address space or the
// memory that the program has.
type SizeError struct {
	Copy bool // the file was read into memory, not mapped
	Path string
	Size int64 // in bytes
	Err  error // what the system said; nil if the system was not asked
}

// Error says what does not fit, and what the system said.
func (e *SizeError) Error() string {
	verb := "map"
	if e.Copy {
		verb = "copy"
	}
	return fmt.Sprintf("cannot %s %s, of %d bytes: %v", verb, e.Path, e.Size, e.Err)
}

// Unwrap returns what the system said.
func (e *SizeError) Unwrap() error { return e.Err }

// Mapping is the bytes of a file, and what gives them back. The zero Mapping has no bytes.
// A Mapping is closed once, by one of its copies.
type Mapping struct {
	data  []byte
	unmap func() error      // nil if data is ordinary memory
	info  fs.FileInfo       // of the file, from before its bytes were read
	guard *guardpage.Buffer // nil but in builds that check themselves
}

// New returns a mapping of bytes that unmap gives back. If unmap is nil the bytes are
// ordinary memory.
func New(data []byte, unmap func() error) Mapping {
	return Mapping{data: data[:len(data):len(data)], unmap: unmap}
}

// reachable reports whether the bytes of an mmap.ReaderAt can be reached. On the
// platforms that map files the reader is a struct of one field, the slice.
var reachable = func() bool {
	t := reflect.TypeFor[mmap.ReaderAt]()
	return t.NumField() == 1 && t.Field(0).Type == reflect.TypeFor[[]byte]()
}()

// Options says how a file is opened.
type Options struct {
	// Copy reads the file into memory instead of mapping it.
	Copy bool
	// Magic is how the file should begin. A file that is read, and begins otherwise,
	// is read no further than it takes to see that.
	Magic string
}

// Open maps the file at path. It reads the file into memory if that is asked for, where
// files cannot be mapped, and if the file is a pipe or another special file. It fails
// with [ErrDirectory], and with a [SizeError] if the file does not fit.
func Open(path string, o Options) (Mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Mapping{}, err
	}
	if info.IsDir() {
		return Mapping{}, fmt.Errorf("%s %w", path, ErrDirectory)
	}
	if o.Copy || !reachable || !info.Mode().IsRegular() {
		return copyFile(path, info, o.Magic)
	}
	if size := info.Size(); int64(int(size)) != size {
		return Mapping{}, &SizeError{Path: path, Size: size}
	}
	r, err := mmap.Open(path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return copyFile(path, info, o.Magic)
	case isOutOfMemory(err):
		return Mapping{}, &SizeError{Path: path, Size: info.Size(), Err: err}
	case err != nil:
		return Mapping{}, fmt.Errorf("cannot map %s: %w", path, err)
	}
	data := reflect.ValueOf(r).Elem().Field(0).Bytes()
	m := New(data, func() error { return guardpage.Hold(data, r.Close) })
	m.info = info
	return m, nil
}

// Data returns the bytes. They are valid until Close.
func (m *Mapping) Data() []byte { return m.data }

// IsMapped reports whether the bytes are a map of the file, and not ordinary memory.
func (m *Mapping) IsMapped() bool { return m.unmap != nil }

// Info returns what the system said of the file before its bytes were read; nil if the
// bytes are of no file.
func (m *Mapping) Info() fs.FileInfo { return m.info }

// Close gives the bytes back. Nobody may read them any more. It may be called more than once.
func (m *Mapping) Close() error {
	was := *m
	*m = Mapping{}
	was.guard.Close()
	if was.unmap == nil {
		return nil
	}
	return was.unmap()
}

// Guarded returns the mapping with ordinary memory copied to where a guard page follows,
// in builds that check themselves. Strings that alias the copy then fault after Close, as
// strings that alias a map do.
func (m Mapping) Guarded() Mapping {
	if !guardpage.Enabled || m.unmap != nil {
		return m
	}
	if g := guardpage.Copy(m.data); g != nil {
		m.data, m.guard = g.Bytes(), g
	}
	return m
}

// DropPages advises the system to take the whole pages between two offsets from the program until
// they are read again. It does nothing to ordinary memory, and where the system cannot be advised.
func (m *Mapping) DropPages(from, to uint64) {
	page := uint64(os.Getpagesize())
	first, end := (from+page-1)&^(page-1), min(to, uint64(len(m.data)))&^(page-1)
	if m.unmap != nil && from <= to && first < end {
		dropPages(m.data[first:end])
	}
}

// aheadBytes is how many bytes are read from the disk at a time, while those before them are worked
// on.
const aheadBytes = 8 << 20

// ReadAhead says that work that goes over the file has come to the bytes between two offsets. Every
// aheadBytes it asks the system to read as many after the next ones from the disk. It does nothing
// to ordinary memory, and where the system cannot be asked.
func (m *Mapping) ReadAhead(from, to uint64) {
	if from/aheadBytes == to/aheadBytes || m.unmap == nil || m.info == nil {
		return
	}
	first := (to/aheadBytes + 1) * aheadBytes
	if end := min(first+aheadBytes, uint64(len(m.data))); first < end {
		readAhead(m.data[first:end])
	}
}
