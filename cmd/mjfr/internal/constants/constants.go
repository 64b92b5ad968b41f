// Package constants is the verb constants: it shows the constants of recordings.
package constants

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// verb is mjfr constants with its flags.
type verb struct {
	*cli.App
	selection.Options
	max                      int // the most lines or groups; 0 is no limit
	search                   string
	json, unused, duplicates bool

	// wants selects the types to list. It is nil for all types.
	wants func(mmapjfr.Type) bool
	// many is true if there are several recordings, and chunks if there are several chunks. Then
	// lines name them, because keys mean nothing without them.
	many, chunks bool
	// used are the constants that selected events refer to. It is nil if all events are selected.
	used map[*mmapjfr.Recording]*constants.Usage
}

func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "constants [flags] FILE [TYPE]",
		Short: "Show constants: threads, classes, methods, stack traces",
		Long: `Show the constants of a recording: threads, classes, methods, stack traces, strings and
others. Without TYPE, list the types of constants with their number and size. With TYPE, or
with --search, list constants with key, offset, size and value. TYPE is a full or simple
name; * and ? match any text, and commas separate several.

A constant is known by its type and key, inside its chunk. Copies were already in an earlier
checkpoint of the chunk. Duplicates have the same value under another key: their bytes are
wasted. Unused constants are reached from no event; if a damaged recording hides events, a
used constant can look unused.

If options select events, only constants that these events reach are shown.

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
	f.BoolVar(&v.duplicates, "duplicates", false, "only constants that have the same value as another one")
	f.StringVar(&v.search, "search", "", "only constants that have this `TEXT` in their value")
	f.IntVar(&v.max, "max", 0, "show no more than `N` lines, or groups of duplicates; 0 for all")
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
		return cli.Usagef("--unused and --duplicates cannot be used together")
	case v.max < 0:
		return cli.Usagef("--max cannot be negative")
	case cmd.Flags().Changed("search") && v.search == "":
		return cli.Usagef("--search needs a text to look for")
	}
	return nil
}

// checkSelection checks the options that select events.
func (v *verb) checkSelection() error {
	if v.Given() && (v.unused || v.duplicates) {
		return cli.Usagef("--unused and --duplicates are about all events; they cannot be combined with %s (--max limits lines)", v.Options.String())
	}
	return v.Options.Check()
}

// want selects types by name. A name that no type has is wrong usage, unless it is a pattern.
func (v *verb) want(set *input.Set, names []string) error {
	var types []mmapjfr.Type
	var known []string
	for _, rec := range set.Recordings {
		list, _ := rec.Types() // reading the constants reports errors
		types = append(types, list...)
		for _, t := range list {
			known = append(known, t.Name())
		}
	}
	named := selection.TypeFilter{Option: "TYPE", Names: names, Exact: mmapjfr.Types, Of: selection.TypeNames}
	filter, strange := named.Among(types)
	v.wants = func(t mmapjfr.Type) bool { return engine.MatchesType(filter, t) }
	var wrong []error
	for _, name := range strange {
		if !strings.ContainsAny(name, "*?") {
			wrong = append(wrong, cli.Usagef("the recording has no type %s%s", name, suggest.Question(name, known)))
		}
	}
	return errors.Join(wrong...)
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
		err = sel.Announce(terminal.CountOf(n.Load(), "event") + ", by " + sel.String())
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

// showUsed writes the table, list or groups that the flags ask for.
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

// constantsOf returns the constants of a recording that the flags select. It reports damage.
func (v *verb) constantsOf(ctx context.Context, set *input.Set, rec *mmapjfr.Recording, progress func(uint64)) iter.Seq[constants.Constant] {
	all := constants.All(rec, v.wants)
	if v.unused {
		all = constants.Unused(ctx, rec, progress)
	} else if v.used != nil {
		all = v.used[rec].Constants()
	}
	return selected(ctx, v, set, rec, all, func(c constants.Constant) bool {
		return !c.Shadowed && (v.wants == nil || v.wants(c.Type)) && v.found(c)
	})
}

// selected returns the elements that are wanted, and reports errors as damage.
func selected[E any](ctx context.Context, v *verb, set *input.Set, rec *mmapjfr.Recording, all iter.Seq2[E, error], wanted func(E) bool) iter.Seq[E] {
	return func(yield func(E) bool) {
		for e, err := range all {
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				v.Damage(set.Name(rec), err)
			case wanted(e) && !yield(e):
				return
			}
		}
	}
}

// found reports whether the value has the text of --search.
func (v *verb) found(c constants.Constant) bool {
	return v.search == "" || strings.Contains(strings.ToLower(constants.Text(c.Value())), strings.ToLower(v.search))
}

// groupsOf returns the groups of duplicates that the flags select. All constants of a group have
// the same value, so only the first is compared.
func (v *verb) groupsOf(ctx context.Context, set *input.Set, rec *mmapjfr.Recording, progress func(uint64)) iter.Seq[constants.Group] {
	return selected(ctx, v, set, rec, constants.Duplicates(ctx, rec, progress), func(g constants.Group) bool {
		return (v.wants == nil || v.wants(g.Constants[0].Type)) && v.found(g.Constants[0])
	})
}

// nothing reports that there are no lines, if that may be a mistake.
func (v *verb) nothing(ctx context.Context, lines int) error {
	if lines == 0 && ctx.Err() == nil && v.wants != nil && v.search == "" && !v.unused && !v.duplicates {
		v.Report(errors.New("no constants of that type; without a type, all types are listed"))
	}
	return context.Cause(ctx)
}
