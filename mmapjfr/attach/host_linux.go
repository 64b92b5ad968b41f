package attach

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// commonTmp is /tmp whatever TMPDIR says: JVMs do not heed it.
func commonTmp() string { return "/tmp" }

// targets returns the JVMs that run now, by number.
func (h *host) targets() ([]*target, error) {
	entries, err := os.ReadDir(h.proc)
	if err != nil {
		return nil, fmt.Errorf("cannot list processes without %s: %w", h.proc, err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return h.targetsAmong(names), nil
}

// find looks at a process, and returns it if it is a JVM.
func (h *host) find(pid int) (*target, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	s, err := h.status(pid)
	if err != nil {
		return nil, err
	}
	t := &target{pid: pid, inner: s.inner, uid: s.uid, gid: s.gid, itsTmp: "/tmp", args: h.arguments(pid)}
	m, err := h.mapped(pid, s.inner)
	if err != nil && !m.jvm() {
		// Processes with more rights than their user show no mappings, and those of
		// other users neither. But counters of theirs can be seen.
		file := h.perfFile(t)
		if file == "" {
			return nil, h.hidden(t, err)
		}
		t.perf = readPerfFile(file, t.uid)
	} else if !m.jvm() {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNotJVM)
	}
	h.lookInside(t, s)
	if m.perf != "" {
		t.perf = readPerfFile(t.root+m.perf, t.uid)
	}
	if m.library != "" {
		// It is in lib/server of Java's home.
		t.release = releaseOf(t.root + path.Dir(path.Dir(path.Dir(m.library))))
	}
	return t, nil
}

// hidden returns why nothing is known about a process.
func (h *host) hidden(t *target, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("process %d: %w", t.pid, ErrNoProcess)
	case h.mayAttach(t):
		return fmt.Errorf("cannot examine process %d: %w; it counts as if %w", t.pid, err, ErrNotJVM)
	}
	return h.otherUser(t)
}

// lookInside finds the directories of a JVM.
func (h *host) lookInside(t *target, s status) {
	root := h.of(t.pid, "root")
	t.cwd = h.of(t.pid, "cwd")
	t.container = s.spaces > 1
	if its, err := os.Stat(root); err == nil {
		t.root = root
		t.tmp = filepath.Join(root, "tmp")
		if ours, err := os.Stat(filepath.Join(h.proc, "self", "root")); err == nil && !os.SameFile(its, ours) {
			t.container = true
		}
	} else if s.spaces <= 1 {
		t.tmp = h.tmp // most likely the same
	}
}

// perfFile returns the file with the counters of a process whose mappings cannot be read, or "".
// Files with its number that belong to other users, or are older than the process, are not its own.
func (h *host) perfFile(t *target) string {
	began, ok := h.began(t.pid)
	if !ok {
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(h.tmp, "hsperfdata_*", strconv.Itoa(t.inner)))
	for _, file := range files {
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if owner, ok := ownerOf(info); ok && owner == t.uid && !info.ModTime().Before(began) {
			return file
		}
	}
	return ""
}

// began returns a moment just before a process began.
func (h *host) began(pid int) (time.Time, bool) {
	const (
		perSecond = 100 // of what counts as USER_HZ, on all that Go runs on
		startAt   = 19  // of the fields after the name
		rounding  = 2 * time.Second
	)
	stat, err := os.ReadFile(h.of(pid, "stat"))
	if err != nil {
		return time.Time{}, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	system, err := os.ReadFile(filepath.Join(h.proc, "stat"))
	if err != nil || len(fields) <= startAt {
		return time.Time{}, false
	}
	start, err := strconv.ParseInt(fields[startAt], 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	for line := range strings.Lines(string(system)) {
		if boot, ok := strings.CutPrefix(line, "btime "); ok {
			seconds, err := strconv.ParseInt(strings.TrimSpace(boot), 10, 64)
			return time.Unix(seconds+start/perSecond, 0).Add(-rounding), err == nil
		}
	}
	return time.Time{}, false
}

// arguments returns the arguments of a process, from its name on.
func (h *host) arguments(pid int) []string {
	const most = 1 << 20
	f, err := os.Open(h.of(pid, "cmdline"))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, most)) // what is there counts
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// handlesQuit reports whether SIGQUIT does no harm to a process.
func (h *host) handlesQuit(t *target) (bool, error) {
	s, err := h.status(t.pid)
	return s.handles, err
}

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

// peerOf returns the process at the other end of a connection.
func peerOf(fd int) (pid int, err error) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Pid), nil
}
