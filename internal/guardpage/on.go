//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import (
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// Enabled reports whether this build has guard pages.
const Enabled = true

// Buffer is bytes that end where a guard page begins. It is closed when it is collected.
type Buffer struct {
	pages   []byte // all of them; the last one is the guard page
	bytes   []byte
	once    sync.Once
	cleanup runtime.Cleanup
}

// Copy returns a copy of the bytes that cannot be written to. It returns nil if there are
// no bytes, or if the system has no more pages.
func Copy(data []byte) *Buffer {
	if len(data) == 0 {
		return nil
	}
	page := os.Getpagesize()
	end := (len(data) + page - 1) &^ (page - 1)
	pages, err := unix.Mmap(-1, 0, end+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	b := &Buffer{pages: pages, bytes: pages[end-len(data) : end : end]}
	copy(b.bytes, data)
	if unix.Mprotect(pages[:end], unix.PROT_READ) != nil || unix.Mprotect(pages[end:], unix.PROT_NONE) != nil {
		_ = unix.Munmap(pages) // nothing else can be done with them
		return nil
	}
	b.cleanup = runtime.AddCleanup(b, forbid, pages)
	return b
}

// Bytes returns the bytes. They are readable until Close, or until the buffer is collected.
func (b *Buffer) Bytes() []byte { return b.bytes }

// Close makes the bytes inaccessible. It may be called more than once.
func (b *Buffer) Close() {
	if b == nil {
		return
	}
	b.once.Do(func() {
		b.cleanup.Stop()
		forbid(b.pages)
	})
}

// forbid makes pages inaccessible. The system gets their memory back at once, and their
// addresses later.
func forbid(pages []byte) {
	_ = unix.Madvise(pages, unix.MADV_DONTNEED)
	_ = unix.Mprotect(pages, unix.PROT_NONE)
	quarantine(len(pages), func() { _ = unix.Munmap(pages) })
}
