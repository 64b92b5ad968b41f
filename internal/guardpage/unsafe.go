//go:build jfrdebug && !nounsafe && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Hold unmaps the bytes of a map, and keeps the addresses of their pages inaccessible:
// nothing else gets them, so that whoever still uses them faults. What comes in the place
// of the map is given up by unmap, later; if there can be nothing, it is called at once.
//
// Safe because: the pages are those of a map that is given up, which the system replaces
// in one step. Nothing is ever read or written there.
func Hold(data []byte, unmap func() error) error {
	if len(data) == 0 {
		return unmap() // no bytes are of no map: they can point to anything, such as other variables
	}
	page := uintptr(os.Getpagesize())
	skipped := uintptr(unsafe.Pointer(unsafe.SliceData(data))) & (page - 1)
	first := unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), -int(skipped))
	size := (skipped + uintptr(len(data)) + page - 1) &^ (page - 1)
	if _, err := unix.MmapPtr(-1, 0, first, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
		return unmap()
	}
	bury(int(size), func() { _ = unmap() })
	return nil
}
