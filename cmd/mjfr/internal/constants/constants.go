package constants

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/overview"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/constants"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// verb is what mjfr constants has been asked for.
type verb struct {
	*cli.App
	selection.Options
	max                      int // lines, or groups
	search                   string
	json, unused, duplicates bool

	// wants are the types that are listed; nil for all.
	wants func(mmapjfr.Type) bool
	// many tells that there is more than one recording, and chunks that there is more
	// than one chunk: keys mean nothing without them.
	many, chunks bool
	// used are the constants that selected events refer to; nil if all events are selected.
	used map[*mmapjfr.Recording]*constants.Usage
}

func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "constants [flags] FILE [TYPE]",
		Short: "Show the constants that events refer to",
		Long: `Show the constants that events refer to: threads, classes, methods, stack traces,
strings and all others. Without a TYPE, and without --search, it is shown how many there
are of each type, what they take, and in how many checkpoints they are; else each
constant with its key, its offset in the file, its bytes and its value. TYPE is a full or
simple name, in which * and ? are wildcards; several are separated by commas.

A constant is known by its type and key inside its chunk, and by nothing elsewhere.
Copies are constants that are in an earlier checkpoint of their chunk already.

Unused are constants that no event refers to, nor a constant that is used. Where events
of a damaged recording could not be read, constants may seem unused that are used.
Duplicates say the same under different keys; their bytes are those that could be saved.

Where events are selected, only constants are shown that these refer to, directly or
through other constants.

` + selection.About,
		Example: `  mjfr constants app.jfr
  mjfr constants app.jfr Thread
  mjfr constants --search HashMap app.jfr 'Class,Method'
  mjfr constants --unused app.jfr
  mjfr constants --duplicates --max 10 app.jfr StackTrace
  mjfr constants --events JavaMonitorEnter app.jfr Class`,
		Args:    v.args,
		PreRunE: func(*cobra.Command, []string) error { return v.checkSelection() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.With(cmd.Context(), args[:1], func(set *input.Set) error {
				if len(args) > 1 {
					if err := v.want(set, selection.FilterNames(args[1])); err != nil {
						return err
					}
				}
				return v.show(cmd.Context(), set)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&v.unused, "unused", false, "only constants that nothing refers to")
	f.BoolVar(&v.duplicates, "duplicates", false, "only constants that say the same as another one")
	f.StringVar(&v.search, "search", "", "only constants that have this `TEXT` in their value")
	f.IntVar(&v.max, "max", 0, "show no more than `N` lines, or groups of duplicates; 0 is all")
	v.SelectFlags(f)
	f.BoolVar(&v.json, "json", false, "print one JSON document")
	return cmd
}

// args checks the command line.
func (v *verb) args(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("no recording given: name one, as in %s app.jfr", cmd.CommandPath())
	case len(args) > 2:
		return cli.Usagef("too many arguments: give one recording and, if you like, types, as in %s app.jfr Class,Method", cmd.CommandPath())
	case len(args) == 2 && len(selection.FilterNames(args[1])) == 0:
		return cli.Usagef("the type is empty: leave it out for all types")
	case v.unused && v.duplicates:
		return cli.Usagef("--unused and --duplicates cannot both be given")
	case v.max < 0:
		return cli.Usagef("--max cannot be negative")
	case cmd.Flags().Changed("search") && v.search == "":
		return cli.Usagef("--search needs a text to look for")
	}
	return nil
}

// checkSelection tells what is wrong with the options that select events.
func (v *verb) checkSelection() error {
	if v.Given() && (v.unused || v.duplicates) {
		return cli.Usagef("--unused and --duplicates are about all events; they cannot be given with %s (--max limits lines)", v.Options.String())
	}
	return v.Options.Check()
}

// want wants the types of these names. One that nothing fits is wrong usage, unless it is a
// pattern.
func (v *verb) want(set *input.Set, names []string) error {
	var types []mmapjfr.Type
	for _, rec := range set.Recordings {
		list, _ := rec.Types() // what is wrong comes out where the constants are read
		types = append(types, list...)
	}
	named := selection.TypeFilter{Option: "TYPE", Names: names, Exact: mmapjfr.Types, Of: selection.TypeNames}
	filter, strange := named.Among(types)
	v.wants = func(t mmapjfr.Type) bool { return mmapjfr.MatchesType(filter, t) }
	var wrong []error
	for _, name := range strange {
		if !strings.ContainsAny(name, "*?") {
			wrong = append(wrong, cli.Usagef("the recording has no type %s%s", name, suggest.Question(name, typeNames(types))))
		}
	}
	return errors.Join(wrong...)
}

func typeNames(types []mmapjfr.Type) (names []string) {
	for _, t := range types {
		names = append(names, t.Name())
	}
	return names
}

// use finds out which constants the selected events refer to.
func (v *verb) use(ctx context.Context, set *input.Set) (*selection.Selection, error) {
	sel, err := selection.Select(v.App, set, &v.Options, nil)
	if err != nil || !sel.Given() {
		return sel, err
	}
	v.used = make(map[*mmapjfr.Recording]*constants.Usage)
	of := make(map[mmapjfr.Chunk]*constants.Usage)
	for _, rec := range set.Recordings {
		v.used[rec] = constants.NewUsage(rec)
		for _, c := range rec.Chunks() {
			of[c] = v.used[rec]
		}
	}
	bar := v.Progress("selecting", cli.BytesOf(set), cli.AtEnd)
	var n atomic.Uint64
	err = sel.Each(ctx, bar.Add, func(worker int, ev mmapjfr.Event) {
		n.Add(1)
		of[ev.Chunk()].Add(worker, ev)
	})
	bar.Done()
	if err == nil && !v.json {
		err = overview.WriteSelection(v.App, terminal.CountOf(n.Load(), "event")+", by "+sel.String())
	}
	return sel, err
}

func (v *verb) show(ctx context.Context, set *input.Set) error {
	sel, err := v.use(ctx, set)
	if err != nil {
		return err
	}
	if err := v.showUsed(ctx, set); err != nil {
		return err
	}
	return sel.ReportIfEmpty(ctx)
}

// showUsed shows what has been asked for.
func (v *verb) showUsed(ctx context.Context, set *input.Set) error {
	chunks := 0
	for _, rec := range set.Recordings {
		chunks += len(rec.Chunks())
	}
	v.many, v.chunks = len(set.Recordings) > 1, chunks > 1
	listed := v.wants != nil || v.search != ""
	switch {
	case v.duplicates && listed:
		return v.listGroups(ctx, set)
	case listed:
		return v.list(ctx, set)
	case v.duplicates:
		return v.tableOfDuplicates(ctx, set)
	case v.unused, v.used != nil:
		return v.tableOfSome(ctx, set)
	}
	return v.table(set)
}

// constantsOf returns the constants of a recording that have been asked for. What could
// not be read is told on the way.
func (v *verb) constantsOf(ctx context.Context, set *input.Set, rec *mmapjfr.Recording, progress func(uint64)) iter.Seq[constants.Constant] {
	all := constants.All(rec, v.wants)
	if v.unused {
		all = constants.Unused(ctx, rec, progress)
	} else if v.used != nil {
		all = v.used[rec].Constants()
	}
	return func(yield func(constants.Constant) bool) {
		for c, err := range all {
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				v.Damage(set.Name(rec), err)
			case c.Shadowed || v.wants != nil && !v.wants(c.Type) || !v.found(c):
			case !yield(c):
				return
			}
		}
	}
}

// found tells whether the value has the text that is looked for.
func (v *verb) found(c constants.Constant) bool {
	return v.search == "" || strings.Contains(strings.ToLower(constants.Text(c.Value())), strings.ToLower(v.search))
}

// groupsOf returns the groups of duplicates that have been asked for. A group is looked
// for by its first constant: all say the same.
func (v *verb) groupsOf(ctx context.Context, set *input.Set, rec *mmapjfr.Recording, progress func(uint64)) iter.Seq[constants.Group] {
	return func(yield func(constants.Group) bool) {
		for g, err := range constants.Duplicates(ctx, rec, progress) {
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				v.Damage(set.Name(rec), err)
			case v.wants != nil && !v.wants(g.Constants[0].Type) || !v.found(g.Constants[0]):
			case !yield(g):
				return
			}
		}
	}
}

// nothing tells that no line has been written, where that may be a mistake.
func (v *verb) nothing(ctx context.Context, lines int) error {
	if lines == 0 && ctx.Err() == nil && v.wants != nil && v.search == "" && !v.unused && !v.duplicates {
		v.Report(errors.New("no constants of that type; without a type, all types are listed"))
	}
	return context.Cause(ctx)
}
