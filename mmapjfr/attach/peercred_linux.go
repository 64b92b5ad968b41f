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
	var peer *unix.Ucred
	if e := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	if int(peer.Pid) != t.pid {
		return fmt.Errorf("%s belongs to process %d and not to %d: %w", t.socket(), peer.Pid, t.pid, ErrNotOurs)
	}
	return nil
}
