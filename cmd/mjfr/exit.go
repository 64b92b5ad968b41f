package main

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
	exitOK    = 0
	exitData  = 1 // a file could not be read, or not all of it
	exitUsage = 2
	// exitInterrupted is what shells expect of a command that was interrupted.
	exitInterrupted = 130
)

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef makes an error of a mistake in the command line.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode tells people of an error, in one sentence, and the shell by a number.
func (a *app) exitCode(ctx context.Context, err error) int {
	switch {
	case ctx.Err() != nil:
		if a.bar == nil && progress.IsTerminal(a.stderr) {
			fmt.Fprintln(a.stderr) // behind the ^C that the terminal shows
		}
		fmt.Fprintln(a.stderr, "mjfr: interrupted")
		return exitInterrupted
	case err == nil && a.damaged:
		return exitData
	case err == nil, brokenPipe(err):
		return exitOK
	}
	for _, e := range errtext.Each(err) {
		a.tell(e)
	}
	if !errors.As(err, new(usageError)) {
		return exitData
	}
	fmt.Fprintf(a.stderr, "Try %s --help.\n", a.verb.CommandPath())
	return exitUsage
}

// tell tells people of an error. Names and other texts in it can come from files.
func (a *app) tell(err error) {
	a.notice(terminal.Printable(errtext.Error(err)))
}

// notice writes a line to standard error that begins with the verb.
func (a *app) notice(text string) {
	a.bar.Clear()
	fmt.Fprintf(a.stderr, "%s: %s\n", a.verb.CommandPath(), text)
}
