package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// App is what every verb has at hand.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Screen         io.Writer // what stdout is before anything guards it
	Style          terminal.Style
	Root           func(*App) *cobra.Command // makes the command with its verbs
	Verb           *cobra.Command            // that runs
	Damaged        bool                      // something was told by damage
	told           map[string]bool           // the first of that
	lost           map[string]bool           // the recordings of which damage told that bytes are missing

	color      terminal.When
	noProgress bool
	bar        *progress.Bar // that is shown, or nil
	dressed    bool          // style has been chosen
	began      bool          // the verb has, so that what goes wrong is no misuse
}

// Run is the whole command. It returns the exit code.
func (a *App) Run(ctx context.Context, args []string) int {
	a.lost = make(map[string]bool)
	root := a.Root(a)
	root.SetArgs(append([]string{}, asVerb(args)...)) // nil would be those of the process
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	var err error
	a.Verb, err = root.ExecuteContextC(ctx)
	a.bar.Done()
	if err != nil && !a.began {
		err = usageError{err} // cobra's own
	}
	return a.exitCode(ctx, err)
}

// Dress chooses how things are shown. What is written from then on can do no harm to
// a terminal.
func (a *App) Dress() {
	if a.dressed {
		return
	}
	a.dressed, a.Screen = true, a.Stdout
	if w, s := terminal.Open(a.Stdout, a.color, os.Getenv); s.Aligned || a.color == terminal.Never {
		a.Stdout, a.Style = w, s
	}
}

// NeedFiles is for verbs that take at least one recording.
func NeedFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return Usagef("no recording given: name at least one, as in %s app.jfr", cmd.CommandPath())
	}
	return nil
}

// With opens the recordings that are named, and closes them when do has returned.
func (a *App) With(ctx context.Context, names []string, do func(*input.Set) error, opts ...mmapjfr.Option) error {
	set, err := a.Open(ctx, names, input.Options{Open: opts})
	if err != nil {
		return err
	}
	err = do(set)
	for _, rec := range set.Recordings {
		// What is shown of an event is mostly read long after it was come to.
		if e := rec.FileErr(); e != nil && !a.lost[set.Name(rec)] {
			a.Damage(set.Name(rec), e)
		}
	}
	return errors.Join(err, set.Close())
}

// Open opens the recordings that are named.
func (a *App) Open(ctx context.Context, names []string, o input.Options) (*input.Set, error) {
	o.Stdin, o.OnError, o.Progress = a.Stdin, a.Damage, a.unpacking()
	set, err := input.Open(ctx, names, o)
	a.bar.Done()
	return set, err
}

// Damage tells of something in a recording that could not be read, while all else
// goes on. The command then ends with the exit code for data. That a chunk is still
// being written, and what input remarks, is only mentioned.
func (a *App) Damage(name string, err error) {
	for _, e := range errtext.Each(err) {
		if a.hasTold(name + ": " + e.Error()) {
			continue // when it was gone through before
		}
		a.Report(fmt.Errorf("%s: %w", name, e))
		if !errors.Is(e, mmapjfr.ErrUnfinished) && !errors.As(e, new(input.Remark)) {
			a.Damaged = true
		}
		if errors.Is(e, mmapjfr.ErrTruncated) || errors.Is(e, mmapjfr.ErrChanged) {
			a.lost[name] = true
		}
	}
}

// mostTold is how much of what was told by damage is kept, so that it is told once.
const mostTold = 1000

// hasTold reports whether a text has been told, and takes note of it.
func (a *App) hasTold(text string) bool {
	if a.told[text] {
		return true
	}
	if a.told == nil {
		a.told = make(map[string]bool)
	}
	if len(a.told) < mostTold {
		a.told[text] = true
	}
	return false
}

// WriteJSON writes a document for programs to standard output.
func (a *App) WriteJSON(document any) error { return jsonout.Write(a.Stdout, document) }
