package leaktest

import (
	"os"
	"strings"
	"testing"
)

// addFiles adds open files and maps of files, by their names. What the runtime keeps open to
// wait for others, and the folder that is read here, do not count.
func (h Held) addFiles(t testing.TB) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err != nil || target == "anon_inode:[eventpoll]" || target == "anon_inode:[eventfd]" || strings.HasSuffix(target, "/fd") {
			continue
		}
		h["open: "+target]++
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if fields := strings.Fields(line); len(fields) > 5 && strings.HasPrefix(fields[5], "/") {
			h["mapped: "+fields[5]]++
		}
	}
}
