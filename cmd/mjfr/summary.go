package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// newSummary is the verb that tells what recordings hold.
func newSummary(a *app) *cobra.Command {
	var asJSON, extended bool
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
space.`,
		Example: `  mjfr summary app.jfr
  mjfr summary --extended app.jfr
  mjfr summary --json repository/*.jfr | jq '.types[] | select(.count > 0) | .name'`,
		Args: files,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.summarize(cmd.Context(), set, asJSON, extended)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&extended, "extended", false, "tell more of types and chunks, and what takes the space")
	return cmd
}

// summarize prints the summary of the recordings.
func (a *app) summarize(ctx context.Context, set *input.Set, asJSON, extended bool) error {
	bar := a.progress("counting", bytesOf(set), atTheEnd)
	defer bar.Done()
	s, err := summary.Collect(ctx, set.Recordings, bar.Add)
	if err != nil {
		return err
	}
	if extended {
		bar.Stage("constants", bytesOf(set))
		err := s.ReadPools(ctx, bar.Add)
		bar.Stage("times", bytesOf(set))
		if err := errors.Join(err, s.ReadTimes(ctx, bar.Add)); err != nil {
			return err
		}
	}
	bar.Done()
	a.tellFaults(set, s)
	switch {
	case asJSON:
		d := summary.NewDocument(s, set.Name)
		if extended {
			d.Extend(s, set.Name)
		}
		return summary.WriteJSON(a.stdout, d)
	case extended:
		return a.writeExtended(set, s)
	}
	return s.WriteText(a.stdout)
}

// tellFaults tells of all that could not be read.
func (a *app) tellFaults(set *input.Set, s *summary.Summary) {
	for _, f := range s.Faults {
		a.damage(set.Name(f.Recording), f.Err)
	}
}
