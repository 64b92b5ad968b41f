package cli

import (
	"os"
	"slices"
)

// IsAmong reports whether a name leads to one of some files, under whatever name. Pipes and devices
// are not files.
func IsAmong(name string, files []string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return slices.ContainsFunc(files, func(file string) bool {
		other, err := os.Stat(file)
		return err == nil && os.SameFile(info, other)
	})
}
