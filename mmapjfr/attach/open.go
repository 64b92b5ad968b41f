package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// VM is a JVM that listens for commands. All methods may be called concurrently; the JVM executes
// one command after the other.
type VM struct {
	target   *target
	protocol int
	feature  atomic.Int32 // the version of Java, once it is known
}

// PID returns the number of the process.
func (vm *VM) PID() int { return vm.target.pid }

// UID returns the number of the user that the JVM runs as.
func (vm *VM) UID() int { return vm.target.uid }

// Open is [Open] for a host.
func (h *host) Open(ctx context.Context, pid int) (*VM, error) {
	t, err := h.find(pid)
	if err != nil {
		return nil, err
	}
	if !h.mayAttach(t) {
		return nil, h.otherUser(t)
	}
	if t.tmp == "" {
		return nil, fmt.Errorf("the files of process %d, which is in a container, cannot be reached; run this as root, or in the container: %w", pid, fs.ErrPermission)
	}
	if t.disabled() { // a socket that is there is that of another that had the number before
		return nil, fmt.Errorf("process %d was started with -XX:+DisableAttachMechanism: %w", t.pid, ErrDisabled)
	}
	if err := t.stopped(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.patience)
	defer cancel()
	if _, err := os.Lstat(t.socket()); errors.Is(err, fs.ErrNotExist) {
		if err := h.wake(ctx, t); err != nil {
			return nil, err
		}
	}
	if err := h.checkSocket(t); err != nil {
		return nil, err
	}
	vm := &VM{target: t}
	if err := vm.agree(ctx); err != nil {
		return nil, err
	}
	return vm, nil
}

func (h *host) otherUser(t *target) error {
	return fmt.Errorf("process %d is of user %s: %w; run this as that user, or as root", t.pid, userName(t.uid), ErrOtherUser)
}

// wake makes a JVM listen: it looks for a file when it gets SIGQUIT.
func (h *host) wake(ctx context.Context, t *target) error {
	// The process is held from here on where the system can do that, so that no
	// other that gets its number is sent anything.
	p, err := os.FindProcess(t.pid)
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, ErrNoProcess)
	}
	defer p.Release()
	if err := h.awaitHandler(ctx, t); err != nil {
		return err
	}
	remove, err := h.leaveRequest(t)
	if err != nil {
		return err
	}
	defer remove()
	if err := h.quit(p); err != nil {
		if errors.Is(err, os.ErrProcessDone) {
			err = ErrNoProcess
		}
		return fmt.Errorf("cannot send SIGQUIT to process %d: %w", t.pid, err)
	}
	return h.awaitSocket(ctx, t)
}

// awaitHandler waits until SIGQUIT does no harm: a JVM that starts does not handle
// it yet.
func (h *host) awaitHandler(ctx context.Context, t *target) error {
	return t.await(ctx, func() (bool, error) {
		// It is looked at again now that it is held.
		if _, err := h.find(t.pid); err != nil {
			return false, err
		}
		return h.handlesQuit(t)
	}, fmt.Sprintf("it does not handle SIGQUIT: it is still starting, so try again, or was started with -Xrs and its %s has been removed", t.socket()))
}

// awaitSocket waits until the JVM listens.
func (h *host) awaitSocket(ctx context.Context, t *target) error {
	return t.await(ctx, func() (bool, error) {
		if _, err := os.Lstat(t.socket()); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return true, err
		}
		_, err := h.handlesQuit(t) // it may have ended
		return false, err
	}, fmt.Sprintf("it has made no %s: it is very busy, so try again, or was started with -XX:+DisableAttachMechanism", t.socket()))
}

// await asks until the answer is yes, less and less often. Late says what it means that it is not.
func (t *target) await(ctx context.Context, done func() (bool, error), late string) error {
	const longest = 100 * time.Millisecond
	for nap := 2 * time.Millisecond; ; nap = min(2*nap, longest) {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-time.After(nap):
		case <-ctx.Done():
			return &silence{t.pid, late, context.Cause(ctx)}
		}
	}
}

// Why a JVM cannot be attached to, or gives no answer. Errors match these with errors.Is; their
// texts say what to do.
var (
	// ErrNoProcess says that the process does not exist, or not any more.
	ErrNoProcess = errors.New("no such process")
	// ErrNotJVM says that the process is not a HotSpot JVM. It has not been touched.
	ErrNotJVM = errors.New("this process is not a HotSpot JVM")
	// ErrOtherUser says that the JVM belongs to another user.
	ErrOtherUser = errors.New("the JVM belongs to another user")
	// ErrDisabled says that the JVM was started with attaching disabled.
	ErrDisabled = errors.New("cannot attach to the JVM")
	// ErrNoAnswer says that the JVM did not answer in time.
	ErrNoAnswer = errors.New("the JVM does not answer")
	// ErrSuspended says that the process is stopped, as by SIGSTOP; only Linux says so. Errors that match
	// it match ErrNoAnswer, too.
	ErrSuspended = errors.New("the process is stopped")
	// ErrNotOurs says that the socket was not made by the JVM.
	ErrNotOurs = errors.New("the socket is not the JVM's")
	// ErrBadReply says that the answer is not that of a JVM, or is too long.
	ErrBadReply = errors.New("the answer is not that of a JVM")
)

// silence is the error of a JVM that does not answer.
type silence struct {
	pid   int
	why   string
	cause error
}

func (s *silence) Error() string {
	return fmt.Sprintf("process %d: %v: %s", s.pid, ErrNoAnswer, s.why)
}

func (s *silence) Unwrap() []error { return []error{ErrNoAnswer, s.cause} }

// stopped returns an error if the process is stopped: waiting for an answer would be in vain.
func (t *target) stopped() error {
	if _, state, ok := startOf(strconv.Itoa(t.pid), t.pid); !ok || state != "T" && state != "t" {
		return nil
	}
	return &silence{t.pid, fmt.Sprintf("%v; kill -CONT %d lets it go on", ErrSuspended, t.pid), ErrSuspended}
}

// CommandError is the answer of a JVM that refuses a command.
type CommandError struct {
	// Command is the name of the command, such as JFR.start.
	Command string
	// Code is the result that the JVM returned; 0 if Flight Recorder refuses.
	Code int
	// Text is the JVM's answer, without line ends around it. It may have several lines, or be empty.
	Text string
}

func (e *CommandError) Error() string {
	if e.Text == "" && e.Code == 0 {
		return fmt.Sprintf("the JVM has not done %s, and does not say why; look whether it still runs: JVMs end when the disk that they record to is full", e.Command)
	}
	if e.Text == "" {
		return fmt.Sprintf("the JVM refused %s with code %d", e.Command, e.Code)
	}
	return fmt.Sprintf("the JVM refused %s: %s", e.Command, e.Text)
}
