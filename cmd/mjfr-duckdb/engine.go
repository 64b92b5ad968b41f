package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// engine is DuckDB in this process, with recordings as tables.
type engine struct {
	ctx       context.Context // of the program: it is over when the user interrupts it
	in        *sqlverb.Input
	connector *duckdb.Connector
	db        *sql.DB
	conn      *sql.Conn

	mu      sync.Mutex
	opened  map[string]*recordings // by the names that jfr('app.jfr', ...) gets
	mine    *recordings            // those of the command line
	filters filters                // of the statement that is executed; nil if they are not known
}

// About implements sqlverb.Engine.
func (e *engine) About() string {
	return `DuckDB is in this program, and reads the recordings themselves. Besides the tables there is
jfr('other.jfr', 'jdk.FileRead'), the events of a type of any recordings: files, packed ones, patterns,
URLs, or a list of those; with "from" := '-10s', "to" := '50%', "where" := 'bytesRead > 1MB' and
thread := 'http-*', as the options have them.
`
}

// Begin implements sqlverb.Engine: DuckDB needs the catalog.
func (e *engine) Begin(context.Context) error { return nil }

// open starts DuckDB.
func (e *engine) open(ctx context.Context, in *sqlverb.Input) (err error) {
	e.ctx, e.in = ctx, in
	if e.connector, err = duckdb.NewConnector("", nil); err != nil {
		return err
	}
	e.db = sql.OpenDB(e.connector)
	if e.conn, err = e.db.Conn(ctx); err != nil {
		return err
	}
	duckdb.RegisterReplacementScan(e.connector, func(table string) (string, []any, error) {
		if t := in.Catalog.Table(table); t != nil {
			return "events", []any{t.Name}, nil
		}
		return "", nil, nil
	})
	if err := e.register(); err != nil {
		return err
	}
	_, err = e.conn.ExecContext(ctx, ofAnyFile)
	return err
}

// Prepare implements sqlverb.Engine: nothing is read before DuckDB asks for it.
func (e *engine) Prepare(ctx context.Context, in *sqlverb.Input, _ []*columns.Table) (func(*columns.Table) string, error) {
	if err := e.open(ctx, in); err != nil {
		return nil, err
	}
	return func(t *columns.Table) string { return "events(" + names.Text(t.Name) + ")" }, nil
}

// Close implements sqlverb.Engine.
func (e *engine) Close() error {
	var errs []error
	if e.conn != nil {
		errs = append(errs, e.conn.Close())
	}
	if e.db != nil {
		errs = append(errs, e.db.Close())
	}
	for _, name := range slices.Sorted(maps.Keys(e.opened)) {
		errs = append(errs, e.opened[name].set.Close())
	}
	return errors.Join(errs...)
}

// Run implements sqlverb.Engine.
func (e *engine) Run(ctx context.Context, in *sqlverb.Input, setup string, statements []names.Statement, show func([]sqlverb.Column, sqlverb.Row) error) error {
	if _, err := e.conn.ExecContext(ctx, setup); err != nil {
		return fmt.Errorf("DuckDB: %w", err)
	}
	for _, s := range statements {
		if err := e.answer(ctx, s, show); err != nil {
			return err
		}
	}
	return nil
}

// answer executes a statement and shows its rows. Scans that it has not read to their end are over then.
func (e *engine) answer(ctx context.Context, st names.Statement, show func([]sqlverb.Column, sqlverb.Row) error) error {
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(errOver)
	var list []sqlverb.Column
	statement, before := st.Text, 0
	if describe := names.Describe(statement); describe != "" {
		var err error
		if list, err = e.describe(own, describe); err != nil {
			return e.wrong(ctx, err, st, 1)
		}
		e.narrow(e.filtersOf(own, statement))
		defer e.narrow(nil)
		statement, before = asTexts(statement, list, e.in.MostText), 1
	}
	rows, err := e.conn.QueryContext(own, statement)
	if err != nil {
		return e.wrong(ctx, err, st, before)
	}
	defer rows.Close()
	titles, err := rows.Columns()
	if err != nil {
		return e.wrong(ctx, err, st, before)
	}
	if list == nil {
		if len(titles) == 0 || len(titles) == 1 && (titles[0] == "Count" || titles[0] == "Success") {
			return e.wrong(ctx, rows.Err(), st, before) // it has no result, and how many rows it has changed is none
		}
		for _, t := range titles {
			list = append(list, sqlverb.Column{Name: t, Type: "VARCHAR"})
		}
	}
	r := &reading{rows: rows, list: list, texts: make([]any, len(list)), cells: make([][]byte, len(list))}
	if names.IsExplain(st.Text) {
		err = r.plan(show)
	} else {
		err = show(list, r.next)
	}
	if _, is := errors.AsType[*duckdb.Error](err); is || errors.Is(err, context.Canceled) {
		return e.wrong(ctx, err, st, before)
	}
	return err
}

// plan shows what EXPLAIN says, in rows of a key and a text of many lines.
func (r *reading) plan(show func([]sqlverb.Column, sqlverb.Row) error) error {
	var text strings.Builder
	for r.rows.Next() {
		var key, value string
		if err := r.rows.Scan(&key, &value); err != nil {
			return err
		}
		text.WriteString(value + "\n")
	}
	if err := r.rows.Err(); err != nil {
		return err
	}
	return sqlverb.ShowPlan(text.String(), show)
}

// errOver ends scans of statements that are over.
var errOver = errors.New("the statement is over")

// wrong returns the error of a statement.
func (e *engine) wrong(ctx context.Context, err error, st names.Statement, before int) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return nil
	}
	return sqlverb.Wrong(e.in, err.Error(), st, before)
}

// describe returns the columns that a statement describes.
func (e *engine) describe(ctx context.Context, statement string) (list []sqlverb.Column, err error) {
	rows, err := e.conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c sqlverb.Column
		var rest [4]any
		if err := rows.Scan(&c.Name, &c.Type, &rest[0], &rest[1], &rest[2], &rest[3]); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// asTexts returns a statement whose values are texts, as DuckDB writes them; nested ones are JSON. Of each it has the first
// characters, if most says how many: a text can be as long as memory is large, and several copies of it are made here.
func asTexts(statement string, list []sqlverb.Column, most int) string {
	var values, titles []string
	for i, c := range list {
		name := fmt.Sprintf("c%d", i)
		titles = append(titles, name)
		if isNested(c.Type) {
			name = "to_json(" + name + ")"
		}
		if name = "CAST(" + name + " AS VARCHAR)"; most > 0 {
			name = fmt.Sprintf("left(%s, %d)", name, most)
		}
		values = append(values, name)
	}
	return "SELECT " + strings.Join(values, ", ") + " FROM (\n" + statement + "\n) AS t(" + strings.Join(titles, ", ") + ")"
}

func isNested(typ string) bool {
	return strings.HasSuffix(typ, "]") || strings.HasPrefix(typ, "STRUCT(") || strings.HasPrefix(typ, "MAP(") || strings.HasPrefix(typ, "UNION(") || typ == "JSON"
}

// reading is the rows of a result.
type reading struct {
	rows  *sql.Rows
	list  []sqlverb.Column
	texts []any
	cells [][]byte
}

// next implements sqlverb.Row.
func (r *reading) next() ([][]byte, error) {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	for i := range r.texts {
		r.texts[i] = new(any)
	}
	if err := r.rows.Scan(r.texts...); err != nil {
		return nil, err
	}
	for i, p := range r.texts {
		r.cells[i] = cellOf(*p.(*any), r.list[i].Type)
	}
	return r.cells, nil
}

// cellOf returns a value as JSON.
func cellOf(v any, typ string) []byte {
	if v == nil {
		return nil
	}
	text := fmt.Sprint(v)
	if isNested(typ) || sqlverb.IsNumber(typ) || typ == "BOOLEAN" {
		return []byte(text)
	}
	return jsonout.AppendString(nil, text)
}

// Talk implements sqlverb.Engine.
func (e *engine) Talk(ctx context.Context, in *sqlverb.Input, setup string) error {
	if _, err := e.conn.ExecContext(ctx, setup); err != nil {
		return fmt.Errorf("DuckDB: %w", err)
	}
	lines, script := bufio.NewScanner(in.App.Stdin), ""
	lines.Buffer(nil, 16<<20)
	prompt := func() {
		if script == "" {
			fmt.Fprint(in.App.Stdout, "mjfr> ")
		} else {
			fmt.Fprint(in.App.Stdout, "  ... ")
		}
	}
	for prompt(); lines.Scan(); prompt() {
		if script += lines.Text() + "\n"; strings.TrimSpace(script) == "" {
			script = ""
		}
		if !names.IsComplete(script) || script == "" {
			continue
		}
		for _, s := range names.Split(script) {
			if err := e.answer(ctx, s, in.Show); err != nil {
				if ctx.Err() != nil {
					return err
				}
				in.App.Report(err)
				break
			}
		}
		script = ""
	}
	fmt.Fprintln(in.App.Stdout)
	return lines.Err()
}
