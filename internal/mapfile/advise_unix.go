//go:build linux || darwin || freebsd || netbsd || openbsd

package mapfile

import "golang.org/x/sys/unix"

// dropPages takes whole pages of a map from the program. Failing is harmless: the system
// need not follow the advice.
func dropPages(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTNEED) }

// readAhead asks the system to read bytes of a map soon.
func readAhead(bytes []byte) { _ = unix.Madvise(bytes, unix.MADV_WILLNEED) }
