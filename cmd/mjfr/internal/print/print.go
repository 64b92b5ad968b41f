// Package print is the verb print.
package print

import (
	"bufio"
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// options are the flags of mjfr print.
type options struct {
	selection.PrintOptions
	order string
}

// New makes the verb that prints events.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "print [flags] FILE...",
		Short: "Print events",
		Long: `Print events as text, or in a format for programs.

` + selection.AboutFormats + `

` + selection.About,
		Example: `  mjfr print --events OldObjectSample app.jfr
  mjfr print --categories 'GC,JVM,Java*' --stack-depth 64 app.jfr
  mjfr print --where 'duration > 20ms && stackTrace ~ HashMap' app.jfr
  mjfr print --from -10s --thread 'worker-*' --ndjson app.jfr | jq .
  mjfr print --events ExecutionSample --fields startTime,sampledThread,stackTrace --csv app.jfr`,
		Args:    cli.NeedFiles,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd.Flags()) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd.Context(), args, func(set *input.Set) error {
				return write(cmd.Context(), a, set, &o)
			}, a.SavedIndexes())
		},
	}
	f := cmd.Flags()
	o.FormatFlags(f)
	o.SelectFlags(f)
	o.DetailFlags(f)
	f.StringVar(&o.order, "order", "time", "print events in this `ORDER`: time, which is that of their ends, or file")
	return cmd
}

// check checks the flags as far as that is possible without the recordings.
func (o *options) check(flags *pflag.FlagSet) error {
	if err := cmp.Or(o.PrintOptions.Check(flags), o.Options.Check()); err != nil {
		return err
	}
	switch {
	case o.order != "time" && o.order != "file":
		return cli.Usagef("--order cannot be %q; choose time or file", o.order)
	}
	return nil
}

// write prints the events of a set that the flags select.
func write(ctx context.Context, a *cli.App, set *input.Set, o *options) error {
	po := o.Print()
	s, err := selection.Select(a, set, &o.Options, po.Zone)
	if err != nil {
		return err
	}
	s.Choose(&po)
	if o.order == "file" {
		po.Order = print.ByFile
	}
	if err := s.CheckFields(po.Fields); err != nil {
		return err
	}
	bar := a.Progress("printing", cli.BytesOf(set), cli.Streaming)
	po.Progress = bar.Add
	out := bufio.NewWriterSize(a.Stdout, 64<<10)
	err = print.Write(ctx, out, set.Recordings, po)
	if err := cmp.Or(selection.MixedTypes(err), out.Flush()); err != nil {
		return err
	}
	return s.ReportIfEmpty(ctx)
}
