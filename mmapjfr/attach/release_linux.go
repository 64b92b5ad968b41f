package attach

import (
	"os"
	"path/filepath"
	"strings"
)

// releaseOf reads the version of Java that a JVM belongs to from the file at its
// home.
func releaseOf(home string) string {
	f, err := os.Open(filepath.Join(home, "release"))
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, 16<<10)
	n, _ := f.Read(b)
	for line := range strings.Lines(string(b[:n])) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "JAVA_VERSION="); ok {
			return strings.Trim(version, `"`)
		}
	}
	return ""
}
