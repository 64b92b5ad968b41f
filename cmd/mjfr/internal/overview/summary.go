// Package overview is the verbs that count: summary, types and chunks.
package overview

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// summaryOptions are the flags of mjfr summary.
type summaryOptions struct {
	selection.Options
	json, extended bool
}

// NewSummary makes the verb that counts the events of recordings.
func NewSummary(a *cli.App) *cobra.Command {
	var o summaryOptions
	cmd := &cobra.Command{
		Use:   "summary [flags] FILE...",
		Short: "Count the events of each type",
		Long: `Count the events of each type and the bytes they take, as the JDK's jfr summary does.
Several files are counted together. In recordings of several JVMs, types with the same name
are one type.

--extended adds the rate, share, first and last event of each type, the chunks, the largest
constant pools, and what takes the space. If options select events, only these are counted.

` + selection.About,
		Example: `  mjfr summary app.jfr
  mjfr summary --extended app.jfr
  mjfr summary --from -1m --thread 'http-*' app.jfr
  mjfr summary --json repository/*.jfr | jq '.types[] | select(.count > 0) | .name'`,
		Args:    cli.NeedFiles,
		PreRunE: func(*cobra.Command, []string) error { return o.Check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd.Context(), args, func(set *input.Set) error {
				return summarize(cmd.Context(), a, set, &o)
			}, o.Reading()...)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&o.extended, "extended", false, "show more about types and chunks, and what takes the space")
	o.SelectFlags(cmd.Flags())
	return cmd
}

// summarize prints the summary of the recordings.
func summarize(ctx context.Context, a *cli.App, set *input.Set, o *summaryOptions) error {
	sel, err := selection.Select(a, set, &o.Options, nil)
	if err != nil {
		return err
	}
	s, err := count(ctx, a, sel, o.extended)
	if err != nil {
		return err
	}
	if o.extended {
		if err := extend(ctx, a, sel, s); err != nil {
			return err
		}
	}
	reportFaults(a, set, s)
	switch {
	case o.json:
		d := summary.NewDocument(s, set.Name)
		if o.extended {
			d.AddExtended(s, set.Name)
		}
		err = a.WriteJSON(d)
	case o.extended:
		err = writeExtended(a, set, s)
	default:
		err = s.WriteText(a.Stdout)
	}
	if err != nil {
		return err
	}
	return sel.ReportIfEmpty(ctx)
}

// count counts the events that are selected.
func count(ctx context.Context, a *cli.App, sel *selection.Selection, times bool) (*summary.Summary, error) {
	bar := a.Progress("counting", cli.BytesOf(sel.Set), cli.AtEnd)
	defer bar.Done()
	s, err := summary.Count(ctx, sel.Set.Recordings, bar.Add)
	if err != nil || !sel.Given() {
		return s, err
	}
	bar.Stage("selecting", cli.BytesOf(sel.Set))
	tallies := make([]*summary.Tally, sel.Workers())
	for i := range tallies {
		tallies[i] = s.NewTally(times)
	}
	if err := sel.Each(ctx, bar.Add, func(worker int, ev mmapjfr.Event) { tallies[worker].Add(ev) }); err != nil {
		return nil, err
	}
	s.Keep(sel.String(), sel.Duration(), tallies...)
	return s, nil
}

// extend adds to a summary what takes longer to find out.
func extend(ctx context.Context, a *cli.App, sel *selection.Selection, s *summary.Summary) error {
	bar := a.Progress("constants", cli.BytesOf(sel.Set), cli.AtEnd)
	defer bar.Done()
	err := s.ReadPools(ctx, bar.Add)
	if err != nil || sel.Given() {
		return err
	}
	bar.Stage("times", cli.BytesOf(sel.Set))
	return s.ReadTimes(ctx, bar.Add)
}

// reportFaults reports everything that could not be read.
func reportFaults(a *cli.App, set *input.Set, s *summary.Summary) {
	for _, f := range s.Faults {
		a.Damage(set.Name(f.Recording), f.Err)
	}
}
