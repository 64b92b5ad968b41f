// Package copies has the verbs that write copies of recordings: parts of them, several as one, and
// others.
package copies

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// become says in the help what verbs do with several recordings.
var become = map[string]string{cli.RecordingsKey: "Several files are joined, in time order."}

// aboutOut describes OUT in the help.
const aboutOut = `OUT is written completely or not at all. An existing file is kept, unless you give --force. If OUT is -,
the recording goes to standard output, and messages to standard error.`

// output is how a verb writes its file and tells about it.
type output struct {
	*cli.App
	force, asJSON, verify bool

	damaged map[*index.Chunk]bool // chunks that are not as they should be, once they have been looked for
}

func (o *output) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.force, "force", false, "replace OUT if it exists")
	f.BoolVar(&o.asJSON, "json", false, "print what was written as one JSON document")
}

// verifyFlag is for verbs that copy chunks byte for byte.
func (o *output) verifyFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.verify, "verify", false, "check all events first, as mjfr verify does, and rewrite damaged chunks without the events that cannot be read")
}

// args checks that recordings and a file to write are given.
func (o *output) args(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) < 2:
		return cli.Usagef("name a recording and the file to write, as in %s app.jfr new.jfr", cmd.CommandPath())
	case o.asJSON && args[len(args)-1] == "-":
		return cli.Usagef("--json and - for OUT both write to standard output; use one of them")
	}
	return nil
}

// with opens the recordings that are named before OUT, and calls do.
func (o *output) with(ctx context.Context, args []string, do func(set *input.Set, out string) error, more ...func(*input.Options)) error {
	names, out := args[:len(args)-1], args[len(args)-1]
	if err := cli.CheckOut(out, o.force); err != nil {
		return err
	}
	var how input.Options
	for _, f := range more {
		f(&how)
	}
	return o.WithInput(ctx, names, how, func(set *input.Set) error { return do(set, out) })
}

// whole is for verbs that read recordings from beginning to end.
func whole(o *input.Options) { o.Open = append(o.Open, mmapjfr.ReadWhole()) }

// write writes a copy by a plan. It returns [cli.ErrNothing], and leaves no file, if no event
// stays.
func (o *output) write(ctx context.Context, set *input.Set, out, doing string, plan *rewrite.Plan) (report *rewrite.Report, err error) {
	if o.verify {
		if err := o.findDamage(ctx, set); err != nil {
			return nil, err
		}
		plan.Remake = func(c mmapjfr.Chunk) bool { return o.damaged[engine.ChunkIndex(c)] }
	}
	err = o.WriteOut(ctx, out, set, func(w io.Writer) (err error) {
		report, err = o.Copy(ctx, w, set, doing, plan)
		if err == nil && report.Bytes == 0 {
			return cli.ErrNothing
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	o.NoteLeftOut(report)
	return report, nil
}

// findDamage finds the chunks in which something is not as it should be.
func (o *output) findDamage(ctx context.Context, set *input.Set) error {
	if o.damaged != nil {
		return nil
	}
	o.damaged = make(map[*index.Chunk]bool)
	bar := o.Progress("verifying", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	for _, rec := range set.Recordings {
		report, err := verify.Check(ctx, rec, verify.MaxFindings(0), verify.Progress(bar.Add))
		if err != nil {
			return err
		}
		chunks := rec.Chunks()
		for _, g := range report.Groups {
			if g.Kind.Severity() > verify.Note && g.Chunk < len(chunks) {
				o.damaged[engine.ChunkIndex(chunks[g.Chunk])] = true
			}
		}
	}
	return nil
}

// to returns where a verb says what it has written.
func (o *output) to(out string) io.Writer {
	if out == "-" {
		return o.Stderr
	}
	return o.Stdout
}

// document is what --json prints.
type document struct {
	Out    string `json:"out"`
	Before size   `json:"before"`
	After  size   `json:"after"`
	// Chunks of the recordings that were copied byte for byte, made anew, and left out.
	Copied     int    `json:"copiedChunks"`
	Made       int    `json:"madeChunks"`
	Left       int    `json:"leftOutChunks"`
	Unreadable uint64 `json:"unreadableEvents"`
	Missing    uint64 `json:"missingConstants"`
	// Duplicates and JVMs are what mjfr merge found.
	Duplicates int       `json:"duplicateChunks,omitempty"`
	JVMs       []machine `json:"jvms,omitempty"`
}

// size is how long recordings are.
type size struct {
	Bytes  uint64 `json:"bytes"`
	Chunks int    `json:"chunks"`
}

func (s size) String() string {
	return terminal.CountOf(s.Bytes, "byte") + " in " + terminal.CountOf(uint64(s.Chunks), "chunk")
}

// show says what was written.
func (o *output) show(set *input.Set, out string, report *rewrite.Report, merged *rewrite.Merged) error {
	d := document{
		Out: out, After: size{report.Bytes, report.Chunks}, Copied: report.Copied, Made: report.Made, Left: report.Left,
		Unreadable: report.Unreadable, Missing: report.Missing,
	}
	for _, rec := range set.Recordings {
		for _, c := range rec.Chunks() {
			d.Before.Bytes += c.Size()
			d.Before.Chunks++
		}
	}
	if merged != nil {
		d.Duplicates, d.JVMs = merged.Duplicates, machinesOf(set, merged)
	}
	if o.asJSON {
		return o.WriteJSON(d)
	}
	if out == "-" {
		out = "standard output"
	}
	for i, m := range d.JVMs {
		if i == namedJVMs {
			_, err := fmt.Fprintf(o.to(d.Out), "and %d other JVMs; --json lists all\n", len(d.JVMs)-i)
			if err != nil {
				return err
			}
			break
		}
		if _, err := fmt.Fprintln(o.to(d.Out), terminal.Printable(m.text(i+1))); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%s: %s, of %s", out, d.After, d.Before)
	if d.Duplicates > 0 {
		text += fmt.Sprintf(" (%s twice)", terminal.CountOf(uint64(d.Duplicates), "chunk"))
	}
	if d.Before.Bytes > 0 {
		text += fmt.Sprintf(": %.1f %%", 100*float64(d.After.Bytes)/float64(d.Before.Bytes))
	}
	_, err := fmt.Fprintln(o.to(d.Out), terminal.Printable(text))
	return err
}
