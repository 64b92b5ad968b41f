//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Enabled tells whether there are fences.
const Enabled = true

// Fence is bytes that end where an inaccessible page begins.
type Fence struct {
	pages []byte // all of them, the last one inaccessible
	bytes []byte
	once  sync.Once
}

// Copy returns a copy of the bytes that cannot be written to; nil if there is none,
// because there are no bytes or because the system has no more pages.
func Copy(data []byte) *Fence {
	if len(data) == 0 {
		return nil
	}
	page := os.Getpagesize()
	end := (len(data) + page - 1) &^ (page - 1)
	pages, err := unix.Mmap(-1, 0, end+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	f := &Fence{pages: pages, bytes: pages[end-len(data) : end : end]}
	copy(f.bytes, data)
	if unix.Mprotect(pages[:end], unix.PROT_READ) != nil || unix.Mprotect(pages[end:], unix.PROT_NONE) != nil {
		_ = unix.Munmap(pages) // there is nothing else to be done with it
		return nil
	}
	return f
}

// Bytes returns the bytes.
func (f *Fence) Bytes() []byte { return f.bytes }

// Close makes the bytes inaccessible. It may be called more than once.
func (f *Fence) Close() {
	if f == nil {
		return
	}
	f.once.Do(func() {
		_ = unix.Madvise(f.pages, unix.MADV_DONTNEED) // the memory can be used again, and not its addresses
		_ = unix.Mprotect(f.pages, unix.PROT_NONE)
		bury(len(f.pages), func() { _ = unix.Munmap(f.pages) })
	})
}
