// Package at is the verb at: it shows the event, or another structure, at a position of a
// recording.
package at

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// options are the flags of mjfr at.
type options struct {
	hex, json             bool
	before, after, around uint64
	// beforeEnd are positions such as -5s, which look like flags.
	beforeEnd []string
}

// New makes the verb that shows the events at some positions of a recording.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "at [flags] FILE POSITION...",
		Short: "Show the event at an offset, an ordinal or a time",
		Long: `Show the event at a position, and what its bytes mean. A position is one of:

  27388 or 0x6afc       an offset in the file, anywhere inside the event
  '#5'                  the event with five others before it, counting all recordings
  2026-11-21T01:48:59Z  the first event at that time or later
  "2026-11-21 01:48:59.5", 01:48:59.5
                        the same in the recording's time zone; without a date, on the day
                        the recording began
  5s or +5s             the first event 5 seconds after the start, or later
  -5s                   the first event in the last 5 seconds
  50%                   the first event in the second half of the time

An offset can also be that of a chunk header, a checkpoint or a metadata event. It needs a
single file. Negative positions go last on the command line.`,
		Example: `  mjfr at app.jfr 0x6afc
  mjfr at app.jfr 01:48:59.5 -C 3
  mjfr at --hex app.jfr '#0' 0
  mjfr at app.jfr -5s`,
		Args: func(cmd *cobra.Command, args []string) error {
			_, _, err := o.split(args)
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			names, positions, err := o.split(args)
			if err != nil {
				return err
			}
			return a.WithChunks(cmd.Context(), names, func(set *input.Set) error {
				return show(cmd.Context(), a, set, positions, &o)
			}, a.SavedIndexes())
		},
	}
	cmd.Flags().BoolVar(&o.hex, "hex", false, "show each byte and what it means")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	cmd.Flags().Uint64VarP(&o.after, "after-context", "A", 0, "list the `N` events after it in the file")
	cmd.Flags().Uint64VarP(&o.before, "before-context", "B", 0, "list the `N` events before it")
	cmd.Flags().Uint64VarP(&o.around, "context", "C", 0, "list the `N` events before and after it")
	for _, digit := range strings.Split("0123456789", "") {
		// To a parser of flags the position -5s is -5 with the value s.
		cmd.Flags().FuncP("before-end-"+digit, digit, "", func(rest string) error {
			o.beforeEnd = append(o.beforeEnd, "-"+digit+rest) // split checks it
			return nil
		})
		_ = cmd.Flags().MarkHidden("before-end-" + digit) // it exists
	}
	return cmd
}

// split divides the arguments into files and positions. The first argument is a file. So are the
// arguments after it that name a file and are no positions: a shell may have replaced a pattern.
func (o *options) split(args []string) (names []string, positions []position, err error) {
	if len(args) == 0 {
		return nil, nil, cli.Usagef("no recording given: name one and a position, as in mjfr at app.jfr 0x6afc")
	}
	n := 1
	for ; n < len(args); n++ {
		if _, err := parsePosition(args[n]); err == nil {
			break
		}
		if _, err := os.Stat(args[n]); err != nil {
			break // it is a position with a mistake in it
		}
	}
	for _, text := range append(args[n:len(args):len(args)], o.beforeEnd...) {
		p, err := parsePosition(text)
		if err != nil {
			return nil, nil, cli.Usagef("%w", err)
		}
		positions = append(positions, p)
	}
	if len(positions) == 0 {
		return nil, nil, cli.Usagef("no position given; %s", positionForms)
	}
	return args[:n], positions, nil
}

// show shows what is at each position. It goes on after a position that leads to nothing.
func show(ctx context.Context, a *cli.App, set *input.Set, positions []position, o *options) error {
	f := &finder{set, []uint64{0}}
	out := bufio.NewWriter(a.Stdout)
	s := writer{app: a, set: set, o: o, out: out}
	var (
		errs      []error
		documents = []document{}
	)
	for i := range positions {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p, err := f.find(&positions[i])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		near, err := f.around(&p, cmp.Or(o.before, o.around), cmp.Or(o.after, o.around))
		if err != nil {
			errs = append(errs, err)
		}
		err = p.rec.Protect(func() error {
			if !o.json {
				return s.text(&positions[i], &p, near)
			}
			documents = append(documents, s.document(&positions[i], &p, near))
			return nil
		})
		if err != nil {
			return err
		}
	}
	if o.json {
		errs = append(errs, jsonout.Write(out, documents))
	}
	return errors.Join(append([]error{out.Flush()}, errs...)...)
}
