// Package answers has the verbs of mjfr batch for programs that divide work among machines by
// themselves: command lines become questions, and partial results become files, as mjfr batch and
// mjfr batch merge do it.
//
//	cmd, ask := answers.Command("profile", flags)
//	asked, err := ask(args) // once cmd has parsed its flags
//	for p, err := range batch.Map(ctx, asked.Question, asked.Note, items, store.Open) {
//		err = answers.Write(ctx, os.Stderr, p, nil, "out/app.pb.gz")
//	}
//
// The note of a partial result is enough to make its question again, on any machine.
package answers

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	internal "github.com/mmapjfr/jfr/cmd/mjfr/internal/batch"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// Asked is what a command line asks of recordings: a question, the note with which it can be made
// again, and inputs.
type Asked = internal.Asked

// Command returns a command that has the flags of a verb, which is profile, query, view or export,
// and those of the program, which come before ones of the same name. What is returned besides is to
// be called with the arguments once the flags have been parsed. Both are nil for other verbs.
func Command(verb string, own *pflag.FlagSet) (*cobra.Command, func(args []string) (Asked, error)) {
	return internal.Command(&cli.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, verb, own)
}

// Question returns the question that a note is of.
func Question(note []string) (batch.Question, error) { return internal.Question(note) }

// Write writes an answer as a file, as mjfr batch merge --force -o OUT does with more flags. Base,
// if it is not nil, is a profile from which the differences are written. Notes for people go to
// messages.
func Write(ctx context.Context, messages io.Writer, p, base *batch.Partial, out string, flags ...string) error {
	return internal.Write(ctx, app(messages), p, base, out, flags...)
}

// WriteAll ends a data set of the verb export: it lists the files of all answers, whose items have
// written them.
func WriteAll(messages io.Writer, list []*batch.Partial) error {
	return internal.WriteAll(app(messages), list)
}

// Most returns how many recordings an item may have, see [batch.PlanOptions].
func Most(note []string) int { return internal.Most(note) }

// app returns what verbs write to that have only messages for people.
func app(messages io.Writer) *cli.App {
	return &cli.App{Stdout: io.Discard, Stderr: messages, Screen: io.Discard}
}

// IsUsage reports whether an error is about the command line.
func IsUsage(err error) bool { return cli.IsUsage(err) }

// Usage marks an error as one about the command line.
func Usage(err error) error { return cli.Usage(err) }
