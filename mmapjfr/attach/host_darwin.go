package attach

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// commonTmp is the directory that each user has of their own, where the JVM looks
// for it too.
func commonTmp() string { return os.TempDir() }

// targets returns the JVMs of this user that write counters, by number.
func (h *host) targets() ([]*target, error) {
	files, err := filepath.Glob(filepath.Join(h.tmp, "hsperfdata_*", "*"))
	if err != nil {
		return nil, err
	}
	return h.targetsAmong(files), nil
}

// find looks at a process, and returns it if it is a JVM: if it has written counters
// since it began, or listens for commands already.
func (h *host) find(pid int) (*target, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	info, err := process(pid)
	if err != nil {
		return nil, err
	}
	t := &target{
		pid: pid, inner: pid,
		uid: int(info.Eproc.Ucred.Uid), gid: int(info.Eproc.Ucred.Groups[0]),
		tmp: h.tmp, itsTmp: h.tmp,
	}
	if !h.mayAttach(t) {
		return nil, h.otherUser(t)
	}
	began := time.Unix(info.Proc.P_starttime.Unix()).Add(-2 * time.Second)
	files, _ := filepath.Glob(filepath.Join(h.tmp, "hsperfdata_*", strconv.Itoa(pid)))
	for _, file := range append(files, t.socket()) {
		info, err := os.Lstat(file)
		if err != nil {
			continue
		}
		if owner, ok := ownerOf(info); !ok || owner != t.uid || info.ModTime().Before(began) {
			continue
		}
		if file != t.socket() {
			t.perf = readPerfFile(file, t.uid)
		}
		return t, nil
	}
	return nil, fmt.Errorf("process %d (a JVM with -XX:-UsePerfData cannot be recognized on this system): %w", pid, ErrNotJVM)
}

// handlesQuit reports whether SIGQUIT does no harm to a process.
func (h *host) handlesQuit(t *target) (bool, error) {
	info, err := process(t.pid)
	if err != nil {
		return false, err
	}
	const quit = 1 << (syscall.SIGQUIT - 1)
	return info.Proc.P_sigcatch&quit != 0 && info.Proc.P_sigignore&quit == 0, nil
}

// process asks the system for a process that is alive.
func process(pid int) (*unix.KinfoProc, error) {
	const zombie = 5 // SZOMB of sys/proc.h
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil && !errors.Is(err, unix.ESRCH) && !errors.Is(err, unix.EIO) {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
	}
	return info, nil
}

// peerOf returns the process at the other end of a connection.
func peerOf(fd int) (pid int, err error) {
	return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}
