package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// summaryOptions are what mjfr summary is told.
type summaryOptions struct {
	selectOptions
	json, extended bool
}

// newSummary is the verb that tells what recordings hold.
func newSummary(a *app) *cobra.Command {
	var o summaryOptions
	cmd := &cobra.Command{
		Use:   "summary [flags] FILE...",
		Short: "Count the events of each type",
		Long: `Count the events of each type, with the bytes that they take.

The output is that of the JDK's jfr summary. Several files are one recording: what
they hold is added up. Where recordings of several virtual machines come together,
types count as the same if they have the same name; jfr goes by the numbers that
types have in the first of them, and adds up what does not belong together.

With --extended there is more: the rate and the share of each type, when its first
and its last event began, the chunks, the largest constant pools, and what takes the
space.

Where events are selected these alone are counted: a line says how many of how many
they are, and types without any are left out. Rates are for the time that --from and --to
leave.

` + aboutSelections,
		Example: `  mjfr summary app.jfr
  mjfr summary --extended app.jfr
  mjfr summary --from -1m --thread 'http-*' app.jfr
  mjfr summary --json repository/*.jfr | jq '.types[] | select(.count > 0) | .name'`,
		Args:    files,
		PreRunE: func(*cobra.Command, []string) error { return o.check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.summarize(cmd.Context(), set, &o)
			})
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&o.extended, "extended", false, "tell more of types and chunks, and what takes the space")
	o.selectFlags(cmd.Flags())
	return cmd
}

// summarize prints the summary of the recordings.
func (a *app) summarize(ctx context.Context, set *input.Set, o *summaryOptions) error {
	sel, err := a.selected(set, &o.selectOptions, nil)
	if err != nil {
		return err
	}
	s, err := a.count(ctx, sel, o.extended)
	if err != nil {
		return err
	}
	if o.extended {
		if err := a.extend(ctx, sel, s); err != nil {
			return err
		}
	}
	a.tellFaults(set, s)
	switch {
	case o.json:
		d := summary.NewDocument(s, set.Name)
		if o.extended {
			d.AddExtended(s, set.Name)
		}
		err = a.writeJSON(d)
	case o.extended:
		err = a.writeExtended(set, s)
	default:
		err = s.WriteText(a.stdout)
	}
	if err != nil {
		return err
	}
	return sel.tellIfNothing(ctx)
}

// count counts the events of recordings, or those that are selected.
func (a *app) count(ctx context.Context, sel *selection, times bool) (*summary.Summary, error) {
	bar := a.progress("counting", bytesOf(sel.set), atTheEnd)
	defer bar.Done()
	s, err := summary.Count(ctx, sel.set.Recordings, bar.Add)
	if err != nil || !sel.given() {
		return s, err
	}
	bar.Stage("selecting", bytesOf(sel.set))
	tallies := make([]*summary.Tally, sel.workers())
	for i := range tallies {
		tallies[i] = s.NewTally(times)
	}
	if err := sel.each(ctx, bar.Add, func(worker int, ev mmapjfr.Event) { tallies[worker].Add(ev) }); err != nil {
		return nil, err
	}
	s.Keep(sel.String(), sel.lasts(), tallies...)
	return s, nil
}

// extend finds out what takes longer.
func (a *app) extend(ctx context.Context, sel *selection, s *summary.Summary) error {
	bar := a.progress("constants", bytesOf(sel.set), atTheEnd)
	defer bar.Done()
	err := s.ReadPools(ctx, bar.Add)
	if err != nil || sel.given() {
		return err
	}
	bar.Stage("times", bytesOf(sel.set))
	return s.ReadTimes(ctx, bar.Add)
}

// writeSelection writes which events have been selected, above a table for people. With a
// table for programs it goes to standard error, if that is a terminal.
func (a *app) writeSelection(what string) error {
	if !a.style.Aligned {
		if progress.IsTerminal(a.stderr) {
			a.tell(fmt.Errorf("selected %s", what))
		}
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "Selected: %s\n\n", terminal.Printable(what))
	return err
}

// tellFaults reports all that could not be read.
func (a *app) tellFaults(set *input.Set, s *summary.Summary) {
	for _, f := range s.Faults {
		a.damage(set.Name(f.Recording), f.Err)
	}
}
