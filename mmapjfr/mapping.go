package mmapjfr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"golang.org/x/exp/mmap"

	"github.com/mmapjfr/jfr/internal/guardpage"
)

// mapping is the bytes of a file and what holds them.
type mapping struct {
	data  []byte
	unmap func() error     // nil if data is ordinary memory
	info  fs.FileInfo      // of the file, from before its bytes were taken
	fence *guardpage.Fence // nil but in builds that check themselves
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
// without memory maps, and for pipes and other things that are no plain files. Of
// what is read, and does not begin with magic, no more is taken than it takes to say so.
func mapFile(path string, copyOnOpen bool, magic string) (mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return mapping{}, err
	}
	if info.IsDir() {
		return mapping{}, fmt.Errorf("mmapjfr: %s is a directory, not a recording%s", path, inputOpens)
	}
	if copyOnOpen || !bridged || !info.Mode().IsRegular() {
		return copyFile(path, info, magic)
	}
	if size := info.Size(); int64(int(size)) != size {
		return mapping{}, noAddresses(path, size, nil)
	}
	r, err := mmap.Open(path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return copyFile(path, info, magic)
	case noRoom(err):
		return mapping{}, noAddresses(path, info.Size(), err)
	case err != nil:
		return mapping{}, fmt.Errorf("mmapjfr: cannot map %s: %w", path, err)
	}
	data := reflect.ValueOf(r).Elem().Field(0).Bytes()
	unmap := func() error { return guardpage.Hold(data, r.Close) }
	return mapping{data: data[:len(data):len(data)], unmap: unmap, info: info}, nil
}

// close gives the bytes back. Nobody may read them any more.
func (m *mapping) close() error {
	was := *m
	*m = mapping{}
	was.fence.Close()
	if was.unmap == nil {
		return nil
	}
	return was.unmap()
}

// fenced puts ordinary memory behind a fence, in builds that check themselves: strings
// that alias it then fault after close, as those of a map do.
func (m mapping) fenced() mapping {
	if !guardpage.Enabled || m.unmap != nil {
		return m
	}
	if f := guardpage.Copy(m.data); f != nil {
		m.data, m.fence = f.Bytes(), f
	}
	return m
}
