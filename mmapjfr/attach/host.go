package attach

import (
	"os"
	"time"
)

// host is where processes are looked for: this machine, or what tests make of one.
type host struct {
	proc string // where the system tells of processes
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
