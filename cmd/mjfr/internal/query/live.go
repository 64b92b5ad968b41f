package query

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// flags adds the flags that say what is read.
func (r *reading) flags(f *pflag.FlagSet) {
	f.StringVar(&r.jvm, "live", "", "ask the running `JVM`, by its number or main class, or a disk repository, again and again")
	f.DurationVar(&r.every, "every", 10*time.Second, "with --live: answer for each such `TIME`")
	r.settings.Flags(f)
	r.SelectFlags(f)
}

func (r *reading) checkLive() error {
	switch {
	case r.Limit > 0 || r.Tail > 0:
		return cli.Usagef("--limit and --tail do not go with statements; LIMIT in a statement limits its rows")
	case r.jvm != "" && r.every <= 0:
		return cli.Usagef("--every takes a length of time, such as 10s")
	case r.jvm != "" && r.Given():
		return cli.Usagef("options that select events do not go with --live; select them by FROM and WHERE of a statement")
	}
	return nil
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
	s.OnError(func(err error) { live.ReportError(r.App, src.Title, err) })
	err = st.Follow(ctx, s, r.every, o, func(w query.Window) error { return r.write(nil, w.Result) })
	if errors.Is(err, context.Canceled) {
		err = nil // the user has seen enough
	}
	return err
}
