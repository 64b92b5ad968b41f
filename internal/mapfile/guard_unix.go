//go:build unix

package mapfile

import "golang.org/x/sys/unix"

// Guard makes reads of a part of a mapping fault, until it is called with false. The part begins at
// the beginning of a page. It reports whether the system has done so.
func Guard(part []byte, on bool) bool {
	protection := unix.PROT_READ
	if on {
		protection = unix.PROT_NONE
	}
	return len(part) == 0 || unix.Mprotect(part, protection) == nil
}
