// Package watch is the verb watch: it shows the state of a running JVM, and serves metrics.
package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tui"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// options are the flags of mjfr watch.
type options struct {
	metrics    metricsOptions
	once, json bool
	every      time.Duration
	live       live.Options
	only       bool // do not make the JVM record anything
}

// New makes the verb that shows the state of a running JVM.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "watch [flags] SOURCE",
		Short: "Watch a running JVM",
		Long: `Watch a running JVM: CPU, heap, pauses, allocation, where threads run and wait, and the number
of events. On a terminal this is a screen (press ? for help), otherwise a line every second.

` + live.About + `
If SOURCE is a JVM, watch makes it record what is shown, and stops that recording at the end;
--existing shows only what is recorded anyway. For a file, everything is shown.

` + aboutMetrics,
		Example: `  mjfr watch 4711
  mjfr watch --set 'jdk.SocketRead#threshold=1ms' 4711
  mjfr watch --wait MyApp
  mjfr watch --once --json 4711
  mjfr watch --prometheus localhost:9404 4711
  mjfr watch /tmp/2026_11_21_12_00_00_4711
  ssh host cat app.jfr | mjfr watch --once -`,
		Args: live.OneSource,
		PreRunE: func(*cobra.Command, []string) error {
			if o.every < 0 {
				return cli.Usagef("--every must not be negative")
			}
			if err := o.metrics.check(); err != nil {
				return err
			}
			return o.live.Check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), a, args[0], &o)
		},
	}
	f := cmd.Flags()
	o.metrics.flags(f)
	f.BoolVar(&o.once, "once", false, "print the state once, after a while, and end")
	f.BoolVar(&o.json, "json", false, "print states as JSON: with --once one document, else one in each line")
	f.DurationVar(&o.every, "every", 0, "print a line every `TIME`; with --once, how long to look (default 1s)")
	o.live.Flags(f)
	f.BoolVar(&o.only, "existing", false, "show only what a JVM records already")
	return cmd
}

// run shows the state of a source until it ends.
func run(ctx context.Context, a *cli.App, source string, o *options) error {
	s, title, err := watched(ctx, a, source, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	v := jvmstats.New()
	s.OnEvent(v.Observe)
	s.OnFlush(func() error { v.Flushed(time.Now()); return nil })
	served := make(chan error, 1)
	if o.metrics.address != "" {
		if err := serve(ctx, a, v, &o.metrics, served); err != nil {
			return err
		}
	}
	var wrong []error
	s.OnError(func(err error) { wrong = append(wrong, err); v.Failed() })
	r := remarks{settings: &o.live, report: func(warning error) { a.Report(fmt.Errorf("%s: %w", title, warning)) }}
	if onScreen(a, o) {
		r.show = v.Remark
	}
	s.OnWarning(r.add)
	if err := s.StartAsync(ctx); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		err := s.AwaitTermination(0)
		v.Ended(errors.Join(append(wrong, err)...))
		ended <- err
	}()
	closed := live.ExplainEnd(ctx, a, title)
	err = errors.Join(show(ctx, a, v, title, o), s.Close()) // Close ends the recording that was made for it
	cancel()                                                // after it, which makes the end one that was wanted
	err = errors.Join(err, <-ended)
	closed()
	r.end()
	for _, e := range wrong {
		live.ReportError(a, title, e)
	}
	if o.metrics.address != "" {
		err = errors.Join(err, <-served)
	}
	return err
}

// remarks reports warnings of a stream about values of --set. It ignores other warnings: not all
// JVMs have all types that watch enables.
type remarks struct {
	settings *live.Options
	report   func(warning error)
	show     func(text string) // on the screen; nil without one
	shown    []error
}

func (r *remarks) add(warning error) {
	switch {
	case !r.settings.Concerns(warning):
	case r.show != nil:
		r.show(warning.Error())
		r.shown = append(r.shown, warning)
	default:
		r.report(warning)
	}
}

// end reports the warnings again, because the screen has gone.
func (r *remarks) end() {
	for _, warning := range r.shown {
		r.report(warning)
	}
}

// onScreen reports whether the state is shown on the whole screen.
func onScreen(a *cli.App, o *options) bool {
	return !o.once && !o.json && tui.Interactive(a.Screen, os.Getenv)
}

// show shows the state until the user quits or the stream ends.
func show(ctx context.Context, a *cli.App, v *jvmstats.Vitals, title string, o *options) error {
	source := tui.Of(v, title)
	if onScreen(a, o) {
		return tui.Run(ctx, source, tui.Options{Input: a.Stdin, Output: a.Screen, Color: a.Style.Color, Every: o.every})
	}
	if o.metrics.address != "" && !o.once && !o.json && o.every == 0 {
		return tui.Wait(ctx, source) // nothing asks for lines
	}
	return tui.Plain(ctx, source, a.Stdout, tui.PlainOptions{Every: o.every, Once: o.once, JSON: o.json, Style: a.Style})
}

// watched opens the source. It makes a JVM record what watch shows.
func watched(ctx context.Context, a *cli.App, source string, o *options) (*stream.Stream, string, error) {
	if o.only && o.live.Records() {
		return nil, "", cli.Usagef("--existing shows only what a JVM records already; leave it out, or --settings and --set")
	}
	pid, err := live.Locate(ctx, a, source, &o.live)
	if err != nil {
		return nil, "", err
	}
	if pid == 0 || o.only {
		src, err := live.FindLocated(ctx, a, pid, source, &o.live)
		if err != nil {
			return nil, "", err
		}
		if err := src.Announce(a, !o.once); err != nil {
			return nil, "", err
		}
		s, err := src.Open()
		return s, src.Title, err
	}
	vm, err := live.OpenJVM(ctx, pid)
	if err != nil {
		return nil, "", err
	}
	r, err := o.live.Attach(vm, jvmstats.Settings(release(ctx, vm), o.metrics.address != ""))
	if err != nil {
		return nil, "", err
	}
	return r.Stream, live.Title(pid, source), nil
}

// release returns the release of a JVM, such as 17, or 0 if the JVM does not say.
func release(ctx context.Context, vm *attach.VM) int {
	properties, err := vm.Properties(ctx)
	if err != nil {
		return 0 // starting to record will fail with a reason
	}
	n, err := strconv.Atoi(properties["java.specification.version"])
	if err != nil {
		return 0
	}
	return n
}
