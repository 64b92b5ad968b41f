package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/errtext"
)

// The exit codes, those of the JDK's jfr.
const (
	ExitOK    = 0
	ExitData  = 1 // a file could not be read, or not all of it
	ExitUsage = 2
	// ExitInterrupted is what shells expect of a command that was interrupted.
	ExitInterrupted = 130
)

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage makes a mistake in the command line of an error. The exit code is ExitUsage then.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// Usagef makes an error of a mistake in the command line.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode tells people of an error, in one sentence, and the shell by a number.
func (a *App) exitCode(ctx context.Context, err error) int {
	switch {
	case ctx.Err() != nil:
		if a.bar == nil && progress.IsTerminal(a.Stderr) {
			fmt.Fprintln(a.Stderr) // behind the ^C that the terminal shows
		}
		fmt.Fprintln(a.Stderr, "mjfr: interrupted")
		return ExitInterrupted
	case err == nil && a.Damaged:
		return ExitData
	case err == nil, brokenPipe(err):
		return ExitOK
	}
	for _, e := range errtext.Each(err) {
		a.Report(e)
	}
	if !errors.As(err, new(usageError)) {
		return ExitData
	}
	fmt.Fprintf(a.Stderr, "Try %s --help.\n", a.Verb.CommandPath())
	return ExitUsage
}

// Report tells people of an error. Names and other texts in it can come from files.
func (a *App) Report(err error) {
	a.Notice(terminal.Printable(errtext.Error(err)))
}

// Notice writes a line to standard error that begins with the verb.
func (a *App) Notice(text string) {
	a.bar.Clear()
	fmt.Fprintf(a.Stderr, "%s: %s\n", a.Verb.CommandPath(), text)
}
