//go:build jfrdebug && !nounsafe && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Hold unmaps the bytes of a map, and keeps the addresses of their pages inaccessible for a while.
// Nothing else is mapped there, so that reading the bytes faults. The inaccessible pages that
// replace the map are given back by unmap later; if they cannot be made, unmap is called at once.
//
// Safe because: the pages are those of a map that is given up, and the system replaces the
// map in one step. Nothing is ever read or written there.
func Hold(data []byte, unmap func() error) error {
	if len(data) == 0 {
		return unmap() // an empty slice can point to anything, such as other variables
	}
	page := uintptr(os.Getpagesize())
	skipped := uintptr(unsafe.Pointer(unsafe.SliceData(data))) & (page - 1)
	first := unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), -int(skipped))
	size := (skipped + uintptr(len(data)) + page - 1) &^ (page - 1)
	if _, err := unix.MmapPtr(-1, 0, first, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
		return unmap()
	}
	quarantine(int(size), func() { _ = unmap() })
	return nil
}
