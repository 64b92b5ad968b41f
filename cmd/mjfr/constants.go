package main

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/constants"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// constantsVerb is what mjfr constants has been asked for.
type constantsVerb struct {
	*app
	limit                    int
	search                   string
	json, unused, duplicates bool

	// wants are the types that are listed; nil for all.
	wants func(mmapjfr.Type) bool
	// many tells that there is more than one recording, and chunks that there is more
	// than one chunk: keys mean nothing without them.
	many, chunks bool
}

func newConstants(a *app) *cobra.Command {
	v := &constantsVerb{app: a}
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
Duplicates say the same under different keys; their bytes are those that could be saved.`,
		Example: `  mjfr constants app.jfr
  mjfr constants app.jfr Thread
  mjfr constants --search HashMap app.jfr 'Class,Method'
  mjfr constants --unused app.jfr
  mjfr constants --duplicates --limit 10 app.jfr StackTrace`,
		Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				v.wants = constants.Named(filterNames(args[1])...)
			}
			return v.with(cmd.Context(), args[:1], func(set *input.Set) error { return v.show(cmd.Context(), set) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&v.unused, "unused", false, "only constants that nothing refers to")
	f.BoolVar(&v.duplicates, "duplicates", false, "only constants that say the same as another one")
	f.StringVar(&v.search, "search", "", "only constants that have this `TEXT` in their value")
	f.IntVar(&v.limit, "limit", 0, "show no more than `N` lines, or groups of duplicates; 0 is no limit")
	f.BoolVar(&v.json, "json", false, "print one JSON document")
	return cmd
}

// args checks the command line.
func (v *constantsVerb) args(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("no recording given: name one, as in %s app.jfr", cmd.CommandPath())
	case len(args) > 2:
		return usagef("too many arguments: give one recording and, if you like, types, as in %s app.jfr Class,Method", cmd.CommandPath())
	case len(args) == 2 && len(filterNames(args[1])) == 0:
		return usagef("the type is empty: leave it out for all types")
	case v.unused && v.duplicates:
		return usagef("--unused and --duplicates cannot both be given")
	case v.limit < 0:
		return usagef("--limit cannot be negative")
	case cmd.Flags().Changed("search") && v.search == "":
		return usagef("--search needs a text to look for")
	}
	return nil
}

func (v *constantsVerb) show(ctx context.Context, set *input.Set) error {
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
	case v.unused:
		return v.tableOfUnused(ctx, set)
	}
	return v.table(set)
}

// constantsOf returns the constants of a recording that have been asked for. What could
// not be read is told on the way.
func (v *constantsVerb) constantsOf(ctx context.Context, set *input.Set, rec *mmapjfr.Recording, progress func(uint64)) iter.Seq[constants.Constant] {
	all := constants.All(rec, v.wants)
	if v.unused {
		all = constants.Unused(ctx, rec, progress)
	}
	return func(yield func(constants.Constant) bool) {
		for c, err := range all {
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				v.damage(set.Name(rec), err)
			case c.Copy || v.wants != nil && !v.wants(c.Type) || !v.found(c):
			case !yield(c):
				return
			}
		}
	}
}

// found tells whether the value has the text that is looked for.
func (v *constantsVerb) found(c constants.Constant) bool {
	return v.search == "" || strings.Contains(strings.ToLower(constants.Text(c.Value())), strings.ToLower(v.search))
}

// groupsOf returns the groups of duplicates that have been asked for. A group is looked
// for by its first constant: all say the same.
func (v *constantsVerb) groupsOf(ctx context.Context, set *input.Set, rec *mmapjfr.Recording, progress func(uint64)) iter.Seq[constants.Group] {
	return func(yield func(constants.Group) bool) {
		for g, err := range constants.Duplicates(ctx, rec, progress) {
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				v.damage(set.Name(rec), err)
			case v.wants != nil && !v.wants(g.Constants[0].Type) || !v.found(g.Constants[0]):
			case !yield(g):
				return
			}
		}
	}
}

// nothing tells that no line has been written, where that may be a mistake.
func (v *constantsVerb) nothing(ctx context.Context, lines int) error {
	if lines == 0 && ctx.Err() == nil && v.wants != nil && v.search == "" && !v.unused && !v.duplicates {
		v.tell(errors.New("no constants of that type; without a type, all types are listed"))
	}
	return context.Cause(ctx)
}
