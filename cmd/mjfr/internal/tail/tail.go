// Package tail is the verb tail: it prints the events of a running JVM.
package tail

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
)

// options are the flags of mjfr tail.
type options struct {
	selection.PrintOptions
	live   live.Options
	follow bool
}

// New makes the verb that prints the events of a stream.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "tail [flags] SOURCE",
		Short: "Print events of a running JVM as they happen",
		Long: `Print the events that a JVM has recorded so far. With -f, follow new events until the JVM or its
recording ends, or you press Ctrl-C. Events of one flush, about a second, are printed together, in
the order in which they ended.

` + live.About + `

With -f only new events are printed; --from start prints earlier ones, too. Without -f, and for
files, everything is printed, unless --from says where to begin. With -f and --to, tail ends at the
first flush after that time; --tail N begins with the last N events.

--settings and --set make a JVM record for tail, until tail ends. Otherwise tail prints what the JVM
records anyway.

` + selection.AboutFormats + `

` + selection.About + ` If the JVM has no event type that matches --events,
tail fails; with --wait it waits until the program registers one.

If the JVM is killed, tail prints what it had flushed and says so; the exit code is 0.`,
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
	f.BoolVarP(&o.follow, "follow", "f", false, "go on with new events")
	o.live.Flags(f)
	o.FormatFlags(f)
	o.SelectFlags(f)
	f.Lookup("from").Usage = "begin at `TIME`: start, now or a point in time; then only events that begin there or later"
	o.DetailFlags(f)
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{fromStart, fromNow}, cobra.ShellCompDirectiveNoFileComp)) // it has the flag
	return cmd
}

// check checks the flags as far as that is possible without the source.
func (o *options) check(flags *pflag.FlagSet) error {
	if err := cmp.Or(o.PrintOptions.Check(flags), o.Options.Check(fromStart, fromNow)); err != nil {
		return err
	}
	switch {
	case o.From == fromNow && !o.follow:
		return cli.Usagef("--from now has nothing to print without -f")
	case o.live.Records() && !o.follow:
		return cli.Usagef("--settings and --set make a JVM record from now on, and only -f prints that")
	}
	return o.live.Check()
}

// run prints the events of a source that the flags select.
func run(ctx context.Context, a *cli.App, source string, o *options) error {
	src, err := live.Find(ctx, a, source, &o.live)
	if err != nil {
		return err
	}
	if err := src.Announce(a, o.follow); err != nil {
		return err
	}
	t, err := newRunner(a, src, o)
	if err != nil {
		return err
	}
	return t.run(ctx)
}
