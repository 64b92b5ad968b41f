package attach

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commonTmp is /tmp whatever TMPDIR says: JVMs do not heed it.
func commonTmp() string { return "/tmp" }

// targets returns the JVMs that run now, by number.
func (h *host) targets() ([]*target, error) {
	entries, err := os.ReadDir(h.proc)
	if err != nil {
		return nil, fmt.Errorf("processes cannot be listed without %s: %w", h.proc, err)
	}
	var list []*target
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if t, err := h.find(pid); err == nil {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *target) int { return a.pid - b.pid })
	return list, nil
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
		return fmt.Errorf("whether process %d is a JVM cannot be seen (%w): %w", t.pid, ErrNotJVM, err)
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
