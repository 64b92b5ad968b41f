package copies

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// scrubFilters are the filters of mjfr scrub, as they were given.
type scrubFilters struct {
	include, exclude struct{ events, categories, threads []string }
}

// NewScrub makes the verb that takes events out of a recording.
func NewScrub(a *cli.App) *cobra.Command {
	o := output{App: a}
	var f scrubFilters
	cmd := &cobra.Command{
		Use:         "scrub [flags] FILE [OUT]",
		Annotations: map[string]string{cli.RecordingsKey: ""},
		Short:       "Remove events from a recording",
		Long: `Write FILE to OUT without some of its events. Without OUT, the new file is beside FILE, with
-scrubbed in its name. An event stays if it passes all filters. What is removed is gone: also the
types, settings and constants that only removed events used. To change text in events that
stay, use mjfr redact.

Filters are lists separated by commas; * matches any characters and ? one. Event types match with or
without package, categories also by initials (JVM), threads by their Java name. Events without a thread
pass --exclude-threads, and do not pass --include-threads.

` + aboutOut,
		Example: `  mjfr scrub --include-events 'jdk.Socket*' recording.jfr socket-only.jfr
  mjfr scrub --exclude-events InitialEnvironmentVariable recording.jfr no-psw.jfr
  mjfr scrub --include-threads main recording.jfr
  mjfr scrub --exclude-categories JVM,OS recording.jfr`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return cli.Usagef("name a recording, as in mjfr scrub --exclude-events InitialEnvironmentVariable app.jfr")
			case len(args) > 2:
				return cli.Usagef("scrub takes a recording and a file to write, not %d files; mjfr merge makes one recording of several", len(args))
			case len(args) == 1 && args[0] == "-":
				return cli.Usagef("name a file to write, or - for standard output")
			}
			return f.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				args = append(args, scrubbed(args[0]))
			}
			ctx := cmd.Context()
			return o.with(ctx, args, func(set *input.Set, out string) error { return o.scrub(ctx, set, out, &f) }, whole)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "replace OUT if it exists")
	f.flags(cmd.Flags())
	o.verifyFlag(cmd.Flags())
	return cmd
}

// scrubbed returns the name of the file to write if none is given.
func scrubbed(name string) string {
	dir, base := filepath.Split(name)
	stem, _, _ := strings.Cut(base, ".jfr")
	return dir + stem + "-scrubbed.jfr"
}

func (f *scrubFilters) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.include.events, "include-events", nil, "only events whose type's name fits `FILTER`; repeatable, as all filters")
	flags.StringArrayVar(&f.exclude.events, "exclude-events", nil, "no events whose type's name fits `FILTER`")
	flags.StringArrayVar(&f.include.categories, "include-categories", nil, "only events whose type's categories fit `FILTER`")
	flags.StringArrayVar(&f.exclude.categories, "exclude-categories", nil, "no events whose type's categories fit `FILTER`")
	flags.StringArrayVar(&f.include.threads, "include-threads", nil, "only events of threads whose name fits `FILTER`")
	flags.StringArrayVar(&f.exclude.threads, "exclude-threads", nil, "no events of threads whose name fits `FILTER`")
}

func (f *scrubFilters) check() error {
	all := slices.Concat(f.include.events, f.exclude.events, f.include.categories, f.exclude.categories, f.include.threads, f.exclude.threads)
	for _, filter := range all {
		if len(selection.FilterNames(filter)) == 0 {
			return cli.Usagef("the filter %q has no names", filter)
		}
	}
	return nil
}

// plan returns what becomes of recordings with these types, and warnings of filters that fit none
// of them.
func (f *scrubFilters) plan(types []mmapjfr.Type) (plan rewrite.Plan, warnings []string) {
	var drops []func(mmapjfr.Type) bool
	byType := func(filters []string, make func([]string) selection.TypeFilter, what string, exclude bool) {
		for _, text := range filters {
			named := make(selection.FilterNames(text))
			filter, strange := named.Among(types)
			if len(strange) == len(named.Names) {
				warnings = append(warnings, fmt.Sprintf("Warning, no event type matched %s: %s", what, text))
			}
			drops = append(drops, func(t mmapjfr.Type) bool { return engine.MatchesType(filter, t) == exclude })
		}
	}
	byType(f.include.events, selection.ByEvents, "filter", false)
	byType(f.exclude.events, selection.ByEvents, "filter", true)
	byType(f.include.categories, selection.ByCategories, "category filter", false)
	byType(f.exclude.categories, selection.ByCategories, "category filter", true)
	if len(drops) > 0 {
		plan.Drop = func(t mmapjfr.Type) bool {
			return slices.ContainsFunc(drops, func(drops func(mmapjfr.Type) bool) bool { return drops(t) })
		}
	}
	for _, text := range f.include.threads {
		plan.Filters = append(plan.Filters, mmapjfr.ThreadsFunc(selection.JavaThreads(selection.FilterNames(text))))
	}
	for _, text := range f.exclude.threads {
		plan.Filters = append(plan.Filters, mmapjfr.Not(mmapjfr.ThreadsFunc(selection.JavaThreads(selection.FilterNames(text)))))
	}
	return plan, warnings
}

func (o *output) scrub(ctx context.Context, set *input.Set, out string, f *scrubFilters) error {
	types, _ := mmapjfr.EventTypes(set.Recordings) // what is wrong comes out where events are read
	plan, warnings := f.plan(types)
	w := o.to(out)
	for _, text := range warnings {
		if _, err := fmt.Fprintln(w, terminal.Printable(text)); err != nil {
			return err
		}
	}
	plan.Readable = true
	report, err := o.write(ctx, set, out, "scrubbing", &plan)
	if err != nil {
		return err
	}
	name := "standard output"
	if out != "-" {
		if name, err = filepath.Abs(out); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "Scrubbed recording file written to:\n%s\n", terminal.Printable(name)); err != nil {
		return err
	}
	return showRemoved(w, report.Types)
}

// showRemoved prints how many events of each type were removed, as the JDK's jfr does.
func showRemoved(w io.Writer, types map[string]rewrite.Count) error {
	var names, counts []string
	nameWidth, countWidth := 0, 0
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if n := types[name]; n.After < n.Before {
			count := fmt.Sprintf("%d/%d", n.Before-n.After, n.Before)
			names, counts = append(names, name), append(counts, count)
			nameWidth, countWidth = max(nameWidth, len(name)), max(countWidth, len(count))
		}
	}
	head := "Removed events:"
	if len(names) == 0 {
		head = "No events removed."
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for i, name := range names {
		if _, err := fmt.Fprintf(w, "%-*s %*s\n", nameWidth, terminal.Printable(name), countWidth, counts[i]); err != nil {
			return err
		}
	}
	return nil
}
