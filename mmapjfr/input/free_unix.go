//go:build linux || darwin

package input

import (
	"math"

	"golang.org/x/sys/unix"
)

// freeSpace returns how many bytes can still be written to the disk of a
// directory, or the greatest number if that is not known.
func freeSpace(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Bsize <= 0 || s.Bavail > math.MaxInt64/uint64(s.Bsize) {
		return math.MaxInt64
	}
	return int64(s.Bavail * uint64(s.Bsize))
}
