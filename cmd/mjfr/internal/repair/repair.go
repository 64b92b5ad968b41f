// Package repair is the verb repair: it makes whole recordings of damaged ones.
package repair

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// options are the flags of mjfr repair.
type options struct {
	force, asJSON bool
}

// New makes the verb that makes whole recordings of damaged ones.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:         "repair [flags] FILE OUT",
		Annotations: map[string]string{cli.RecordingsKey: "Several files are joined, in time order."},
		Short:       "Save what can be read of a damaged recording",
		Long: `Write everything that can be read of FILE to OUT, as a recording that the JDK's tools read. FILE can
lack its beginning, its end or some sectors, can have other bytes between its chunks, or can be the
repository of a JVM that was killed.

Intact chunks are copied. Values do not change, and missing constants stay missing. Events are left out
if their fields do not fit, if nothing describes their type, or if the JDK cannot read their type.

A table shows what was kept and lost of each chunk, and names the types of lost events. If OUT is -, the
recording goes to standard output and the table to standard error. If OUT is a link, its target is
replaced; a pipe or device is written to.

The exit code is 0 if nothing was lost, 1 if something was lost or nothing could be read, and 2 if the
command line is wrong.`,
		Example: `  mjfr repair crashed.jfr whole.jfr
  mjfr repair /tmp/2026_11_20_21_22_36_4711 whole.jfr
  mjfr repair --json upload.jfr.gz whole.jfr | jq '.files[].chunks[].lost'
  mjfr repair broken.jfr - | gzip > whole.jfr.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) < 2:
				return cli.Usagef("name a recording and the file to write, as in %s crashed.jfr whole.jfr", cmd.CommandPath())
			case o.asJSON && args[len(args)-1] == "-":
				return cli.Usagef("--json and - for OUT both write to standard output; use one of them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), a, args[:len(args)-1], args[len(args)-1], &o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "replace OUT if it exists")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON document instead of the table")
	return cmd
}

// run repairs recordings into a file.
func run(ctx context.Context, a *cli.App, names []string, out string, o *options) error {
	if err := cli.CheckOut(out, o.force); err != nil {
		return err
	}
	set, err := a.Open(ctx, names, input.Options{Open: []mmapjfr.Option{mmapjfr.Salvage()}, Salvage: true})
	if err != nil {
		return err
	}
	return errors.Join(repairSet(ctx, a, set, out, o), set.Close())
}

// repairSet repairs the recordings of a set into a file.
func repairSet(ctx context.Context, a *cli.App, set *input.Set, out string, o *options) error {
	var reports []*repair.Report
	if err := a.WriteOut(ctx, out, set, func(w io.Writer) (err error) {
		bar := a.Progress("repairing", 2*cli.BytesOf(set), cli.AtEnd)
		defer bar.Done()
		reports, err = repair.Join(ctx, w, set.Recordings, repair.Progress(bar.Add))
		if errors.Is(err, repair.ErrNothing) {
			err = nothingIn(set)
		}
		return err
	}); err != nil {
		return err
	}
	return show(a, set, reports, out, o)
}

// nothingIn returns why nothing of the recordings of a set can be kept, for each of them.
func nothingIn(set *input.Set) error {
	var errs []error
	for _, rec := range set.Recordings {
		why := cli.CutOff(rec)
		if why == nil {
			why = errors.New("no event in it can be read, and nothing was written; mjfr verify says more")
		}
		errs = append(errs, fmt.Errorf("%s: %w", set.Name(rec), cli.Reason(why)))
	}
	return errors.Join(errs...)
}
