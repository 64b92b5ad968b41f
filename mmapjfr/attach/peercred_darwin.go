package attach

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// checkPeer makes sure that it is the JVM which listens at the other end.
func checkPeer(c net.Conn, t *target) error {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var pid int
	if e := raw.Control(func(fd uintptr) {
		pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	if pid != t.pid {
		return fmt.Errorf("%s belongs to process %d and not to %d: %w", t.socket(), pid, t.pid, ErrNotOurs)
	}
	return nil
}
