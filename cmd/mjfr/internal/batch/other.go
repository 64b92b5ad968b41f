package batch

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/profile"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// Asked is what a command line asks of recordings.
type Asked struct {
	Question batch.Question
	// Note is the command line of the verb, which belongs into partial results.
	Note   []string
	Inputs []string
}

// Command returns a command with the flags of a verb and those of a program, which come before ones
// of the same name, and what is to be called with its arguments. Both are nil if the answers of the
// verb cannot be merged.
func Command(a *cli.App, name string, own *pflag.FlagSet) (*cobra.Command, func(args []string) (Asked, error)) {
	of, v := find(a, name)
	if v == nil {
		return nil, nil
	}
	cmd := &cobra.Command{Use: of.Use}
	cmd.Flags().AddFlagSet(own)
	cmd.Flags().AddFlagSet(of.Flags()) // without those that are there
	return cmd, func(args []string) (Asked, error) {
		q, inputs, err := v.Question(cmd, args)
		if err != nil {
			return Asked{}, err
		}
		return Asked{q, note(cmd, own, args[:len(args)-len(inputs)]), inputs}, nil
	}
}

// Question returns the question of a command line. It says nothing of what single recordings lack.
func Question(note []string) (batch.Question, error) {
	m := &merge{App: &cli.App{Stdout: io.Discard, Stderr: io.Discard, Screen: io.Discard}}
	_, _, q, err := m.question(&batch.Folder{Note: note}, "")
	return q, err
}

// Write writes what mjfr batch merge writes with some flags: an answer as a file. Base, if it is
// not nil, is the profile from which differences are written. A file that is there is replaced:
// engines run again the steps that failed after they had written.
func Write(ctx context.Context, a *cli.App, p, base *batch.Partial, out string, flags ...string) error {
	m := &merge{App: a, out: out, force: true, passed: slices.Clone(flags)}
	folder := &batch.Folder{Note: p.Note}
	if base == nil {
		return m.write(ctx, folder, p, out)
	}
	from := base.Profile()
	if from == nil {
		return cli.Usagef("differences are those of profiles")
	}
	m.passed = append(m.passed, "--diff="+title(base))
	_, v, _, err := m.question(folder, out)
	if err != nil {
		return err
	}
	one := v.(*profile.Batch)
	one.Base = from
	return one.Write(ctx, p, title(p))
}

// WriteAll ends a data set: it lists the files of all partial results.
func WriteAll(a *cli.App, list []*batch.Partial) error {
	m := &merge{App: a}
	_, v, _, err := m.question(&batch.Folder{Note: list[0].Note}, "")
	if err != nil {
		return err
	}
	return v.(dataSet).WriteAll(&batch.Folder{}, list)
}

// Most returns how many recordings an item of a question has at most; 0 is any number.
func Most(note []string) int {
	if len(note) > 0 {
		if _, v := find(&cli.App{}, note[0]); v != nil {
			if d, ok := v.(dataSet); ok {
				return d.Most()
			}
		}
	}
	return 0
}
