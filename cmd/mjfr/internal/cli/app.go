// Package cli has what the verbs of mjfr share: standard streams, exit codes, flags, progress,
// inputs, and messages for people.
//
// A verb is a function that makes a [cobra.Command] for an [App]. Its RunE opens recordings by
// [App.With], writes to App.Stdout, and reports what cannot be read by [App.Damage]. Package
// clitest runs verbs in tests; tests that know nothing of a verb's inside are in cmd/mjfr, with all
// verbs.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cache"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// App is one run of mjfr.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Screen is Stdout before [App.Dress] protects a terminal from control characters.
	Screen io.Writer
	Style  terminal.Style
	// Root makes the command with its verbs.
	Root func(*App) *cobra.Command
	// Damaged makes the exit code ExitData although the verb returns no error.
	Damaged bool
	// NoCache says that nothing is kept in the user's cache folder for the next run, or taken from
	// there.
	NoCache bool

	verb         *cobra.Command         // the one that runs
	reported     map[string]bool        // the first messages about damage, so that each is written once
	sets         []*input.Set           // what was opened
	hurt         map[string]bool        // recordings whose damage has been reported, by name
	lost         map[string]bool        // recordings of which bytes are missing, by name
	savesIndexes bool                   // the cache may have grown
	narrowed     map[fs.FileMode]func() // take back what Narrow did with a mode
	color        terminal.When
	remote       remote.Options
	maxUnpacked  Size
	noProgress   bool
	bar          *progress.Bar   // the one that is shown, or nil
	dressed      bool            // Style has been chosen
	out          *firstError     // Stdout since then
	began        bool            // the verb has begun, so errors are no wrong usage any more
	rest         context.Context // of AfterInterrupt, or nil
	args         []string        // as they were typed
}

// Run runs the command with its arguments and returns the exit code.
func (a *App) Run(ctx context.Context, args []string) int {
	a.args = args
	defer a.widen()
	root := a.Root(a)
	root.SetArgs(append([]string{}, asVerb(args)...)) // nil would mean those of the process
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	var err error
	a.verb, err = root.ExecuteContextC(ctx)
	a.bar.Done()
	if err != nil && !a.began {
		err = Usage(err) // cobra found it
	}
	if err == nil && a.out != nil {
		err = a.out.err // help and lists look at no errors
	}
	return a.exitCode(ctx, err)
}

// Dress chooses how output is shown. From then on nothing written to Stdout can harm a terminal.
func (a *App) Dress() {
	if a.dressed {
		return
	}
	a.dressed, a.Screen = true, a.Stdout
	a.out = &firstError{w: a.Stdout}
	if w, s := terminal.Open(a.Stdout, a.color, os.Getenv); s.Aligned || a.color == terminal.Never {
		a.out.w, a.Style = w, s
	}
	a.Stdout = a.out
}

// WriteJSON writes a document for programs to standard output.
func (a *App) WriteJSON(document any) error { return jsonout.Write(a.Stdout, document) }

// NeedFiles is the Args function of verbs that take at least one recording.
func NeedFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return Usagef("no recording given: name at least one, as in %s app.jfr", cmd.CommandPath())
	}
	return nil
}

// Open opens the recordings that are named. It reports by [App.Damage] what is damaged, or, if
// others can be read, missing.
func (a *App) Open(ctx context.Context, names []string, o input.Options) (*input.Set, error) {
	o.Stdin, o.Progress, o.Remote = a.Stdin, a.unpacking(), a.Client()
	o.MaxUnpacked = a.MaxUnpacked()
	var damage []func() // is reported when it is known what can be read in spite of it
	var wrong error
	o.OnError = func(name string, err error) {
		if IsUsage(err) && wrong == nil {
			wrong = fmt.Errorf("%s: %w", name, err)
		}
		damage = append(damage, func() { a.Damage(name, err) })
	}
	set, err := input.Open(ctx, names, o)
	a.bar.Done()
	if err == nil && wrong != nil {
		return nil, errors.Join(wrong, set.Close())
	}
	if err == nil {
		a.Narrow(set.Mode())
		if len(set.Recordings) > 0 {
			a.sets = append(slices.DeleteFunc(a.sets, func(s *input.Set) bool { return s.Recordings == nil }), set)
		}
	}
	for _, report := range damage {
		report()
	}
	return set, err
}

// Narrow says that what is written from now on is made of something with this mode: files that the
// verb writes get no more permissions. [App.Open] does it for recordings.
func (a *App) Narrow(mode fs.FileMode) {
	if !a.began || a.narrowed[mode] != nil {
		return // the process is another program's, or it is done already
	}
	if a.narrowed == nil {
		a.narrowed = make(map[fs.FileMode]func())
	}
	a.narrowed[mode] = atomicfile.Narrow(mode)
}

// widen takes back what [App.Narrow] has done.
func (a *App) widen() {
	for _, restore := range a.narrowed {
		restore()
	}
	a.narrowed = nil
}

// With opens the recordings that are named, calls do, and closes them. It reports recordings in
// which no event can be read as damage, and does not call do if there is no other.
func (a *App) With(ctx context.Context, names []string, do func(*input.Set) error, opts ...mmapjfr.Option) error {
	return a.WithInput(ctx, names, input.Options{Open: opts}, do)
}

// WithInput is [App.With] with options for what is opened.
func (a *App) WithInput(ctx context.Context, names []string, o input.Options, do func(*input.Set) error) error {
	return a.with(ctx, names, o, func(set *input.Set) error {
		if len(set.Recordings) == 0 { // what is read is something else, such as a profile
			return do(set)
		}
		lost := make([]error, len(set.Recordings))
		for i, rec := range set.Recordings {
			if lost[i] = lostAll(rec); lost[i] == nil {
				return do(set)
			}
		}
		for i, rec := range set.Recordings {
			a.Damage(set.Name(rec), lost[i])
		}
		return nil
	})
}

// WithChunks is [App.With] for verbs that show how recordings are made, also those in which no
// event can be read.
func (a *App) WithChunks(ctx context.Context, names []string, do func(*input.Set) error, opts ...mmapjfr.Option) error {
	return a.with(ctx, names, input.Options{Open: opts}, do)
}

// maxIndexes is how many bytes saved indexes take at most.
const maxIndexes = 1 << 30

// SavedIndexes returns the option for recordings whose indexes are kept in the user's cache folder.
func (a *App) SavedIndexes() mmapjfr.Option {
	dir := "" // without a folder nothing is kept
	if !a.NoCache {
		if folder, err := cache.Folder(cache.Indexes); err == nil {
			dir, a.savesIndexes = folder, true
		}
	}
	return mmapjfr.SavedIndexes(dir)
}

func (a *App) with(ctx context.Context, names []string, o input.Options, do func(*input.Set) error) error {
	set, err := a.Open(ctx, names, o)
	if err != nil {
		return err
	}
	err = do(set)
	a.mentionUnread(set)
	for _, rec := range set.Recordings {
		name := set.Name(rec)
		// Verbs mostly read the values of an event long after they reached the event.
		if e := rec.FileErr(); e != nil && !a.lost[name] && ctx.Err() == nil {
			a.Damage(name, e)
		}
	}
	err = errors.Join(err, set.Close())
	if a.savesIndexes {
		_ = cache.Prune(cache.Indexes, maxIndexes) // the answer has been given
	}
	return err
}

// IsAmong reports whether a name leads to one of some files, under whatever name. Pipes and devices
// are not files.
func IsAmong(name string, files []string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return slices.ContainsFunc(files, func(file string) bool {
		other, err := os.Stat(file)
		return err == nil && os.SameFile(info, other)
	})
}
