//go:build linux || darwin || freebsd || netbsd || openbsd

package mmapjfr

import "golang.org/x/sys/unix"

// release gives back whole pages of a map.
func release(pages []byte) {
	_ = unix.Madvise(pages, unix.MADV_DONTNEED) // it is no more than advice
}
