//go:build linux || darwin || freebsd || netbsd

package mapfile

import (
	"fmt"
	"math"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/guardpage"
)

// CanMapGrowing reports whether the system maps a file beyond its end, and shows there
// what others write to the file later. OpenBSD shows it too late.
const CanMapGrowing = true

// Growing is a map of a file that reaches beyond the end of the file, so that most of what
// is added needs no other map. Pages beyond the end are not touched.
type Growing struct {
	full    []byte
	from    int64 // where in the file the map begins
	cleanup runtime.Cleanup
}

// leastMap is how many bytes of a growing file are mapped at least: more than the twelve
// megabytes after which virtual machines usually begin another chunk.
const leastMap = 32 << 20

// Reach returns a map that holds size bytes from offset at. The result is g, which may be
// nil, if g holds them. Where more is to come, the map is larger than that. Reach fails
// with a [SizeError] if there are not enough addresses.
func (g *Growing) Reach(file *os.File, at int64, size uint64, finished bool) (*Growing, error) {
	if g != nil && uint64(at-g.from)+size <= uint64(len(g.full)) {
		return g, nil
	}
	page := int64(os.Getpagesize())
	from := at &^ (page - 1)
	least := uint64(at-from) + size
	tooLarge := &SizeError{Path: file.Name(), Size: at + int64(size)}
	if least > math.MaxInt {
		tooLarge.Err = unix.ENOMEM
		return nil, tooLarge
	}
	length := least
	if !finished {
		length = min(max(2*least, leastMap), math.MaxInt)
	}
	full, err := unix.Mmap(int(file.Fd()), from, int(length), unix.PROT_READ, unix.MAP_SHARED)
	if isOutOfMemory(err) && length > least { // without room for what is to come
		full, err = unix.Mmap(int(file.Fd()), from, int(least), unix.PROT_READ, unix.MAP_SHARED)
	}
	switch {
	case isOutOfMemory(err):
		tooLarge.Err = err
		return nil, tooLarge
	case err != nil:
		return nil, fmt.Errorf("cannot map %s: %w", file.Name(), err)
	}
	grown := &Growing{full: full, from: from}
	grown.cleanup = runtime.AddCleanup(grown, func(full []byte) { _ = unix.Munmap(full) }, full)
	return grown, nil
}

// Mapping returns the mapping of size bytes from offset at of the file, which the map
// holds. Closing the mapping closes the map.
func (g *Growing) Mapping(at int64, size uint64) Mapping {
	first := uint64(at - g.from)
	return New(g.full[first:first+size], g.Close)
}

// Close gives the map back. It may be called more than once.
func (g *Growing) Close() error {
	full := g.full
	if full == nil {
		return nil
	}
	g.full = nil
	g.cleanup.Stop()
	return guardpage.Hold(full, func() error { return unix.Munmap(full) })
}
