package input

import (
	"fmt"
	"os"
)

// fdPath returns a path by which an open file can be opened again, also after it
// has been removed, as Linux has them. It is empty where there are none.
func fdPath(f *os.File) string {
	path := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	again, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer again.Close() // only looked at
	there, err := again.Stat()
	if err != nil {
		return ""
	}
	if is, err := f.Stat(); err != nil || !os.SameFile(is, there) {
		return ""
	}
	return path
}
