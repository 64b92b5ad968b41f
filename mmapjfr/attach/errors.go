package attach

import (
	"errors"
	"fmt"
)

// Why a JVM cannot be attached to, or gives no answer. Errors match these with errors.Is; their
// texts say what to do.
var (
	// ErrNoProcess says that the process does not exist, or not any more.
	ErrNoProcess = errors.New("there is no such process")
	// ErrNotJVM says that the process is not a HotSpot JVM. It has not been touched.
	ErrNotJVM = errors.New("this process is not a HotSpot JVM")
	// ErrOtherUser says that the JVM belongs to another user.
	ErrOtherUser = errors.New("the JVM belongs to another user")
	// ErrDisabled says that the JVM was started with attaching disabled.
	ErrDisabled = errors.New("the JVM cannot be attached to")
	// ErrNoAnswer says that the JVM did not answer in time.
	ErrNoAnswer = errors.New("the JVM does not answer")
	// ErrNotOurs says that the socket was not made by the JVM.
	ErrNotOurs = errors.New("the socket is not the JVM's")
	// ErrBadReply says that the answer is not that of a JVM, or is too long.
	ErrBadReply = errors.New("the answer is not that of a JVM")
)

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
	if e.Text == "" {
		return fmt.Sprintf("the JVM refused %s with code %d", e.Command, e.Code)
	}
	return fmt.Sprintf("the JVM refused %s: %s", e.Command, e.Text)
}
