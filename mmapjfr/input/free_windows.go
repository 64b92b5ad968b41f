package input

import (
	"math"

	"golang.org/x/sys/windows"
)

// freeSpace returns how many bytes can still be written to the disk of a
// directory, or the greatest number if that is not known.
func freeSpace(dir string) int64 {
	var free uint64
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil || windows.GetDiskFreeSpaceEx(path, &free, nil, nil) != nil || free > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(free)
}
