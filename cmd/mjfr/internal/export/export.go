// Package export has the verb that writes events as tables.
package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/labelling"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/docs"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// verb is the command line.
type verb struct {
	*cli.App
	sel                   selection.Options
	parquet, csv, ndjson  string
	partition             string
	labels                []string
	inline, force, asJSON bool
	spreadsheetSafe       bool
	about                 bool
	labelled              *labelling.Labels
}

// New makes the verb.
func New(a *cli.App) *cobra.Command {
	v := verb{App: a}
	cmd := &cobra.Command{
		Use:         "export [flags] FILE...",
		Annotations: map[string]string{cli.RecordingsKey: "Several files go into the same tables."},
		Short:       "Write events as tables: Parquet, CSV or NDJSON",
		Long: `Write the events of FILE as tables to a folder: a file for each event type, and _stacks, _frames,
_threads, _classes and _recording. Rows are in time order. mjfr export --about describes
tables, columns and values.

Durations are in nanoseconds; unknown and infinite ones are null. Structs become columns with
dots in their names. Equal stacks have the same stack_id in all files, so that you can join and
count stacks of many recordings.

With --parquet, duckdb.sql opens the tables in DuckDB: event types are views, and macros read
stacks (mjfr sql --about).

You can export one event type after another into a folder. Existing files are kept unless you
give --force. _stacks and the like get further files, _stacks.HASH.parquet; read them all as
'_stacks*.parquet'.

--labels names parts of paths, a system property of the JVM (service=prop:service.name) or an
environment variable (service=env:SERVICE). Folders such as service=shop are labels, too. The
table _recording has a column for each label.

--partition sorts the tables into folders, as in service={service}/date={date}. A name in
braces is a label, {prop:NAME}, {env:NAME}, or {date} or {hour} when the recording began (UTC).

` + selection.About,
		Example: `  mjfr export --parquet tables app.jfr
  mjfr export --parquet gc --events 'GC*,GarbageCollection' --from -10m app.jfr
  mjfr export --parquet lake --labels '{service}/{day}/{host}/*.jfr' --partition 'service={service}/date={date}' logs/*/*/*/*.jfr
  mjfr export --csv tables --thread 'http-*' app.jfr.gz
  duckdb -init tables/duckdb.sql -c 'select top_frame, count(*) from ExecutionSample group by 1 order by 2 desc'`,
		Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.about {
				_, err := fmt.Fprint(v.Stdout, docs.Text("COLUMNS.md"))
				return err
			}
			ctx := cmd.Context()
			return v.WithInput(ctx, args, input.Options{Open: v.sel.Reading()}, func(set *input.Set) error { return v.run(ctx, set) })
		},
	}
	f := cmd.Flags()
	v.tableFlags(f)
	f.StringVar(&v.partition, "partition", "", "sort files into folders by this `TEMPLATE`, as in service={service}/date={date}")
	f.StringArrayVar(&v.labels, "labels", nil, labelling.Usage)
	f.BoolVar(&v.force, "force", false, "replace existing files")
	f.BoolVar(&v.asJSON, "json", false, "print a JSON document that lists the files")
	f.BoolVar(&v.about, "about", false, "describe tables, columns and values")
	return cmd
}

// tableFlags adds the flags about tables, and what of events they have.
func (v *verb) tableFlags(f *pflag.FlagSet) {
	f.StringVar(&v.parquet, "parquet", "", "write Parquet files to this `FOLDER`")
	f.StringVar(&v.csv, "csv", "", "write CSV files to this `FOLDER`")
	f.StringVar(&v.ndjson, "ndjson", "", "write NDJSON files to this `FOLDER`")
	f.BoolVar(&v.spreadsheetSafe, "spreadsheet-safe", false, selection.SpreadsheetUsage)
	v.sel.SelectFlags(f)
	selection.HideRows(f)
	f.BoolVar(&v.inline, "inline-stacks", false, "add the frames of stacks to the rows of events")
}

// args checks the command line.
func (v *verb) args(cmd *cobra.Command, args []string) error {
	if v.about {
		return nil
	}
	if err := v.checkTables(cmd); err != nil {
		return err
	}
	if err := checkPartition(v.partition); err != nil {
		return err
	}
	if err := labelling.Check(v.labels); err != nil {
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("no recording given: name one after the folder, as in %s --parquet tables app.jfr", cmd.CommandPath())
	}
	return nil
}

// checkTables checks the flags of tableFlags.
func (v *verb) checkTables(cmd *cobra.Command) error {
	given := 0
	for _, dir := range []string{v.parquet, v.csv, v.ndjson} {
		if dir != "" {
			given++
		}
	}
	switch {
	case given == 0:
		return cli.Usagef("say what to write, and where, as in %s --parquet tables app.jfr", cmd.CommandPath())
	case v.sel.Limit != 0 || v.sel.Tail != 0:
		return cli.Usagef("export has no --limit and --tail; use --from and --to")
	case slices.Contains([]string{v.parquet, v.csv, v.ndjson}, "-"):
		return cli.Usagef("name a folder to write tables to; to write rows to the standard output, use mjfr print --csv or --ndjson")
	case given > 1:
		return cli.Usagef("give one of --parquet, --csv and --ndjson")
	case v.spreadsheetSafe && v.csv == "":
		return cli.Usagef("--spreadsheet-safe is for --csv")
	}
	return v.sel.Check()
}

// format returns the format, and the folder that is named.
func (v *verb) format() (f columns.Format, dir string) {
	switch {
	case v.spreadsheetSafe:
		return columns.SpreadsheetCSV, v.csv
	case v.csv != "":
		return columns.CSV, v.csv
	case v.ndjson != "":
		return columns.NDJSON, v.ndjson
	}
	return columns.Parquet, v.parquet
}

// document is what --json prints.
type document struct {
	Folders []folder `json:"folders"`
}

type folder struct {
	Path   string  `json:"path"`
	Tables []table `json:"tables"`
}

type table struct {
	File string `json:"file"`
	Rows int64  `json:"rows"`
	// OutOfOrder is the number of rows that begin before an earlier row.
	OutOfOrder int64 `json:"rowsOutOfOrder"`
}

// garbage is how much garbage there may be, in percent of what is in use: rows that wait are most
// of that, and collecting costs little beside writing them.
const garbage = 50

func (v *verb) run(ctx context.Context, set *input.Set) error {
	s, err := selection.Select(v.App, set, &v.sel, nil)
	if err != nil {
		return err
	}
	var po print.Options
	s.Choose(&po)
	if err := v.label(set); err != nil {
		return err
	}
	format, dir := v.format()
	folders, err := v.folders(set, dir)
	if err != nil {
		return err
	}
	for _, p := range folders {
		if err := v.check(set, p, format, po.Filters); err != nil {
			return err
		}
	}
	defer cli.SetGCPercent(garbage)()
	bar := v.Progress("exporting", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	var d document
	for _, p := range folders {
		f, err := v.fill(ctx, p, format, v.options(set, &po, bar.Add))
		if err != nil {
			return err
		}
		d.Folders = append(d.Folders, f)
	}
	bar.Done()
	if err := s.ReportIfEmpty(ctx); err != nil {
		return err
	}
	return v.show(d)
}

// fill writes the tables of a folder.
func (v *verb) fill(ctx context.Context, p *destination, format columns.Format, o columns.Options) (f folder, err error) {
	to := &tableFolder{dir: p.dir, format: format, force: v.force}
	defer func() { err = errors.Join(err, to.remove()) }()
	report, err := columns.Export(ctx, p.recordings, format, to.sink, o)
	if ctx.Err() != nil {
		return f, context.Cause(ctx)
	}
	if err != nil {
		return f, err
	}
	names, err := to.place(report)
	if err == nil {
		err = to.writeScript()
	}
	f.Path = p.dir
	for i, t := range report.Tables {
		f.Tables = append(f.Tables, table{names[i], t.Rows, t.Late})
	}
	return f, err
}

// options returns the options of an export.
func (v *verb) options(set *input.Set, po *print.Options, progress func(uint64)) columns.Options {
	return columns.Options{
		Filters: po.Filters, Where: po.Where, InlineStacks: v.inline, Labels: v.labelled.Names, LabelValues: v.labelled.Values,
		Name:    set.Name,
		OnError: po.OnError, Progress: progress,
	}
}

// check returns an error if a file would replace one that is there.
func (v *verb) check(set *input.Set, p *destination, format columns.Format, filters []mmapjfr.Filter) error {
	names := columns.TableNames(p.recordings, filters)
	for _, name := range names {
		path := filepath.Join(p.dir, columns.FileName(name, format))
		if err := cli.CheckOut(path, v.force || isReference(name)); err != nil {
			return err
		}
		for _, rec := range set.Recordings {
			if cli.IsAmong(path, []string{set.Path(rec)}) {
				return fmt.Errorf("%s: that is the recording; name another folder", path)
			}
		}
	}
	if info, err := os.Stat(p.dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: it is not a folder", p.dir)
	}
	return (&tableFolder{dir: p.dir, format: format, force: v.force}).checkScript()
}

// show says what was written.
func (v *verb) show(d document) error {
	if v.asJSON {
		return v.WriteJSON(d)
	}
	for _, f := range d.Folders {
		rows, tables := int64(0), 0
		for _, t := range f.Tables {
			if !strings.HasPrefix(t.File, "_") {
				rows += t.Rows
				tables++
			}
		}
		text := fmt.Sprintf("%s: %s of %s", f.Path, terminal.CountOf(uint64(rows), "event"), terminal.CountOf(uint64(tables), "type"))
		if _, err := fmt.Fprintln(v.Stdout, terminal.Printable(text)); err != nil {
			return err
		}
	}
	return nil
}
