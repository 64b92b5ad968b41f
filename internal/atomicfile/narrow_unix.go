//go:build unix

package atomicfile

import "golang.org/x/sys/unix"

// addUmask takes permissions away from new files. It can only be read by setting it: nobody gets more
// meanwhile.
func addUmask(mask int) (restore func()) {
	const nobody = 0o077
	before := unix.Umask(nobody)
	unix.Umask(before | mask)
	return func() { unix.Umask(before) }
}
