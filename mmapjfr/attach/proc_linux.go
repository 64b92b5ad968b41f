package attach

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// status is what /proc/PID/status says about a process.
type status struct {
	leader   int // the process, if it is a thread that was asked for
	inner    int // its number in its own namespace
	spaces   int // how many namespaces of process numbers it is in
	uid, gid int // the effective ones
	dead     bool
	handles  bool // it handles SIGQUIT
}

// quitBit is that of SIGQUIT in the masks of signals.
const quitBit = 1 << (syscall.SIGQUIT - 1)

func (h *host) status(pid int) (status, error) {
	text, err := os.ReadFile(h.of(pid, "status"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			err = fmt.Errorf("process %d: %w", pid, ErrNoProcess)
		}
		return status{}, err
	}
	s := status{leader: pid, inner: pid, uid: -1, gid: -1}
	var caught, ignored uint64
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "State":
			s.dead = fields[0] == "Z" || fields[0] == "X"
		case "Tgid":
			s.leader = number(fields[0], pid)
		case "Uid":
			s.uid = number(fields[min(1, len(fields)-1)], -1)
		case "Gid":
			s.gid = number(fields[min(1, len(fields)-1)], -1)
		case "NSpid": // not in old kernels
			s.spaces = len(fields)
			s.inner = number(fields[len(fields)-1], pid)
		case "SigIgn":
			ignored, _ = strconv.ParseUint(fields[0], 16, 64)
		case "SigCgt":
			caught, _ = strconv.ParseUint(fields[0], 16, 64)
		}
	}
	s.handles = caught&quitBit != 0 && ignored&quitBit == 0
	switch {
	case s.dead:
		return s, fmt.Errorf("process %d has ended: %w", pid, ErrNoProcess)
	case s.leader != pid:
		return s, fmt.Errorf("%d is a thread of process %d: %w", pid, s.leader, ErrNoProcess)
	}
	return s, nil
}

// of returns the path of a file in /proc about a process.
func (h *host) of(pid int, what string) string {
	return filepath.Join(h.proc, strconv.Itoa(pid), what)
}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// mapped is what the mappings of a process show of a JVM in it.
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
