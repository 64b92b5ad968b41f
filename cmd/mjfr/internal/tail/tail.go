package tail

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
)

// options are what mjfr tail is told.
type options struct {
	selection.PrintOptions
	live   live.Options
	follow bool
}

// New is the verb that prints events as they come.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "tail [flags] SOURCE",
		Short: "Print the events of a running JVM as they come",
		Long: `Print the events that a JVM has recorded so far, and with -f also those that come, until
it ends, its recording does, or Ctrl-C is pressed. What the JVM flushes together, about
once a second, is printed together, in the order in which the events ended.

` + live.About + ` It is
read to its end, with or without -f.

With -f, of a JVM or a directory only what is flushed from now on is printed; --from
start prints what there is as well. Otherwise all is printed, unless --from says where to
begin: at the start, now, or at a point in time. As with mjfr print, --from and --to go by
when events begin. With -f and --to it ends at the first flush behind that time.

With --settings or --set a JVM is made to record what they say; that recording ends when
tail does. Otherwise what it records anyway is printed.

Events are printed as text, or in a format for programs. ` + selection.AboutFormats + `
A document is complete whatever it ends by. Text does not show which events enclose
others.

` + selection.About + `
With -f, --tail begins with the last of the events that are there, and goes on with all
that come. Then the end of the recording is now, and a name that nothing fits is only
told: a type can be described later.

If the JVM is killed that is told, and the exit code is 0: all that it had flushed has
been printed. It is 1 if something could not be read.`,
		Example: `  mjfr tail -f 4711
  mjfr tail -f --events GarbageCollection,ThreadPark --where 'duration > 10ms' 4711
  mjfr tail -f --wait --settings profile MyApp
  mjfr tail -f --ndjson --events CPULoad 4711 | jq .machineTotal
  mjfr tail --from -30s --events JavaExceptionThrow /tmp/2026_11_21_12_00_00_4711
  ssh host cat /run/app.jfr | mjfr tail --csv --fields startTime,@type -`,
		Args: live.OneSource,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return o.check(cmd.Flags())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), a, args[0], &o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "go on with what comes")
	o.live.Flags(f)
	o.FormatFlags(f)
	o.SelectFlags(f)
	f.Lookup("from").Usage = "begin at `TIME`: start, now or a point in time; then only events that begin there or later"
	o.DetailFlags(f)
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{fromStart, fromNow}, cobra.ShellCompDirectiveNoFileComp)) // it has the flag
	return cmd
}

// check tells what is wrong with the options whatever the source is.
func (o *options) check(flags *pflag.FlagSet) error {
	if err := cmp.Or(o.PrintOptions.Check(flags), o.Options.Check(fromStart, fromNow)); err != nil {
		return err
	}
	switch {
	case o.From == fromNow && !o.follow:
		return cli.Usagef("--from now has nothing to print without -f")
	case o.live.Records() && !o.follow:
		return cli.Usagef("--settings and --set make a JVM record from now on, which only -f prints")
	}
	return o.live.Check()
}

// run prints the events of a source that the options select.
func run(ctx context.Context, a *cli.App, source string, o *options) error {
	src, err := live.Find(ctx, a, source, &o.live)
	if err != nil {
		return err
	}
	if src.Waiting != "" {
		if !o.follow && src.Kind != live.JVM {
			return errors.New(src.Waiting)
		}
		a.Report(errors.New(src.Waiting))
	}
	t, err := newRunner(a, src, o)
	if err != nil {
		return err
	}
	return t.run(ctx)
}
