// Package query has the verbs query and view: answers to questions about recordings, as tables.
package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// reading is what both verbs do: read recordings for statements, and write the answers.
type reading struct {
	*cli.App
	selection.Options
	output
	jvm      string // or a repository, that --live names
	every    time.Duration
	settings live.Options // for the JVM
	noted    []string     // what notes has written
}

// verb is mjfr query with its flags.
type verb struct {
	reading
	file    string
	explain bool
}

// New makes the verb query.
func New(a *cli.App) *cobra.Command {
	v := &verb{reading: reading{App: a}}
	cmd := &cobra.Command{
		Use:   "query [flags] STATEMENT FILE...",
		Short: "Query events with SQL",
		Long: `Query events with SQL. Event types are tables, their fields are columns. Clauses come in any
order, and names need no quotes:

` + query.About + `

mjfr help query-language describes the language. mjfr view has prepared queries. For joins and
subqueries, use mjfr sql.

` + aboutLive + `
` + selection.About,
		Example: `  mjfr query 'from jdk.FileRead select path, count(*), sum(bytesRead) as bytes group by path order by bytes desc limit 10' app.jfr
  mjfr query 'select time(10s), p99(duration), max(duration) from SocketRead group by time(10s)' app.jfr
  mjfr query 'select eventThread, count(*) from jdk.* where duration > 10ms group by eventThread' app.jfr
  mjfr query 'from JavaMonitorEnter during jdk.GarbageCollection select monitorClass, count(*) group by all' app.jfr
  mjfr query --json -f slow.sql repository/
  mjfr query --explain 'select * from CPULoad' app.jfr
  mjfr query --live 4711 --every 10s 'select max(jvmUser) from CPULoad'`,
		Args: func(cmd *cobra.Command, args []string) error { return v.checkArgs(args) },
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return cmp.Or(v.output.check(), v.Options.Check(), v.checkLive())
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVarP(&v.file, "file", "f", "", "read the query from `FILE`")
	f.BoolVar(&v.explain, "explain", false, "show how the query would run, without running it")
	v.flags(f)
	v.output.flags(f)
	selection.HideRows(f)
	return cmd
}

// checkArgs checks that there are a statement and recordings.
func (v *verb) checkArgs(args []string) error {
	statements := btoi(v.file == "")
	switch {
	case len(args) < statements:
		return cli.Usagef(`give a statement, as in mjfr query 'select count(*) from jdk.*' app.jfr`)
	case statements == 1 && len(args) > 1 && isFile(args[0]) && !isFile(args[1]):
		return cli.Usagef("the statement comes first: mjfr query 'select ...' %s", args[0])
	case len(args) == statements && v.jvm == "":
		return cli.Usagef("name a recording after the statement, or a JVM with --live")
	case len(args) > statements && v.jvm != "":
		return cli.Usagef("--live asks one JVM, and no recordings")
	}
	return nil
}

// isFile reports whether an argument is the name of a recording that is there: it was not meant to
// be a statement or view.
func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (v *verb) run(ctx context.Context, args []string) error {
	text, files := "", args
	if v.file == "" {
		text, files = args[0], args[1:]
	} else {
		data, err := cli.ReadFile(v.file, cli.MaxText) // parsing says what is too long for a statement
		if err != nil {
			return err
		}
		text = string(data)
	}
	if v.jvm != "" {
		st, err := query.Parse(text, query.Options{})
		if err != nil {
			return v.wrong(err)
		}
		return v.follow(ctx, st, query.Options{}, "", false)
	}
	return v.read(ctx, files, func(s *session) error {
		st, err := query.Parse(text, s.options)
		if err != nil {
			return v.wrong(err)
		}
		plan, err := s.plan(st, s.options)
		if err != nil {
			return s.wrong(err)
		}
		if v.explain {
			_, err := v.Stdout.Write([]byte(plan.Explain()))
			return err
		}
		found, err := s.answer(ctx, []*query.Plan{plan})
		if err != nil {
			return err
		}
		result := found[0].Result()
		if err := v.write(s.options.Zone, result); err != nil {
			return err
		}
		if plan.ShowsNone() {
			return nil
		}
		s.notesOfThrottles(ctx, plan)
		explained, err := s.reportIfEmpty(ctx, isEmpty(result), plan)
		if err == nil && !explained && !s.sel.IsEmpty() && hasNoRows(result) {
			s.Notice("no rows: no event meets the conditions; mjfr types lists what the recording has")
		}
		return err
	})
}

// wrong returns the error of a statement as wrong usage, after it has written the line of the
// statement with a caret under the place.
func (r *reading) wrong(err error) error {
	e, is := errors.AsType[*query.Error](err)
	if !is {
		return cli.Usage(err)
	}
	n, character := e.Position()
	line := []rune(strings.ReplaceAll(strings.Split(e.Text, "\n")[n-1], "\t", " "))
	const most = 60 // characters before the place, and after it
	from, to := max(0, character-1-most), min(len(line), character-1+most)
	if from == to {
		return cli.Usage(err) // the end of a statement of several lines
	}
	fmt.Fprint(r.Stderr, terminal.Excerpt("", string(line[from:to]), character-1-from))
	return cli.Usage(err)
}

// wrong returns the error of a plan. It is no wrong usage if event types may be missing.
func (s *session) wrong(err error) error {
	usage := s.reading.wrong(err)
	if s.lacking == nil {
		return usage
	}
	return errors.Join(s.lacking, err)
}

// plan plans a statement for the event types that are selected. An error about a type that is there
// says why it is not.
func (s *session) plan(st *query.Statement, o query.Options) (*query.Plan, error) {
	plan, err := st.PlanWith(s.index, o)
	if wrong, ok := errors.AsType[*query.Error](err); ok && wrong.NoType && len(s.Threads) > 0 {
		all, _ := mmapjfr.EventTypes(s.set.Recordings)
		if _, err := st.Plan(all, o); err == nil {
			wrong.Message = "--thread leaves out types whose events have no thread, and of the others " + wrong.Message
		}
	}
	return plan, err
}

// session is open recordings, and what is selected of them.
type session struct {
	*reading
	set     *input.Set
	types   []mmapjfr.Type
	index   *query.TypeIndex // of types
	lacking error            // why event types may be missing; nil if all metadata could be read
	options query.Options
	chosen  print.Options
	sel     *selection.Selection
}

// read opens recordings, and calls do with them.
func (r *reading) read(ctx context.Context, files []string, do func(s *session) error) error {
	// What chunks need in memory has few pointers: to collect it early costs little, and keeps it
	// small.
	defer cli.SetGCPercent(25)()
	defer cli.LimitMemory(86 << 20)()
	return r.With(ctx, files, func(set *input.Set) (err error) {
		s := &session{reading: r, set: set}
		if s.sel, err = selection.Select(r.App, set, &r.Options, nil); err != nil {
			return err
		}
		s.sel.Choose(&s.chosen)
		if s.types, s.lacking = mmapjfr.EventTypes(set.Recordings, s.chosen.Filters...); len(s.types) == 0 && s.lacking != nil {
			return s.lacking
		}
		s.index = query.NewTypeIndex(s.types)
		start, end := set.Span()
		s.options.Zone, s.options.Start, s.options.End = engine.RecordingLocation(set.Recordings[0]), start, end
		return do(s)
	}, append(r.Reading(), r.SavedIndexes())...)
}

// isEmpty reports whether an answer has no rows, or one that counts nothing.
func isEmpty(result *query.Result) bool {
	n := 0
	for row, err := range result.Rows {
		if n++; err != nil || n > 1 || slices.ContainsFunc(row, isSomething) {
			return false
		}
	}
	return true
}

func hasNoRows(result *query.Result) bool {
	for range result.Rows {
		return false
	}
	return true
}

func isSomething(v query.Value) bool {
	return !v.IsNull() && (v.Kind() != query.Int || v.Int() != 0)
}

// reportIfEmpty says why nothing was selected, or why an answer is empty. It reports whether the
// settings of the recordings explain that.
func (s *session) reportIfEmpty(ctx context.Context, empty bool, plans ...*query.Plan) (explained bool, err error) {
	if empty && len(plans) > 0 && !s.sel.IsEmpty() {
		return s.sel.NoteSettings(ctx, query.Types(plans...)), nil
	}
	return false, s.sel.ReportIfEmpty(ctx, query.Types(plans...))
}

// notesOfThrottles says where sums of plans can be too low.
func (s *session) notesOfThrottles(ctx context.Context, plans ...*query.Plan) {
	plans = slices.DeleteFunc(slices.Clone(plans), func(p *query.Plan) bool { return !p.AddsUp() })
	s.notes(selection.Throttled(ctx, s.set, query.Types(plans...)))
}

// answer reads the recordings for plans.
func (s *session) answer(ctx context.Context, plans []*query.Plan) ([]*query.Partial, error) {
	bar := s.Progress("reading", cli.BytesOf(s.set), cli.AtEnd)
	defer bar.Done()
	from, to := s.sel.Bounds()
	return query.Read(ctx, s.set.Recordings, plans, query.ReadOptions{
		Filters: s.chosen.Filters, Where: s.chosen.Where, From: from, To: to, OnError: s.chosen.OnError, Progress: bar.Add,
	})
}

// notes writes what an answer lacks to standard error, once.
func (r *reading) notes(list []string) {
	for _, note := range slices.Sorted(slices.Values(list)) {
		if !slices.Contains(r.noted, note) {
			r.noted = append(r.noted, note)
			r.Notice(note)
		}
	}
}
