package leaktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// IsWriting reports whether a process is writing a file of package atomicfile into a folder: one
// that has no name yet, or one that will get another.
func IsWriting(pid int, dir string) bool {
	if parts, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(parts) > 0 {
		return true
	}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // none but on Linux
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, dir) && strings.HasSuffix(to, " (deleted)") {
			return true
		}
	}
	return false
}
