// Package sql has the verb sql: statements about recordings in DuckDB's SQL, which a duckdb of the
// user executes.
package sql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/duckdb"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/labelling"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/docs"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// verb is the command line.
type verb struct {
	*cli.App
	sel         selection.Options
	formats     cli.TableFormats
	table       table.Options
	file        string
	labels      []string
	list, about bool

	tables  []*columns.Table
	names   []duckdb.Name // of the tables
	lacking bool          // metadata could not be read, so event types may be missing
}

// New makes the verb.
func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:         "sql [flags] FILE... [STATEMENT]",
		Annotations: map[string]string{cli.RecordingsKey: "Several files go into the same tables."},
		Short:       "Query events with DuckDB's SQL",
		Long: `Run a SQL statement on recordings with DuckDB. You need the program duckdb, version 1.4 or later, on
your PATH: install it from https://duckdb.org/install, or run pip install duckdb-cli.

Event types are tables: write jdk.FileRead, "jdk.FileRead" or FileRead. --tables lists them with their
columns. Durations are in nanoseconds. mjfr writes the tables that a statement names as Parquet files to
your cache folder, and reuses them the next time. mjfr sql --about has the details, macros and examples.

Without a statement, mjfr sql reads statements from standard input. On a terminal it starts the shell of
duckdb.

mjfr view shows the views of the JDK, such as hot-methods. mjfr query has a smaller SQL and needs no
DuckDB. mjfr export --parquet writes tables to keep, with a duckdb.sql that opens them in DuckDB.

` + selection.About,
		Example: `  mjfr sql app.jfr "select path, sum(bytesRead) from FileRead group by all order by 2 desc limit 10"
  mjfr sql --from -10m --csv app.jfr 'select time_bucket(interval 1 second, start_time) t, max(jvmUser) from CPULoad group by t'
  mjfr sql --tables app.jfr
  mjfr sql -f report.sql --json monday.jfr tuesday.jfr
  mjfr sql app.jfr`,
		Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.about {
				_, err := fmt.Fprint(v.Stdout, docs.Text("SQL.md"))
				return err
			}
			ctx := cmd.Context()
			files, statement := split(args)
			return v.WithInput(ctx, files, input.Options{}, func(set *input.Set) error { return v.run(ctx, set, statement) })
		},
	}
	f := cmd.Flags()
	f.StringVarP(&v.file, "file", "f", "", "read statements from `FILE`")
	f.BoolVar(&v.list, "tables", false, "list tables and their columns")
	f.BoolVar(&v.about, "about", false, "describe tables and macros, with examples")
	f.StringArrayVar(&v.labels, "labels", nil, labelling.Usage)
	v.formats.Flags(f, "write an array of JSON objects")
	f.Lookup("html").Usage = "write the rows of an HTML table"
	f.IntVar(&v.table.Width, "width", 0, "make tables `N` characters wide at most")
	v.sel.SelectFlags(f)
	selection.HideRows(f)
	return cmd
}

// split returns the recordings and the statement among arguments: the argument that has a space and
// is no file.
func split(args []string) (files []string, statement string) {
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && statement == "" && strings.ContainsFunc(arg, unicode.IsSpace) && filepath.Ext(arg) != ".jfr" {
			statement = arg
			continue
		}
		files = append(files, arg)
	}
	return files, statement
}

func (v *verb) args(cmd *cobra.Command, args []string) error {
	if v.about {
		return nil
	}
	files, statement := split(args)
	for _, name := range files {
		if view, ok := views.Find(name); ok {
			if _, err := os.Stat(name); err != nil {
				return cli.Usagef("%s is a view; show it by mjfr view %s FILE", name, view.Name)
			}
		}
	}
	switch {
	case v.sel.Limit != 0 || v.sel.Tail != 0:
		return cli.Usagef("mjfr sql has no --limit and --tail; write LIMIT in the statement")
	case v.file != "" && statement != "":
		return cli.Usagef("give a statement or -f, not both")
	case v.list && (v.file != "" || statement != ""):
		return cli.Usagef("--tables takes no statement")
	case statement == "" && v.file == "" && !v.list && slices.Contains(files, "-"):
		return cli.Usagef("standard input is the recording; give the statement as an argument, or by -f")
	case len(files) == 0 && len(args) > 0:
		return cli.Usagef(`name a recording, as in mjfr sql app.jfr "select 1"`)
	}
	return errors.Join(cli.NeedFiles(cmd, files), cmp.Or(v.formats.Choose(&v.table), v.sel.Check(), labelling.Check(v.labels)))
}

func (v *verb) run(ctx context.Context, set *input.Set, statement string) (err error) {
	program := ""
	if !v.list {
		if program, err = find(); err != nil {
			return err
		}
	}
	s, err := selection.Select(v.App, set, &v.sel, nil)
	if err != nil {
		return err
	}
	labels, err := labelling.Find(set, v.labels)
	if err != nil {
		return err
	}
	if err := v.describe(set, labels.Names); err != nil || v.list {
		return cmp.Or(err, v.writeTables())
	}
	isTalk := statement == "" && v.file == "" && isTerminal(v.Stdin)
	if !isTalk && statement == "" {
		if statement, err = v.read(); err != nil {
			return err
		}
		if strings.TrimSpace(statement) == "" {
			return cli.Usagef(`give a statement, as in mjfr sql app.jfr "from FileRead"`)
		}
	}
	var po print.Options
	s.Choose(&po)
	c := &tableFiles{app: v.App, set: set, choice: v.sel.String(), o: columns.Options{
		Filters: po.Filters, Where: po.Where, OnError: po.OnError,
		Name: set.Name, Labels: labels.Names, LabelValues: labels.Values,
	}}
	if err := c.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	setup, err := v.setup(ctx, c, statement, isTalk)
	if err != nil {
		return err
	}
	if isTalk {
		return v.talk(ctx, program, setup)
	}
	return v.execute(ctx, program, setup, statement)
}

// describe finds the tables of recordings, and what SQL calls them.
func (v *verb) describe(set *input.Set, labels []string) (err error) {
	if v.tables, err = columns.Tables(set.Recordings, columns.Options{Name: set.Name, Labels: labels}); err != nil {
		v.lacking = true
		for _, rec := range set.Recordings {
			if _, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec}); err != nil {
				v.Damage(set.Name(rec), err)
			}
		}
	}
	var names []string
	for _, t := range v.tables {
		names = append(names, t.Name)
	}
	v.names = duckdb.Names(names)
	return nil
}

// read reads the statements of a file, or of standard input.
func (v *verb) read() (string, error) {
	if v.file != "" {
		data, err := cli.ReadFile(v.file, cli.MaxText)
		return string(data), err
	}
	data, err := cli.ReadAll(v.Stdin, "standard input", cli.MaxText)
	return string(data), err
}

func isTerminal(in any) bool {
	w, is := in.(interface{ Write([]byte) (int, error) })
	return is && progress.IsTerminal(w)
}

// setup writes the tables that a statement names, or all, and returns the file of a script that
// shows them to DuckDB.
func (v *verb) setup(ctx context.Context, c *tableFiles, statement string, all bool) (file string, err error) {
	var wanted []string
	named := duckdb.Named(statement, v.names)
	for i, t := range v.tables {
		if named[i] = named[i] || all; named[i] {
			wanted = append(wanted, t.Name)
		}
	}
	files, err := c.files(ctx, wanted)
	if err != nil {
		return "", err
	}
	var list []duckdb.Table
	for i, t := range v.tables {
		switch path := files[t.Name]; {
		case !named[i]:
		case path == "":
			list = append(list, duckdb.Table{Name: v.names[i], From: duckdb.Empty(t)})
		default:
			list = append(list, duckdb.Table{Name: v.names[i], From: duckdb.Parquet(t.Name, path)})
		}
	}
	file = filepath.Join(c.work, "duckdb.sql")
	return file, os.WriteFile(file, []byte(duckdb.Script(list)), 0o600)
}

// writeTables lists the columns of all tables.
func (v *verb) writeTables() error {
	result := &query.Result{Rows: func(yield func([]query.Value, error) bool) {
		for i, t := range v.tables {
			for j := range t.Columns {
				c := &t.Columns[j]
				row := []query.Value{}
				for _, text := range []string{v.names[i].Full, c.Name, duckdb.TypeOf(c), c.Unit, cmp.Or(c.Description, c.Label)} {
					row = append(row, query.NewValue(strings.Join(strings.Fields(text), " ")))
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}}
	for _, name := range []string{"table", "column", "type", "unit", "description"} {
		result.Columns = append(result.Columns, query.Column{Name: name, Title: name, Kind: query.Text, Layout: query.LayoutOf(query.Text, mmapjfr.NoUnit)})
	}
	v.table.MaxWidth = v.Style.Width
	w := table.New(v.Stdout, v.table)
	return cmp.Or(w.Write(result), w.Close())
}

// find returns the path of the program duckdb.
func find() (string, error) {
	path, err := exec.LookPath("duckdb")
	if err != nil {
		return "", errors.New("duckdb is not on your PATH; install it from https://duckdb.org/install or with pip install duckdb-cli, use mjfr query, which needs no DuckDB, or write tables for other programs with mjfr export --parquet")
	}
	return path, nil
}
