// Package verify is the verb verify: it checks recordings for damage.
package verify

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// options are the flags of mjfr verify.
type options struct {
	most           int
	strict, asJSON bool
}

// New makes the verb that checks recordings for damage.
func New(a *cli.App) *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:         "verify [flags] FILE...",
		Annotations: map[string]string{cli.RecordingsKey: "Each is checked by itself."},
		Short:       "Check recordings for damage",
		Long: `Check recordings for damage, as fsck does for file systems: headers, metadata, checkpoints, the layout
of every event and constant, references, strings and times. Each finding has its offset and says what
it means to readers; the last line is the verdict.

An error is damage: a reader loses or misreads something, or the JDK refuses the file (refused-metadata,
bad-unit, bad-descriptor; mjfr convert fixes these). A warning is something that recorders are known to
write and readers cope with. A note is a peculiarity, such as a chunk that is still being written.

The exit code is 0 if all recordings are sound, 1 if one has an error (or a warning, with --strict) or
cannot be opened, and 2 if the command line is wrong.`,
		Example: `  mjfr verify app.jfr
  mjfr verify --strict --max 3 recordings/*.jfr
  mjfr verify --json app.jfr | jq '.files[].verdict'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.most < 0 {
				return cli.Usagef("--max %d: name how many findings are to be listed, 0 or more", o.most)
			}
			return cli.NeedFiles(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), a, args, &o)
		},
	}
	cmd.Flags().IntVar(&o.most, "max", 10, "list at most `N` findings of each kind in a chunk")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "take warnings for damage, too")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON document")
	return cmd
}

// verified is the result for a recording.
type verified struct {
	file   string
	size   int64
	report *verify.Report
	// refused means that the recording could not be read. err is the reason if no finding is.
	refused bool
	err     error
}

// worst is the least severity that counts as damage.
func (o *options) worst() verify.Severity {
	if o.strict {
		return verify.Warning
	}
	return verify.Error
}

// run checks each recording by itself. It goes on after one that cannot be opened.
func run(ctx context.Context, a *cli.App, names []string, o *options) error {
	out := output{app: a, o: o}
	for _, name := range names {
		opened := false
		err := a.WithChunks(ctx, []string{name}, func(set *input.Set) error {
			opened = true
			for _, rec := range set.Recordings {
				bar := a.Progress("verifying", rec.Size(), cli.AtEnd)
				report, err := verify.Check(ctx, rec, verify.MaxFindings(o.most), verify.Progress(bar.Add))
				bar.Done()
				v := verified{file: set.Name(rec), size: rec.Size(), report: report}
				switch {
				case ctx.Err() != nil:
					return context.Cause(ctx)
				case err != nil:
					v = refusal(set.Name(rec), err)
				}
				if err := out.add(v); err != nil {
					return err
				}
			}
			return nil
		}, mmapjfr.ReadWhole())
		if err != nil && !opened && ctx.Err() == nil {
			if c := a.Client(); c.Takes(name) {
				name = c.Show(name)
			}
			err = out.add(refusal(name, err))
		}
		if err != nil {
			return err
		}
	}
	return out.end()
}

// refusal is the result for a recording that could not be read.
func refusal(name string, err error) verified {
	v := verified{file: name, report: &verify.Report{}, refused: true, err: err}
	if f, ok := verify.FromOpenError(err); ok {
		v.report.Findings = []verify.Finding{f}
		v.report.Groups = []verify.Group{{Kind: f.Kind, Chunk: f.Chunk, Count: 1, Listed: 1}}
		v.report.Counts = []verify.Count{{Kind: f.Kind, Count: 1}}
		v.err = nil
	}
	return v
}

// verdict returns the result in a word or two.
func (o *options) verdict(v *verified) string {
	switch {
	case v.refused:
		return "cannot be read"
	case v.report.OK(o.worst()):
		return "sound"
	}
	return "damaged"
}

// reason is why a recording could not be read.
func (v *verified) reason() string {
	if v.err == nil {
		return ""
	}
	return errtree.Unnamed(v.err).Error()
}
