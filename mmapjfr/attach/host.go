package attach

import (
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
