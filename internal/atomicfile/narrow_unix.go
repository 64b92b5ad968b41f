//go:build unix

package atomicfile

import "golang.org/x/sys/unix"

// umask returns the umask. It can only be read by setting it: nobody gets more meanwhile.
func umask() int {
	const nobody = 0o077
	mask := unix.Umask(nobody)
	unix.Umask(mask)
	return mask
}

// setUmask takes permissions away from new files.
func setUmask(mask int) { unix.Umask(mask) }
