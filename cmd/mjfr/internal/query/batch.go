package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/ownviews"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// Batch is the verb query or view as a question of mjfr batch.
type Batch struct {
	*reading
	// ask returns the statement that arguments mean, and those that are inputs.
	ask   func(args []string) (st *query.Statement, o query.Options, rest []string, err error)
	label string // of a view
	form  bool
	// together, if it is not nil, writes the answers of several keys as one output.
	together *table.Writer
	joins    bool
}

// Join makes one output of the answers that are written next, which says what each is of. It must
// be closed.
func (b *Batch) Join() bool {
	b.joins, b.table.Array, b.table.OneHeading = true, true, true
	return true
}

// Close ends the output of answers that are joined.
func (b *Batch) Close() error {
	if b.together == nil {
		return nil
	}
	return b.together.Close()
}

// endings are those of files whose names say in which format to write.
var endings = map[string]table.Format{
	".csv": table.CSV, ".tsv": table.TSV, ".json": table.JSON, ".ndjson": table.NDJSON, ".jsonl": table.NDJSON,
	".md": table.Markdown, ".markdown": table.Markdown, ".html": table.HTML, ".htm": table.HTML, ".txt": table.Text,
}

// WriteTo makes the format that of the name of a file, unless a flag chooses one. It fails if they
// disagree.
func (b *Batch) WriteTo(name string) error {
	format, ok := endings[strings.ToLower(filepath.Ext(name))]
	switch given := b.table.Format; {
	case given == table.Text && !ok:
		return cli.Usagef("-o %s: the name does not say in which format to write; give a flag such as --csv, or an ending: .txt, .csv, .tsv, .json, .ndjson, .md or .html", name)
	case given == table.Text:
		b.table.Format = format
	case ok && format != given:
		return cli.Usagef("-o %s: --%s asks for another format than the name does; leave one of them out", name, given)
	}
	return nil
}

// NewBatch returns the verb query for mjfr batch, and a command with its flags.
func NewBatch(a *cli.App) (*cobra.Command, *Batch) {
	v := &verb{reading: reading{App: a}}
	cmd := &cobra.Command{Use: "query"}
	cmd.Flags().StringVarP(&v.file, "file", "f", "", "read the query from `FILE`")
	v.flags(cmd.Flags())
	v.output.flags(cmd.Flags())
	return cmd, &Batch{reading: &v.reading, ask: func(args []string) (*query.Statement, query.Options, []string, error) {
		o := query.Options{Zone: time.UTC}
		text := ""
		switch {
		case v.file != "":
			data, err := cli.ReadFile(v.file, cli.MaxText)
			if err != nil {
				return nil, o, nil, err
			}
			text = string(data)
		case len(args) == 0:
			return nil, o, nil, cli.Usagef("give a statement, as in mjfr batch query --out DIR 'select count(*) from jdk.*' recordings/")
		default:
			text, args = args[0], args[1:]
		}
		st, err := query.Parse(text, o)
		if err != nil {
			err = v.wrong(err)
		}
		return st, o, args, err
	}}
}

// NewViewBatch returns the verb view for mjfr batch, and a command with its flags.
func NewViewBatch(a *cli.App) (*cobra.Command, *Batch) {
	v := &viewVerb{reading: reading{App: a}}
	cmd := &cobra.Command{Use: "view"}
	f := cmd.Flags()
	f.StringArrayVarP(&v.files, "file", "f", nil, "read views from `FILE`; repeatable")
	f.StringArrayVarP(&v.parameters, "parameter", "p", nil, "set a parameter of a view, as `NAME=VALUE`; repeatable")
	v.flags(f)
	v.output.flags(f)
	b := &Batch{reading: &v.reading}
	b.ask = func(args []string) (st *query.Statement, o query.Options, rest []string, err error) {
		if len(args) == 0 {
			return nil, o, nil, cli.Usagef("name a view, as in mjfr batch view --out DIR hot-methods recordings/")
		}
		if err := cmp.Or(v.checkArgs([]string{"view", "file"}), v.load()); err != nil {
			return nil, o, nil, err
		}
		one, err := v.find(args[0], nil)
		if err != nil {
			return nil, o, nil, err
		}
		o = query.Options{Zone: time.UTC, JDK: one.IsStandard(), Exact: true} // for each format that merge writes
		b.label, b.form = one.Label, one.Form
		st, err = one.Statement(ownviews.Values(v.parameters), o)
		return st, o, args[1:], cli.Usage(err)
	}
	return cmd, b
}

// Question returns what the flags and arguments ask of recordings, and which arguments are inputs.
func (b *Batch) Question(_ *cobra.Command, args []string) (batch.Question, []string, error) {
	if err := cmp.Or(b.output.check(), b.Check(), b.checkLive()); err != nil {
		return nil, nil, err
	}
	if b.jvm != "" {
		return nil, nil, cli.Usagef("--live asks a JVM; mjfr batch reads recordings")
	}
	st, o, rest, err := b.ask(args)
	if err != nil {
		return nil, nil, err
	}
	s, err := b.OfEach()
	if err != nil {
		return nil, nil, err
	}
	q, err := batch.NewQuery(st, o, s)
	if errors.Is(err, query.ErrRows) {
		return nil, nil, cli.Usagef("the rows are events, which mjfr batch does not sum up: group them, as in select count(*) ... group by")
	}
	if q != nil {
		q.OnMisfit = func(object string, err error) {
			b.Report(fmt.Errorf("%s: %w; if no other recording has it, mjfr batch merge fails", object, err))
		}
	}
	return q, rest, b.wrong(err)
}

// Write writes the answer.
func (b *Batch) Write(_ context.Context, p *batch.Partial, title string) error {
	start, _ := p.Times()
	var result *query.Result
	total, err := p.Result()
	if err != nil {
		return err
	}
	if wrong, is := errors.AsType[*query.Error](p.Misfit()); is && wrong.NoType && b.label != "" {
		result = noRows()
		result.Notes = []string{missingText(wrong)}
	} else {
		result = total.Result()
	}
	result.Title, result.Form = b.label, b.form
	if !b.joins {
		return b.write(start.Location(), result)
	}
	if b.together == nil {
		b.together = b.writer(start.Location())
	}
	for _, note := range result.Notes {
		b.notes([]string{title + ": " + note})
	}
	if b.isForPrograms() {
		addKey(result, p.Key)
	} else {
		result.Title = strings.TrimSuffix(title+": "+result.Title, ": ")
	}
	return b.together.Write(result)
}

// addKey adds the labels of a key to a result, as its first columns.
func addKey(r *query.Result, key []batch.Label) {
	var columns []query.Column
	var values []query.Value
	for _, l := range key {
		columns = append(columns, query.Column{
			Name: l.Name, Title: l.Name, Expression: l.Name, Kind: query.Text, Layout: query.LayoutOf(query.Text, mmapjfr.NoUnit),
		})
		values = append(values, query.NewValue(l.Value))
	}
	with := func(rows iter.Seq2[[]query.Value, error]) iter.Seq2[[]query.Value, error] {
		if rows == nil {
			return nil
		}
		return func(yield func([]query.Value, error) bool) {
			var all []query.Value
			for row, err := range rows {
				all = append(append(all[:0], values...), row...)
				if !yield(all, err) {
					return
				}
			}
		}
	}
	r.Columns, r.Rows, r.All = append(columns, r.Columns...), with(r.Rows), with(r.All)
}

// Wrong returns the error of a question whose names no recording has, as wrong usage; nil for a
// view of events that there are none of.
func (b *Batch) Wrong(err error) error {
	if wrong, is := errors.AsType[*query.Error](err); is && wrong.NoType && b.label != "" {
		return nil
	}
	return b.wrong(err)
}
