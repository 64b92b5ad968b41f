package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// aboutLive describes --live in the help.
const aboutLive = `--live repeats the query every 10 seconds (--every) on a running JVM, or on a directory a JVM
records into, until the JVM ends or you press Ctrl-C. If the JVM does not record the event types,
mjfr starts a recording with the JDK's settings "profile" (change them with --settings and
--set), and stops it at the end.
`

// flags adds the flags that say what is read.
func (r *reading) flags(f *pflag.FlagSet) {
	f.StringVar(&r.jvm, "live", "", "query the running `JVM`, by process ID, main class or repository, again and again")
	f.DurationVar(&r.every, "every", 10*time.Second, "with --live: repeat every `TIME`")
	r.settings.Flags(f)
	r.SelectFlags(f)
}

func (r *reading) checkLive() error {
	switch {
	case r.Limit > 0 || r.Tail > 0:
		return cli.Usagef("queries do not take --limit and --tail; write LIMIT in the query")
	case r.jvm != "" && r.every <= 0:
		return cli.Usagef("--every takes a length of time, such as 10s")
	case r.jvm != "" && r.Given():
		return cli.Usagef("--live takes no options that select events; use FROM and WHERE")
	}
	return nil
}

// follow answers a statement for one length of time after the other. Title and form are those of a
// view.
func (r *reading) follow(ctx context.Context, st *query.Statement, o query.Options, title string, form bool) error {
	src, s, err := r.stream(ctx, st)
	if err != nil {
		return err
	}
	defer s.Close()
	var wrong error
	end := func(err error) { wrong = cmp.Or(wrong, err); _ = s.Close() }
	if src.Recorded() {
		s.OnMetadata(r.checkOnce(st, o, end))
	}
	s.OnFlush(func() error {
		if cli.NobodyReads(r.Screen) {
			end(io.ErrClosedPipe)
		}
		return nil
	})
	r.table.Array, r.table.OneHeading = true, true
	out := r.writer(time.Local)
	answered := false
	defer live.ExplainEnd(ctx, r.App, src.Title)()
	err = st.Follow(ctx, s, r.every, o, func(w query.Window) error {
		answered = true
		r.notes(w.Result.Notes)
		w.Result.Title, w.Result.Form = title, form
		r.date(w)
		return out.Write(w.Result)
	})
	err = cmp.Or(wrong, err)
	if _, is := errors.AsType[*query.Error](err); is {
		err = cli.Usage(err) // the statement does not fit the events, or no stream
	}
	if err != nil && !answered && ctx.Err() == nil {
		return err
	}
	return errors.Join(err, out.Close())
}

// stream opens what --live names. A JVM is going to record the event types of the statement.
func (r *reading) stream(ctx context.Context, st *query.Statement) (*live.Source, *stream.Stream, error) {
	r.settings.Need = st.EventTypes()
	src, err := live.Find(ctx, r.App, r.jvm, &r.settings)
	if err != nil {
		return nil, nil, err
	}
	if err := src.Announce(r.App, true); err != nil {
		return nil, nil, err
	}
	s, err := src.Open()
	if err != nil {
		return nil, nil, err
	}
	if types := src.Recording(); types != "" {
		r.Notice(fmt.Sprintf("%s: recording %s until this ends", src.Title, types))
	}
	s.OnError(func(err error) { live.ReportError(r.App, src.Title, err) })
	s.OnWarning(func(warning error) {
		if r.settings.Concerns(warning) {
			r.Report(fmt.Errorf("%s: %w", src.Title, warning))
		}
	})
	return src, s, nil
}

// checkOnce returns a function that checks a statement against the first event types of a JVM. That
// it reads none of them is an error, too, but with --wait.
func (r *reading) checkOnce(st *query.Statement, o query.Options, fail func(error)) func(stream.Metadata) error {
	checked := false
	return func(m stream.Metadata) error {
		if checked {
			return nil
		}
		checked = true
		_, err := st.Plan(m.Types, o)
		if wrong, is := errors.AsType[*query.Error](err); is && wrong.NoType {
			if missing := r.settings.Missing(wrong.Message); missing != nil {
				fail(missing)
				return nil
			}
			r.Notice("waiting for events: " + wrong.Message)
		} else if err != nil {
			fail(err)
		}
		return nil
	}
}

// date puts the time of a window into its result: into the title for people, into columns for
// programs.
func (r *reading) date(w query.Window) {
	if f := r.table.Format; f == table.Text || f == table.Markdown || f == table.HTML {
		zone := time.Local
		if r.utc {
			zone = time.UTC
		}
		during := w.From.In(zone).Format(time.TimeOnly) + " to " + w.To.In(zone).Format(time.TimeOnly)
		if w.Result.Title != "" {
			during = w.Result.Title + ", " + during
		}
		w.Result.Title = during
		return
	}
	times := []query.Value{query.NewValue(w.From), query.NewValue(w.To)}
	var columns []query.Column
	for _, name := range []string{"windowStart", "windowEnd"} {
		columns = append(columns, query.Column{Name: name, Title: name, Kind: query.Timestamp, Layout: query.LayoutOf(query.Timestamp, 0)})
	}
	w.Result.Columns = append(columns, w.Result.Columns...)
	with := func(rows iter.Seq2[[]query.Value, error]) iter.Seq2[[]query.Value, error] {
		return func(yield func([]query.Value, error) bool) {
			for row, err := range rows {
				if !yield(slices.Concat(times, row), err) {
					return
				}
			}
		}
	}
	if w.Result.Rows = with(w.Result.Rows); w.Result.All != nil {
		w.Result.All = with(w.Result.All)
	}
}
