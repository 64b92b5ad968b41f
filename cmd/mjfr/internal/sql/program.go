package sql

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// program is DuckDB's command line program, which reads tables from Parquet files.
type program struct {
	name   string // or path
	tables *tables
	runs   *running // nil if it has not been started
}

// running is a run of the program, which waits for its script.
type running struct {
	cmd    *exec.Cmd
	script io.WriteCloser
	out    io.Reader
	said   *tail
}

// About implements Engine.
func (p *program) About() string {
	return `The statement is executed by the program duckdb, which must be on your PATH: see
https://duckdb.org/install, or pip install duckdb-cli. Event types that the statement names are
written as Parquet files, which are kept in the user's cache folder, by the content of the recordings,
for the next time. The program mjfr-duckdb, which go build makes in cmd/mjfr-duckdb of the sources, has
DuckDB in itself, and reads recordings without such files.
`
}

// find returns the path of the program.
func (p *program) find() (string, error) {
	path, err := exec.LookPath(p.name)
	if err != nil {
		return "", errors.New("the program duckdb is needed, and it is not on your PATH: get it from https://duckdb.org/install, or by pip install duckdb-cli; or build mjfr-duckdb, which has DuckDB in itself, in cmd/mjfr-duckdb of the sources of mjfr; mjfr query answers questions in a smaller SQL without it")
	}
	return path, nil
}

// Begin implements Engine: the program starts while tables are made.
func (p *program) Begin(ctx context.Context) (err error) {
	path, err := p.find()
	if err != nil {
		return err
	}
	r := &running{said: &tail{}}
	r.cmd = exec.CommandContext(ctx, path, "-init", os.DevNull, "-batch", "-bail", "-json", ":memory:") // not the user's own beginning
	r.cmd.Stderr = r.said
	if r.script, err = r.cmd.StdinPipe(); err != nil {
		return err
	}
	if r.out, err = r.cmd.StdoutPipe(); err != nil {
		return err
	}
	if err := r.cmd.Start(); err != nil {
		return err
	}
	p.runs = r
	return nil
}

// Prepare implements Engine: it writes Parquet files that are not there yet.
func (p *program) Prepare(ctx context.Context, in *Input, list []*columns.Table) (source func(*columns.Table) string, err error) {
	if len(list) == 0 {
		return func(*columns.Table) string { return "" }, nil
	}
	if p.tables, err = openTables(ctx, in); err != nil {
		return nil, err
	}
	if err := p.tables.add(ctx, list); err != nil {
		return nil, err
	}
	return func(t *columns.Table) string {
		path, _ := p.tables.path(t.Name)
		if path == "" {
			return ""
		}
		return "read_parquet(" + duckdb.Text(escapeGlob(path)) + ")"
	}, nil
}

// escapeGlob protects characters that mean several files in names.
func escapeGlob(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// Close implements Engine.
func (p *program) Close() error {
	if p.runs != nil { // it got no script
		_ = p.runs.cmd.Process.Kill()
		_ = p.runs.cmd.Wait()
	}
	if p.tables == nil {
		return nil
	}
	return p.tables.close()
}

// command returns a run of the program for the user, that begins with a setup, instead of the user's own.
func (p *program) command(ctx context.Context, setup string) (cmd *exec.Cmd, remove func(), err error) {
	if err := checkLines(setup); err != nil {
		return nil, nil, err
	}
	path, err := p.find()
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "mjfr-sql-*")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	file := filepath.Join(dir, "setup.sql")
	if err := os.WriteFile(file, []byte(setup), 0o600); err != nil {
		remove()
		return nil, nil, err
	}
	return exec.CommandContext(ctx, path, "-init", file), remove, nil
}

// checkLines returns an error for a setup in which the shell could find a command of its own. It reads lines, up to a
// byte 0, and a line that begins with a point may be a command, such as one that runs programs. [duckdb.Quote] and
// [duckdb.Text] keep what recordings say from making one; this holds also if something is written without them.
func checkLines(setup string) error {
	if i := strings.IndexFunc(setup, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
		return fmt.Errorf("the tables are not given to duckdb, because their SQL has the control character %q", setup[i])
	}
	for line := range strings.Lines(setup) {
		if line = strings.TrimLeft(line, " "); line != "" && strings.IndexByte(".#/!", line[0]) >= 0 {
			return fmt.Errorf("the tables are not given to duckdb, because a line of their SQL begins with %c", line[0])
		}
	}
	return nil
}

// between is what separates the results of statements.
const between = "\n.print 0\n"

// end ends a statement, whose last line may be a comment.
const end = "\n;" + between

// Run implements Engine.
func (p *program) Run(ctx context.Context, in *Input, setup string, statements []duckdb.Statement, show func([]Column, Row) error) error {
	if err := checkLines(setup); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString(setup + between)
	for _, s := range statements {
		plain := duckdb.Plain(s.Text)
		if d := duckdb.Describe(plain); d != "" {
			script.WriteString(d + end)
		} else {
			script.WriteString(between)
		}
		script.WriteString(plain + end)
	}
	run := p.runs
	p.runs = nil
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(run.script, script.String()) // if the program ends before, it says why
		_ = run.script.Close()
	}()
	r := &results{in: bufio.NewReaderSize(run.out, 1<<20), mostText: in.MostText}
	reading := r.all(statements, show)
	if reading != nil {
		_, _ = io.Copy(io.Discard, run.out) // so that it ends
	}
	ended, said := run.cmd.Wait(), run.said
	<-written
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case reading != nil && !errors.Is(reading, io.ErrUnexpectedEOF):
		return reading
	case said.Len() > 0 && (ended != nil || reading != nil):
		return Wrong(in, said.String(), statements[r.statement], r.before)
	case ended != nil:
		return fmt.Errorf("duckdb: %w", ended)
	}
	return reading
}

// all shows the results of statements, each after its description.
func (r *results) all(statements []duckdb.Statement, show func([]Column, Row) error) error {
	if c, err := r.next(); err != nil {
		return unexpected(err)
	} else if c == '[' {
		return errOutput // of the setup, which has no result
	}
	for i, s := range statements {
		var list []Column
		r.statement, r.before = i, min(1, len(duckdb.Describe(s.Text))) // DESCRIBE has a line of its own
		if err := r.each(func() (err error) { list, err = r.described(); return err }); err != nil {
			return err
		}
		r.before = 0
		if duckdb.IsExplain(s.Text) {
			if err := r.plan(show); err != nil {
				return err
			}
			continue
		}
		if err := r.each(func() error { return r.shown(list, show) }); err != nil {
			return err
		}
	}
	return nil
}

// each calls do with each array up to the number after them.
func (r *results) each(do func() error) error {
	for {
		c, err := r.next()
		if err != nil {
			return unexpected(err)
		}
		if c != '[' {
			return nil
		}
		if err := do(); err != nil {
			return err
		}
	}
}

// plan shows what EXPLAIN writes, which is a text whatever the format, up to the number after it.
func (r *results) plan(show func([]Column, Row) error) error {
	var text strings.Builder
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			return unexpected(err)
		}
		if strings.TrimRight(line, "\r\n") == "0" {
			break
		}
		if text.WriteString(line); text.Len() > most {
			return errOutput
		}
	}
	return ShowPlan(text.String(), show)
}

// described reads the result of DESCRIBE.
func (r *results) described() (list []Column, err error) {
	for {
		cells, err := r.row()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if len(cells) < 2 {
			return nil, errOutput
		}
		list = append(list, Column{unquoted(cells[0]), unquoted(cells[1])})
	}
}

// shown shows an array. Without a description the first row says which columns there are.
func (r *results) shown(list []Column, show func([]Column, Row) error) error {
	first, err := r.row()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if list == nil {
		for i, name := range r.names {
			c := Column{Name: name, Type: "VARCHAR"}
			if first[i] != nil && first[i][0] != '"' {
				c.Type = "DOUBLE"
			}
			list = append(list, c)
		}
	}
	started := false
	if err := show(list, func() ([][]byte, error) {
		if !started {
			started = true
			return fitting(list, first, err)
		}
		cells, err := r.row()
		return fitting(list, cells, err)
	}); err != nil {
		return err
	}
	for !r.ended { // what was not asked for
		if _, err := r.row(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// fitting returns a row with a cell for each column. Large and decimal numbers, which duckdb puts into quotes, lose those.
func fitting(list []Column, cells [][]byte, err error) ([][]byte, error) {
	if err == nil && len(cells) != len(list) {
		err = errOutput
	}
	for i, c := range cells {
		if err == nil && len(c) > 2 && c[0] == '"' && IsNumber(list[i].Type) {
			cells[i] = bytes.Trim(c, `"`)
		}
	}
	return cells, err
}

// Talk implements Engine: duckdb does.
func (p *program) Talk(ctx context.Context, in *Input, setup string) error {
	cmd, remove, err := p.command(ctx, setup)
	if err != nil {
		return err
	}
	defer remove()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.App.Stdin, in.App.Screen, in.App.Stderr
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	return context.Cause(ctx)
}

// tail keeps the end of what a program says.
type tail struct{ bytes.Buffer }

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	if t.Len() > 1<<16 {
		t.Next(t.Len() / 2)
	}
	return t.Buffer.Write(b)
}
