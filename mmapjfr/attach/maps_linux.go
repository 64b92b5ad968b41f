package attach

import (
	"bufio"
	"os"
	"path"
	"strconv"
	"strings"
)

// mapped is what the mappings of a process tell of a JVM in it.
type mapped struct {
	library string // libjvm.so, as code, with its path
	perf    string // the counters that the JVM itself keeps, with their path
}

// jvm reports whether the mappings are those of a HotSpot JVM. One that is linked
// into its program has no library, but may have counters.
func (m mapped) jvm() bool { return m.library != "" || m.perf != "" }

// mapped looks through the mappings of a process, which is known as inner to itself.
func (h *host) mapped(pid, inner int) (mapped, error) {
	f, err := os.Open(h.of(pid, "maps"))
	if err != nil {
		return mapped{}, err
	}
	defer f.Close()
	var m mapped
	own := strconv.Itoa(inner)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// address, permissions, offset, device, inode, and the path
		slash := strings.IndexByte(lines.Text(), '/')
		if slash < 0 {
			continue
		}
		fields, name := strings.Fields(lines.Text()[:slash]), lines.Text()[slash:]
		if len(fields) < 2 {
			continue
		}
		// The library of a JVM whose package has been upgraded is deleted.
		name = strings.TrimSuffix(name, " (deleted)")
		switch path.Base(name) {
		case "libjvm.so":
			if strings.Contains(fields[1], "x") {
				m.library = name
			}
		case own:
			if strings.HasPrefix(path.Base(path.Dir(name)), "hsperfdata_") {
				m.perf = name
			}
		}
	}
	return m, lines.Err()
}
