// Package sqlverb is the verb sql of mjfr for programs that answer statements with an engine of their own. The module
// cmd/mjfr-duckdb needs it, because DuckDB in a program needs a compiler of C, and mjfr does not.
package sqlverb

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/sql"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// These are what the verb asks of an engine, see the verb.
type (
	// Engine answers statements.
	Engine = sql.Engine
	// Input is what an engine reads.
	Input = sql.Input
	// Column is a column of a result.
	Column = sql.Column
	// Row returns the next row of a result.
	Row = sql.Row
)

// Wrong returns the error of a statement from what DuckDB says, which got it after some other lines.
func Wrong(in *Input, said string, st duckdb.Statement, before int) error {
	return sql.Wrong(in, said, st, before)
}

// ShowPlan shows what EXPLAIN says.
func ShowPlan(text string, show func([]Column, Row) error) error { return sql.ShowPlan(text, show) }

// IsNumber reports whether a type of DuckDB is one of numbers.
func IsNumber(typ string) bool { return sql.IsNumber(typ) }

// Main runs a program that is the verb, with an engine. It does not return.
func Main(name string, engine Engine) {
	cli.DelayGC()
	cli.KeepBrokenPipes()
	ctx, stop := signal.NotifyContext(context.Background(), cli.Endings()...)
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) }) // a second signal ends the process at once
	os.Exit(Run(ctx, name, engine, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run runs such a program, and returns its exit code.
func Run(ctx context.Context, name string, engine Engine, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &cli.App{Stdin: stdin, Stdout: stdout, Stderr: stderr, Root: root(name, engine)}
	return a.Run(ctx, args)
}

// root returns what makes the command of such a program.
func root(name string, engine Engine) func(a *cli.App) *cobra.Command {
	return func(a *cli.App) *cobra.Command {
		program, verb := a.NewRoot(name), sql.NewWith(a, engine)
		own := func(text string) string { return strings.ReplaceAll(text, "mjfr sql", name) }
		program.Use = name + strings.TrimPrefix(verb.Use, "sql")
		program.Short, program.Long, program.Example = verb.Short, own(verb.Long), own(verb.Example)
		program.Args, program.RunE = verb.Args, verb.RunE
		program.Flags().AddFlagSet(verb.Flags())
		return a.Prepare(program)
	}
}
