package copies

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// NewSlice makes the verb that writes a part of a recording.
func NewSlice(a *cli.App) *cobra.Command {
	o := output{App: a}
	var sel selection.Options
	var only bool
	cmd := &cobra.Command{
		Use:         "slice [flags] FILE... OUT",
		Annotations: become,
		Short:       "Write part of a recording",
		Long: `Write the selected events of FILE to OUT, as a recording that every tool reads. Events that the
others need are kept, too: JVM, flags, settings and machine, and what threads had allocated. --only
leaves them out.

` + aboutOut + `

` + selection.About,
		Example: `  mjfr slice --from 21:22:37 --to 21:22:47 app.jfr ten-seconds.jfr
  mjfr slice --from -60s app.jfr last-minute.jfr
  mjfr slice --events 'GC*,CPULoad' --only app.jfr gc.jfr
  mjfr slice --thread 'http-*' --where '@duration > 100ms' app.jfr slow.jfr
  mjfr slice --from 50% app.jfr.gz - | gzip > second-half.jfr.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case sel.Limit != 0 || sel.Tail != 0:
				return cli.Usagef("slice has no --limit and --tail; use --from and --to")
			case !sel.Given():
				return cli.Usagef("say which events to keep with --from, --to, --events, --categories, --thread or --where")
			}
			return errors.Join(o.args(cmd, args), sel.Check())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return o.with(ctx, args, func(set *input.Set, out string) error {
				plan := rewrite.Plan{Context: !only, Readable: true}
				return o.slice(ctx, set, out, &sel, &plan)
			})
		},
	}
	o.flags(cmd.Flags())
	o.verifyFlag(cmd.Flags())
	sel.SelectFlags(cmd.Flags())
	selection.HideRows(cmd.Flags())
	cmd.Flags().BoolVar(&only, "only", false, "leave out events about the JVM and the machine that are not selected")
	return cmd
}

func (o *output) slice(ctx context.Context, set *input.Set, out string, sel *selection.Options, plan *rewrite.Plan) error {
	s, err := selection.Select(o.App, set, sel, nil)
	if err != nil {
		return err
	}
	s.Plan(plan)
	report, err := o.write(ctx, set, out, "writing", plan)
	if errors.Is(err, cli.ErrNothing) {
		return errors.Join(s.ReportIfEmpty(ctx), fmt.Errorf("%s: nothing was written", out))
	}
	if err != nil {
		return err
	}
	return o.show(set, out, report, nil)
}
