package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

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
	return nil, fmt.Errorf("process %d cannot be asked to listen: %w", t.pid, err)
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
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(strings.TrimPrefix(t.itsTmp, "/"))
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
		return fmt.Errorf("%s is no socket; remove it: %w", t.socket(), ErrNotOurs)
	case !ok || owner != t.uid && owner != 0:
		return fmt.Errorf("%s is of user %s, and the JVM of %s; remove it: %w", t.socket(), userName(owner), userName(t.uid), ErrNotOurs)
	case info.Mode().Perm()&0o066 != 0:
		return fmt.Errorf("%s can be used by others, with the mode %v; remove it: %w", t.socket(), info.Mode(), ErrNotOurs)
	}
	return nil
}
