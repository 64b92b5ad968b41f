package export

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// Batch is the verb as a question of mjfr batch.
type Batch struct {
	v *verb
	q *batch.Export
}

// NewBatch returns the verb for mjfr batch, and a command with its flags.
func NewBatch(a *cli.App) (*cobra.Command, *Batch) {
	v := &verb{App: a}
	cmd := &cobra.Command{Use: "export"}
	v.tableFlags(cmd.Flags())
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print a JSON document that lists the files")
	return cmd, &Batch{v: v}
}

// Question returns what the flags ask of recordings, and which arguments are inputs.
func (b *Batch) Question(cmd *cobra.Command, args []string) (batch.Question, []string, error) {
	v := b.v
	if err := v.checkTables(cmd); err != nil {
		return nil, nil, err
	}
	s, err := v.sel.OfEach()
	if err != nil {
		return nil, nil, err
	}
	format, dir := v.format()
	b.q = &batch.Export{Dir: dir, Format: format, InlineStacks: v.inline, Selection: s}
	return b.q, args, nil
}

// Out returns the folder for partial results if none is named.
func (b *Batch) Out() string { return b.q.Dir + "/_batch" }

// Most is how many recordings an item has at most: all of them are open at once.
func (b *Batch) Most() int { return 128 }

// WriteAll writes the list of files of the data set, and says what there is.
func (b *Batch) WriteAll(f *batch.Folder, list []*batch.Partial) error {
	m, err := b.q.Complete(f, list)
	if err != nil {
		return err
	}
	if n := len(m.Others); n > 0 {
		b.v.Report(fmt.Errorf("%s: %s of other work, such as %s; remove them, or read the files that _manifest.json lists",
			b.q.Dir, terminal.CountOf(uint64(n), "file"), m.Others[0]))
	}
	var d document
	for _, one := range m.Files {
		i := slices.IndexFunc(d.Folders, func(x folder) bool { return x.Path == one.Table })
		if i < 0 {
			i = len(d.Folders)
			d.Folders = append(d.Folders, folder{Path: one.Table})
		}
		d.Folders[i].Tables = append(d.Folders[i].Tables, table{one.Path, one.Rows, one.OutOfOrder})
	}
	if b.v.asJSON {
		return b.v.WriteJSON(d)
	}
	rows, types := int64(0), 0
	for _, t := range d.Folders {
		if t.Path[0] == '_' {
			continue
		}
		types++
		for _, one := range t.Tables {
			rows += one.Rows
		}
	}
	text := fmt.Sprintf("%s: %s of %s in %s", b.q.Dir, terminal.CountOf(uint64(rows), "event"), terminal.CountOf(uint64(types), "type"), terminal.CountOf(uint64(len(m.Files)), "file"))
	_, err = fmt.Fprintln(b.v.Stdout, terminal.Printable(text))
	return err
}
