package main

import (
	"bufio"
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// printOptions are what mjfr print is told.
type printOptions struct {
	eventOptions
	order string
}

// newPrint is the verb that prints events.
func newPrint(a *app) *cobra.Command {
	var o printOptions
	cmd := &cobra.Command{
		Use:   "print [flags] FILE...",
		Short: "Print events",
		Long: `Print events: as text, or in a format for programs. ` + aboutFormats + `

` + aboutSelections,
		Example: `  mjfr print --events OldObjectSample app.jfr
  mjfr print --categories 'GC,JVM,Java*' --stack-depth 64 app.jfr
  mjfr print --where 'duration > 20ms && stackTrace ~ HashMap' app.jfr
  mjfr print --from -10s --thread 'worker-*' --ndjson app.jfr | jq .
  mjfr print --events ExecutionSample --fields startTime,sampledThread,stackTrace --csv app.jfr`,
		Args:    files,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd.Flags()) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.print(cmd.Context(), set, &o)
			}, mmapjfr.ReadSavedIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache))
		},
	}
	f := cmd.Flags()
	o.formatFlags(f)
	o.selectFlags(f)
	o.detailFlags(f)
	f.StringVar(&o.order, "order", "time", "print events in the `ORDER`: time or file; in that of time, the event that ended first comes first")
	return cmd
}

// check tells what is wrong with the options whatever the recordings are.
func (o *printOptions) check(flags *pflag.FlagSet) error {
	if err := cmp.Or(o.eventOptions.check(flags), o.selectOptions.check()); err != nil {
		return err
	}
	switch {
	case o.order != "time" && o.order != "file":
		return usagef("events cannot be printed in the order %q; take time or file", o.order)
	}
	return nil
}

// print prints the events of a set that the options select.
func (a *app) print(ctx context.Context, set *input.Set, o *printOptions) error {
	po := o.printing()
	s, err := a.selected(set, &o.selectOptions, po.Zone)
	if err != nil {
		return err
	}
	s.choose(&po)
	if o.order == "file" {
		po.Order = print.ByFile
	}
	if err := s.checkFields(po.Fields); err != nil {
		return err
	}
	bar := a.progress("printing", bytesOf(set), meanwhile)
	po.Progress = bar.Add
	out := bufio.NewWriterSize(a.stdout, 64<<10)
	err = print.Write(ctx, out, set.Recordings, po)
	if err := cmp.Or(oneTypeForRows(err), out.Flush()); err != nil {
		return err
	}
	return s.tellIfNothing(ctx)
}
