package attach

import (
	"errors"
	"fmt"
)

// Why a JVM cannot be attached to, or gives no answer. Errors match these with
// errors.Is; what they say tells what to do.
var (
	// ErrNoProcess says that there is no such process, or no longer.
	ErrNoProcess = errors.New("there is no such process")
	// ErrNotJVM says that the process is not a HotSpot JVM. It has not been touched.
	ErrNotJVM = errors.New("this process is not a HotSpot JVM")
	// ErrOtherUser says that the JVM belongs to another user.
	ErrOtherUser = errors.New("the JVM belongs to another user")
	// ErrDisabled says that the JVM was started so that nobody can attach to it.
	ErrDisabled = errors.New("the JVM cannot be attached to")
	// ErrNoAnswer says that the JVM was not heard of in time.
	ErrNoAnswer = errors.New("the JVM does not answer")
	// ErrNotOurs says that the socket of the JVM is not one that the JVM has made.
	ErrNotOurs = errors.New("the socket is not the JVM's")
	// ErrBadReply says that what came back is no answer of a JVM, or is too long.
	ErrBadReply = errors.New("the answer makes no sense")
)

// CommandError is what a JVM said instead of doing what it was asked to.
type CommandError struct {
	// Command is the name of what it was asked to do, such as JFR.start.
	Command string
	// Code is the result that the JVM gave. It is 0 for what JFR refuses.
	Code int
	// Text is what the JVM said, without line ends around it. It may have several
	// lines, and may be empty.
	Text string
}

func (e *CommandError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("the JVM refused %s with code %d", e.Command, e.Code)
	}
	return fmt.Sprintf("the JVM refused %s: %s", e.Command, e.Text)
}
