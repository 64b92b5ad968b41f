package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// host is where processes are looked for: this machine, or a test's imitation of one.
type host struct {
	proc string // the directory in which the system describes processes
	tmp  string // where JVMs leave files for others
	euid int    // that this process runs as
	// quit sends SIGQUIT.
	quit func(*os.Process) error
	// patience is how long a JVM is waited for until it listens.
	patience time.Duration
}

func thisHost() *host {
	return &host{proc: "/proc", tmp: commonTmp(), euid: os.Geteuid(), quit: sendQuit, patience: 10 * time.Second}
}

// target is a process that is a HotSpot JVM.
type target struct {
	pid     int
	inner   int // its number as it knows it itself
	uid     int
	gid     int
	tmp     string // its temporary directory, as this process can open it
	itsTmp  string // and as the JVM can
	root    string // what its absolute paths are below, for this process; "" is /
	cwd     string // its working directory, for this process; "" if unknown
	perf    map[string]string
	args    []string // of the process, from its name on
	release string   // the version of Java
	// container reports that its file system or process numbers are its own.
	container bool
}

// socket is where a JVM that listens has its socket.
func (t *target) socket() string { return filepath.Join(t.tmp, ".java_pid"+strconv.Itoa(t.inner)) }

// request is the name of the file that asks a JVM to listen.
func (t *target) request() string { return ".attach_pid" + strconv.Itoa(t.inner) }

// disabled reports whether the JVM was started with attaching disabled.
func (t *target) disabled() bool {
	if capabilities := t.perf["sun.rt.jvmCapabilities"]; capabilities != "" {
		return capabilities[0] != '1'
	}
	jvm, _, _ := splitCommand(t.args)
	disabled := false
	for _, arg := range slices.Concat(strings.Fields(t.perf["java.rt.vmArgs"]), jvm) {
		switch arg {
		case "-XX:+DisableAttachMechanism":
			disabled = true
		case "-XX:-DisableAttachMechanism":
			disabled = false
		}
	}
	return disabled
}

// mayAttach reports whether a JVM takes commands from this process: from its own user, and from
// root.
func (h *host) mayAttach(t *target) bool { return h.euid == 0 || h.euid == t.uid }

func userName(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// leaveRequest makes the file that asks the JVM to listen, in the JVM's working directory or else
// in its temporary directory. The function it returns removes the file, even if the process has
// ended.
func (h *host) leaveRequest(t *target) (remove func(), err error) {
	for _, open := range []func() (*os.Root, error){t.openCwd, t.openTmp} {
		var dir *os.Root
		if dir, err = open(); err != nil {
			continue
		}
		if err = h.leaveRequestIn(dir, t); err == nil {
			return func() {
				_ = dir.Remove(t.request()) // someone else may have
				_ = dir.Close()
			}, nil
		}
		_ = dir.Close()
	}
	return nil, fmt.Errorf("cannot ask process %d to listen: %w", t.pid, err)
}

func (h *host) leaveRequestIn(dir *os.Root, t *target) error {
	f, err := dir.OpenFile(t.request(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // someone else attaches at this moment
	}
	if err != nil {
		return err
	}
	if h.euid == 0 {
		// Old JVMs heed only files of their own user. Where that cannot be, newer
		// ones heed those of root.
		_ = f.Chown(t.uid, t.gid)
	}
	return f.Close()
}

// openCwd opens the working directory of the JVM.
func (t *target) openCwd() (*os.Root, error) {
	if t.cwd == "" {
		return nil, fs.ErrNotExist
	}
	return os.OpenRoot(t.cwd)
}

// openTmp opens the temporary directory of the JVM. For a container, links cannot lead out of its
// file system.
func (t *target) openTmp() (*os.Root, error) {
	if !t.container || t.root == "" {
		return os.OpenRoot(t.tmp)
	}
	return t.openDir(t.itsTmp)
}

// checkSocket checks that the path to connect to is a socket that only the JVM's user or root can
// have made, and only they can use.
func (h *host) checkSocket(t *target) error {
	info, err := os.Lstat(t.socket())
	if err != nil {
		return fmt.Errorf("the socket of process %d: %w", t.pid, err)
	}
	owner, ok := ownerOf(info)
	switch {
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is not a socket; remove it: %w", t.socket(), ErrNotOurs)
	case !ok || owner != t.uid && owner != 0:
		return fmt.Errorf("%s is of user %s, and the JVM of %s; remove it: %w", t.socket(), userName(owner), userName(t.uid), ErrNotOurs)
	case info.Mode().Perm()&0o066 != 0:
		return fmt.Errorf("other users can access %s (mode %v); remove it: %w", t.socket(), info.Mode(), ErrNotOurs)
	}
	return nil
}
