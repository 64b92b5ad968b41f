package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// printOptions are what mjfr print is told.
type printOptions struct {
	eventOptions
	tail  int
	order string
}

// newPrint is the verb that prints events.
func newPrint(a *app) *cobra.Command {
	var o printOptions
	cmd := &cobra.Command{
		Use:   "print [flags] FILE...",
		Short: "Print events",
		Long: `Print events: as text, or in a format for programs. ` + aboutFormats + `

` + aboutFilters + ` Events must pass all filters.

` + aboutConditions + `

` + aboutTimes,
		Example: `  mjfr print --events OldObjectSample app.jfr
  mjfr print --categories 'GC,JVM,Java*' --stack-depth 64 app.jfr
  mjfr print --where 'duration > 20ms && stackTrace ~ HashMap' app.jfr
  mjfr print --from -10s --thread 'worker-*' --ndjson app.jfr | jq .
  mjfr print --events ExecutionSample --fields startTime,sampledThread,stackTrace --csv app.jfr`,
		Args:    files,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd.Flags()) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkQuoting(); err != nil {
				return err
			}
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.print(cmd.Context(), set, &o)
			}, mmapjfr.ReadIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache))
		},
	}
	f := cmd.Flags()
	o.formatFlags(f)
	o.filterFlags(f)
	f.StringVar(&o.from, "from", "", "only events that begin at `TIME` or later")
	f.StringVar(&o.to, "to", "", "only events that begin before `TIME`")
	o.limitFlag(f)
	f.IntVar(&o.tail, "tail", 0, "print only the last `N` events; 0 is all")
	o.detailFlags(f)
	f.StringVar(&o.order, "order", "time", "print events in the `ORDER`: time or file; in that of time, the event that ended first comes first")
	return cmd
}

// check tells what is wrong with the options whatever the recordings are.
func (o *printOptions) check(flags *pflag.FlagSet) error {
	switch err := o.eventOptions.check(flags); {
	case err != nil:
		return err
	case o.tail < 0:
		return usagef("a number of events must be zero or a positive integer")
	case o.order != "time" && o.order != "file":
		return usagef("events cannot be printed in the order %q; take time or file", o.order)
	}
	return nil
}

// print prints the events of a set that the options select.
func (a *app) print(ctx context.Context, set *input.Set, o *printOptions) error {
	po, err := a.printed(set, o)
	if err != nil {
		return err
	}
	bar := a.progress("printing", bytesOf(set), meanwhile)
	po.Progress = bar.Add
	po.Note = func(rec *mmapjfr.Recording, err error) { a.damage(set.Name(rec), err) }
	out := bufio.NewWriterSize(a.stdout, 64<<10)
	err = print.Write(ctx, out, set.Recordings, po)
	return cmp.Or(oneTypeForRows(err), out.Flush())
}

// oneTypeForRows says what to do where there are events of several types for rows.
func oneTypeForRows(err error) error {
	if errors.Is(err, print.ErrSeveralTypes) {
		return fmt.Errorf("%w; give one type by --events, or the columns by --fields", err)
	}
	return err
}

// printed returns how events are printed, and which.
func (a *app) printed(set *input.Set, o *printOptions) (print.Options, error) {
	po := o.printing()
	po.Limit, po.Tail = o.limit, o.tail
	if o.order == "file" {
		po.Order = print.ByFile
	}
	zone := cmp.Or(po.Zone, set.Recordings[0].Location())
	s := selection{app: a, types: eventTypes(set.Recordings)}
	s.byName("--events", strings.Join(o.events, ","), func(names ...string) mmapjfr.Filter { return mmapjfr.Types(names...) }, typeName)
	s.byName("--categories", strings.Join(o.categories, ","), func(names ...string) mmapjfr.Filter { return mmapjfr.Categories(names...) }, mmapjfr.Type.Category)
	if len(o.threads) > 0 {
		s.filters = append(s.filters, mmapjfr.ThreadsWhere(threadsCalled(o.threads)))
	}
	if err := s.during(set, o.from, o.to, zone); err != nil {
		return po, err
	}
	condition, err := o.condition(zone)
	if err != nil {
		return po, err
	}
	if err := s.where(condition); err != nil {
		return po, err
	}
	po.Filters, po.Keep = s.filters, s.keep
	return po, nil
}
