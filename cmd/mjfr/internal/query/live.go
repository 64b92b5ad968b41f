package query

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// flags adds the flags that say what is read.
func (r *reading) flags(f *pflag.FlagSet) {
	f.StringVar(&r.jvm, "live", "", "ask the running `JVM`, by its number or main class, or a disk repository, again and again")
	f.DurationVar(&r.every, "every", 10*time.Second, "with --live: answer for each such `TIME`")
	r.settings.Flags(f)
	r.SelectFlags(f)
}

func (r *reading) checkLive() error {
	if r.jvm != "" && r.every <= 0 {
		return cli.Usagef("--every takes a length of time, such as 10s")
	}
	return nil
}

// window is the events of a length of time.
type window struct {
	*reading
	ctx    context.Context
	st     *query.Statement
	o      query.Options
	plan   *query.Plan // nil as long as there are no event types of the statement
	found  *query.Partial
	end    time.Time
	failed error // why there is no plan
}

// follow answers a statement for one length of time after the other.
func (r *reading) follow(ctx context.Context, st *query.Statement, o query.Options) error {
	src, err := live.Find(ctx, r.App, r.jvm, &r.settings)
	if err != nil {
		return err
	}
	if src.Waiting != "" {
		r.Report(errors.New(src.Waiting))
	}
	s, err := src.Open()
	if err != nil {
		return err
	}
	defer s.Close()
	w := &window{reading: r, ctx: ctx, st: st, o: o}
	s.OnMetadata(func(m stream.Metadata) error { return w.types(m.Types) })
	s.OnEvent(func(ev mmapjfr.Event) error {
		if w.found != nil {
			w.found.Add(ev)
		}
		return nil
	})
	s.OnFlush(func() error { return w.flushed(s.LastFlush()) })
	s.OnError(func(err error) { live.ReportError(r.App, src.Title, err) })
	err = s.Start(ctx)
	if errors.Is(err, context.Canceled) {
		err = nil // the user has seen enough
	}
	return cmp.Or(w.failed, err, w.answer())
}

// types makes the plan, when event types are there or change.
func (w *window) types(types []mmapjfr.Type) error {
	plan, err := w.st.Plan(types, w.o)
	if w.failed = err; err != nil {
		return nil // a type can come later
	}
	if w.found != nil && w.plan.Explain() == plan.Explain() {
		return nil
	}
	if err := w.answer(); err != nil {
		return err
	}
	w.plan, w.found = plan, plan.NewPartial()
	return nil
}

// flushed answers at the end of a length of time.
func (w *window) flushed(at time.Time) error {
	if w.found != nil {
		w.found.Flushed()
	}
	switch {
	case w.end.IsZero():
		w.end = at.Add(w.every)
	case !at.Before(w.end):
		if err := w.answer(); err != nil {
			return err
		}
		for !at.Before(w.end) {
			w.end = w.end.Add(w.every)
		}
	}
	return nil
}

// answer writes the answer for the time that has passed, and begins the next.
func (w *window) answer() error {
	if w.found == nil {
		return nil
	}
	found := w.found
	found.SetSpan(w.every)
	w.found = w.plan.NewPartial()
	return w.write(nil, found.Result())
}
