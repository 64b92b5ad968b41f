package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// The exit codes, those of the JDK's jfr.
const (
	ExitOK    = 0
	ExitData  = 1 // a file could not be read, or not all of it
	ExitUsage = 2 // the command line is wrong
	// ExitInterrupted is what shells expect of a command that was interrupted.
	ExitInterrupted = 130
)

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error as a mistake in the command line: the exit code will be ExitUsage. It
// returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// Usagef formats an error of a mistake in the command line.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// IsUsage reports whether an error is a mistake in the command line.
func IsUsage(err error) bool { return errors.As(err, new(usageError)) }

// exitCode reports an error of the verb and returns the exit code.
func (a *App) exitCode(ctx context.Context, err error) int {
	if a.rest != nil {
		ctx = a.rest
	}
	switch {
	case ctx.Err() != nil:
		a.endLine()
		for _, e := range errtree.Each(err) {
			if errors.Is(e, stream.ErrLeft) { // of all else the user has seen enough
				a.Report(e)
			}
		}
		fmt.Fprintln(a.Stderr, "mjfr: interrupted")
		return ExitInterrupted
	case err == nil && a.Damaged:
		return ExitData
	case err == nil, brokenPipe(err):
		return ExitOK
	}
	for _, e := range errtree.Each(err) {
		a.Report(e)
	}
	if !IsUsage(err) {
		return ExitData
	}
	fmt.Fprintf(a.Stderr, "Try %s --help.\n", a.verb.CommandPath())
	return ExitUsage
}

// endLine ends the line with the ^C that a terminal shows.
func (a *App) endLine() {
	if a.bar == nil && progress.IsTerminal(a.Stderr) {
		fmt.Fprintln(a.Stderr)
	}
}

// SameSignal is how long signals count as the same one: timeout, for example, sends its signal
// twice at the same time, to the process and to its group.
var SameSignal = time.Second / 4

// AfterInterrupt returns a context for what a verb does with what it has got when it is
// interrupted. Another signal after [SameSignal] ends that context; the exit code depends on it
// alone. Call stop at the end.
func (a *App) AfterInterrupt(ctx context.Context) (rest context.Context, stop func()) {
	a.endLine()
	rest, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals, stopped, begun := make(chan os.Signal, 1), make(chan struct{}), time.Now()
	signal.Notify(signals, Endings()...)
	go func() {
		for {
			select {
			case <-stopped:
				return
			case <-signals:
				if time.Since(begun) >= SameSignal {
					cancel()
				}
			}
		}
	}()
	a.rest = rest // which stop leaves as it is
	return rest, func() {
		signal.Stop(signals)
		close(stopped)
	}
}

// opens are the operations by which files are opened, also on Windows.
var opens = map[string]bool{"open": true, "stat": true, "lstat": true, "CreateFile": true, "GetFileAttributesEx": true}

// Report writes an error to standard error, in one line. Texts in it can come from files, so it
// replaces control characters.
func (a *App) Report(err error) {
	if usage, ok := err.(usageError); ok {
		err = usage.error
	}
	text := err.Error()
	if path, ok := err.(*fs.PathError); ok && opens[path.Op] {
		text = path.Path + ": " + input.OpenError(err).Error()
	}
	a.Notice(terminal.Printable(a.WithoutSecrets(text)))
}

// Notice writes a line to standard error that begins with the verb.
func (a *App) Notice(text string) {
	a.bar.Clear()
	name := "mjfr"
	if a.verb != nil { // another program may use what verbs are made of
		name = a.verb.CommandPath()
	}
	fmt.Fprintf(a.Stderr, "%s: %s\n", name, text)
}

// brokenPipe reports whether an error means that the reader of the output has ended, as head
// does. That is no failure: the reader has had enough.
func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || brokenPipeHere(err)
}
