//go:build linux || darwin || freebsd || netbsd

package mmapjfr

import (
	"math"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/guardpage"
)

// canMapGrowing tells whether a file can be mapped further than it reaches.
const canMapGrowing = true

// growingMap is a map of a file that reaches further than the file does, so that most of
// what is added needs no other map. Pages that do not exist yet are not touched.
type growingMap struct {
	full    []byte
	from    int64 // where in the file it begins
	cleanup runtime.Cleanup
}

// leastMap is how much of a chunk that grows is mapped at least: more than the twelve
// megabytes after which virtual machines usually begin another one.
const leastMap = 32 << 20

// reach returns a map in which size bytes from offset at are: m, which may be nil, if they
// are in it. Of a chunk that will not grow any more just those are mapped.
func (m *growingMap) reach(file *os.File, at int64, size uint64, finished bool) (*growingMap, error) {
	if m != nil && uint64(at-m.from)+size <= uint64(len(m.full)) {
		return m, nil
	}
	page := int64(os.Getpagesize())
	from := at &^ (page - 1)
	least := uint64(at-from) + size
	if least > math.MaxInt {
		return nil, unix.ENOMEM
	}
	length := least
	if !finished {
		length = min(max(2*least, leastMap), math.MaxInt)
	}
	full, err := unix.Mmap(int(file.Fd()), from, int(length), unix.PROT_READ, unix.MAP_SHARED)
	if noRoom(err) && length > least { // for what is to come
		full, err = unix.Mmap(int(file.Fd()), from, int(least), unix.PROT_READ, unix.MAP_SHARED)
	}
	if err != nil {
		return nil, err
	}
	grown := &growingMap{full: full, from: from}
	grown.cleanup = runtime.AddCleanup(grown, func(full []byte) { _ = unix.Munmap(full) }, full)
	return grown, nil
}

// bytes returns size bytes from offset at of the file.
func (m *growingMap) bytes(at int64, size uint64) []byte {
	first := uint64(at - m.from)
	return m.full[first : first+size : first+size]
}

// unmap gives the map back. It may be called more than once.
func (m *growingMap) unmap() error {
	full := m.full
	if full == nil {
		return nil
	}
	m.full = nil
	m.cleanup.Stop()
	return guardpage.Hold(full, func() error { return unix.Munmap(full) })
}
