package mmapjfr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"golang.org/x/exp/mmap"
)

// mapping is the bytes of a file and what holds them.
type mapping struct {
	data  []byte
	unmap func() error // nil if data is ordinary memory
	info  fs.FileInfo  // of the file, from before its bytes were taken
}

// bridged tells whether the bytes behind an mmap.ReaderAt can be reached. The
// package hands out no slice; on the platforms that map files its reader is a
// struct of just one, and elsewhere, or should that ever change, files are read
// into memory instead.
var bridged = func() bool {
	t := reflect.TypeFor[mmap.ReaderAt]()
	return t.NumField() == 1 && t.Field(0).Type == reflect.TypeFor[[]byte]()
}()

// mapFile maps the file, or reads it where it cannot be mapped: on platforms
// without memory maps, and for pipes and other things that are no plain files.
func mapFile(path string, copyOnOpen bool) (mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return mapping{}, err
	}
	if info.IsDir() {
		return mapping{}, fmt.Errorf("mmapjfr: %s is a directory, not a recording", path)
	}
	if copyOnOpen || !bridged || !info.Mode().IsRegular() {
		return readFile(path, info)
	}
	r, err := mmap.Open(path)
	if errors.Is(err, errors.ErrUnsupported) {
		return readFile(path, info)
	}
	if err != nil {
		return mapping{}, fmt.Errorf("mmapjfr: cannot map %s: %w", path, err)
	}
	data := reflect.ValueOf(r).Elem().Field(0).Bytes()
	return mapping{data[:len(data):len(data)], r.Close, info}, nil
}

func readFile(path string, info fs.FileInfo) (mapping, error) {
	data, err := os.ReadFile(path)
	return mapping{data: data, info: info}, err
}

// close gives the bytes back. Nobody may read them any more.
func (m *mapping) close() error {
	unmap := m.unmap
	*m = mapping{}
	if unmap == nil {
		return nil
	}
	return unmap()
}
