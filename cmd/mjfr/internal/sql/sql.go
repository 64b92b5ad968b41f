// Package sql has the verb sql: statements in DuckDB's dialect about recordings, answered by an engine.
package sql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/labelling"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/ownviews"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/docs"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/query/views"
)

// Column is a column of a result, with its type in DuckDB; "" if that is not known.
type Column struct{ Name, Type string }

// Row returns the next row of a result: a value of each column as JSON, nil for null. It is valid until the next call.
// The error after the last row is [io.EOF].
type Row func() ([][]byte, error)

// Engine answers statements.
type Engine interface {
	// About says how, for the help.
	About() string
	// Begin is called before Prepare and Run, so that the engine can start meanwhile.
	Begin(ctx context.Context) error
	// Prepare makes tables that can be read, and returns what each is read from in SQL; "" for one without rows.
	Prepare(ctx context.Context, in *Input, tables []*columns.Table) (func(*columns.Table) string, error)
	// Run executes the setup, and then statements. It calls show for each that has a result, with its columns, which
	// are nil if the first row has to say them.
	Run(ctx context.Context, in *Input, setup string, statements []duckdb.Statement, show func([]Column, Row) error) error
	// Talk reads statements from standard input, executes them, and shows results.
	Talk(ctx context.Context, in *Input, setup string) error
	// Close is called when all is done.
	Close() error
}

// Input is what an engine reads.
type Input struct {
	App     *cli.App
	Set     *input.Set
	Catalog *duckdb.Catalog
	// Options select events, and Choice is the same as a text.
	Options columns.Options
	Choice  string
	// Lacking is set if metadata could not be read, so that event types may be missing.
	Lacking bool
	// MostText is how many characters of a value of a statement with a result are needed at most; 0 if all are.
	MostText int
	// CacheLimit is how many bytes tables may take that are kept for the next time; with 0 none is kept.
	CacheLimit int64
	// Show shows a result.
	Show func([]Column, Row) error
}

// verb is the command line.
type verb struct {
	*cli.App
	output
	sel           selection.Options
	engine        Engine
	file          string
	labels        []string
	views         []string // files
	parameters    []string // of views
	tables, about bool
	cache         cacheSize
}

// New makes the verb, with a duckdb that is found when the verb runs.
func New(a *cli.App) *cobra.Command { return NewWith(a, &program{name: "duckdb"}) }

// NewWith makes the verb with an engine.
func NewWith(a *cli.App, engine Engine) *cobra.Command {
	v := &verb{App: a, engine: engine, output: output{app: a}, cache: cacheSize{defaultCache}}
	cmd := &cobra.Command{
		Use:         "sql [flags] FILE... [STATEMENT]",
		Annotations: map[string]string{cli.RecordingsKey: "Several are the same tables."},
		Short:       "Query events with DuckDB's SQL",
		Long: `Answer a statement in the SQL of DuckDB, with joins, windows, lists and all else that it has. Event
types are tables: jdk.FileRead, "jdk.FileRead" or FileRead. Their columns are those of mjfr export;
lengths of time are in nanoseconds. The views of mjfr view are there under their names, as in
from "hot-methods", yours, too, and macros for percentiles, formats and stack frames. mjfr sql --about
describes them, and --tables lists tables and columns. The name of a view that mjfr has is enough of a
statement.

` + engine.About() + `
Without a statement, statements are read from standard input; on a terminal you are asked for them.
mjfr query has a smaller language and needs no DuckDB.

` + selection.About,
		Example: `  mjfr sql app.jfr "select path, sum(bytesRead) from FileRead group by all order by 2 desc limit 10"
  mjfr sql app.jfr hot-methods
  mjfr sql --from -10m --csv app.jfr 'select time_bucket(interval 1 second, start_time) t, max(jvmUser) from CPULoad group by t'
  mjfr sql --tables app.jfr
  mjfr sql -f report.sql --json monday.jfr tuesday.jfr
  mjfr sql app.jfr`,
		Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.about {
				_, err := fmt.Fprint(v.Stdout, docs.SQL)
				return err
			}
			ctx := cmd.Context()
			files, statement := split(args)
			return v.WithInput(ctx, files, input.Options{}, func(set *input.Set) error { return v.run(ctx, set, statement) })
		},
	}
	f := cmd.Flags()
	f.StringVarP(&v.file, "file", "f", "", "read statements from `FILE`")
	f.BoolVar(&v.tables, "tables", false, "list tables, views and their columns")
	f.BoolVar(&v.about, "about", false, "describe tables, views and macros")
	f.StringArrayVar(&v.views, "views", nil, "read views of your own from `FILE`, as mjfr view -f does; may be given several times")
	f.StringArrayVarP(&v.parameters, "parameter", "p", nil, ownviews.ParameterUsage)
	f.StringArrayVar(&v.labels, "labels", nil, labelling.Usage)
	f.Var(&v.cache, "table-cache", "tables that are kept for the next time may take this `SIZE` on the disk, such as 10GiB; 0 keeps none")
	v.output.flags(f)
	v.sel.SelectFlags(f)
	selection.HideRows(f)
	return cmd
}

// split returns the recordings and the statement among arguments: that which has a space and is no file. The name of a
// view in its place is a statement that shows the view.
func split(args []string) (files []string, statement string) {
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && statement == "" {
			if view, ok := views.Find(arg); ok {
				statement = "from " + duckdb.Quote(view.Name)
				continue
			}
			if strings.ContainsFunc(arg, unicode.IsSpace) && filepath.Ext(arg) != ".jfr" {
				statement = arg
				continue
			}
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
	switch {
	case v.sel.Limit != 0 || v.sel.Tail != 0:
		return cli.Usagef("--limit and --tail do not go with statements; LIMIT in a statement limits its rows")
	case v.file != "" && statement != "":
		return cli.Usagef("give a statement or a file with statements, not both")
	case v.tables && (v.file != "" || statement != ""):
		return cli.Usagef("--tables goes without a statement")
	case statement == "" && v.file == "" && !v.tables && slices.Contains(files, "-"):
		return cli.Usagef("standard input is the recording; give the statement as an argument, or by -f")
	case len(files) == 0 && len(args) > 0:
		return cli.Usagef(`name a recording, as in mjfr sql app.jfr "select 1"`)
	}
	return errors.Join(cli.NeedFiles(cmd, files), cmp.Or(v.output.check(), v.sel.Check(), labelling.Check(v.labels), ownviews.CheckParameters(v.parameters)))
}

func (v *verb) run(ctx context.Context, set *input.Set, statement string) (err error) {
	defer func() { err = errors.Join(err, v.engine.Close()) }()
	isTalk := statement == "" && v.file == "" && isTerminal(v.Stdin)
	if !v.tables && !isTalk {
		if err := v.engine.Begin(ctx); err != nil {
			return err
		}
	}
	in, err := v.inputOf(set)
	if err != nil {
		return err
	}
	script := statement
	switch {
	case v.tables:
		return v.listTables(in.Catalog)
	case v.file != "":
		data, err := cli.ReadFile(v.file, cli.MaxText)
		if err != nil {
			return err
		}
		script = string(data)
	case isTalk:
		need := in.Catalog.All()
		need.Only(columns.TableNames(set.Recordings, in.Options.Filters)) // events of other types are not chosen
		setup, err := v.prepare(ctx, in, need)
		if err != nil {
			return err
		}
		return v.engine.Talk(ctx, in, setup)
	case statement == "":
		data, err := cli.ReadAll(v.Stdin, "standard input", cli.MaxText)
		if err != nil {
			return err
		}
		script = string(data)
	}
	return v.execute(ctx, in, script)
}

// inputOf returns what the engine reads of recordings.
func (v *verb) inputOf(set *input.Set) (*Input, error) {
	own, err := ownviews.Read(v.App, v.views)
	if err != nil {
		return nil, err
	}
	s, err := selection.Select(v.App, set, &v.sel, nil)
	if err != nil {
		return nil, err
	}
	labels, err := labelling.Find(set, v.labels)
	if err != nil {
		return nil, err
	}
	var po print.Options
	s.Choose(&po)
	in := &Input{App: v.App, Set: set, Choice: v.sel.String(), MostText: v.mostText(), CacheLimit: int64(v.cache.Size), Show: v.show, Options: columns.Options{
		Filters: po.Filters, Where: po.Where, OnError: po.OnError,
		Name: set.Name, Labels: labels.Names, LabelValues: labels.Values,
	}}
	if in.Catalog, err = duckdb.NewCatalog(set.Recordings, columns.Options{Name: set.Name, Labels: labels.Names}); err != nil {
		in.Lacking = true
		for _, rec := range set.Recordings {
			if _, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec}); err != nil {
				v.Damage(set.Name(rec), err)
			}
		}
	}
	if err := in.Catalog.AddViews(own, ownviews.Values(v.parameters)); err != nil {
		return nil, cli.Usagef("%v", err)
	}
	return in, nil
}

// execute answers the statements of a script.
func (v *verb) execute(ctx context.Context, in *Input, script string) error {
	statements := duckdb.Split(script)
	if len(statements) == 0 {
		return cli.Usagef("there is no statement")
	}
	if err := checkEnds(in, statements[len(statements)-1]); err != nil {
		return err
	}
	setup, err := v.prepare(ctx, in, in.Catalog.Needed(script))
	if err != nil {
		return err
	}
	v.output.several = len(statements) > 1
	err = v.engine.Run(ctx, in, setup, statements, v.show)
	return errors.Join(err, v.output.close())
}

func isTerminal(in io.Reader) bool {
	w, is := in.(io.Writer)
	return is && progress.IsTerminal(w)
}

// prepare makes what scripts need, and returns the setup.
func (v *verb) prepare(ctx context.Context, in *Input, need *duckdb.Need) (string, error) {
	source, err := v.engine.Prepare(ctx, in, need.Tables)
	if err != nil {
		return "", err
	}
	return in.Catalog.SQL(need, source), nil
}
