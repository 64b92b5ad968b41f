// Package selection has the options that select events, and those that say how to print them.
package selection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// Selection is the events of some recordings that options select.
type Selection struct {
	*Options
	app  *cli.App
	Set  *input.Set
	zone *time.Location // the zone of times in the options
	// types are all event types of the recordings, and ByType the filters by type.
	types  []mmapjfr.Type
	ByType []mmapjfr.Filter
	// first and last are the bounds of start times. A zero time is no bound.
	first, last time.Time
	// threads, condition and fields are nil if they select all events.
	threads   *Threads
	condition *where.Condition
	fields    mmapjfr.Filter // of types that have the fields of the condition

	// matched counts the events that matches has accepted. Some count more than once.
	matched atomic.Uint64
}

// Select returns the selection that options make of a set. Times in the options are in the zone, or
// in that of the recording for nil. Select reports patterns that fit nothing.
func Select(a *cli.App, set *input.Set, o *Options, zone *time.Location) (*Selection, error) {
	if zone == nil {
		zone = engine.RecordingLocation(set.Recordings[0])
	}
	s := &Selection{Options: o, app: a, Set: set, zone: zone}
	if !o.Given() {
		return s, nil
	}
	types, missing := mmapjfr.EventTypes(set.Recordings) // errors come out where the events are read
	s.types = types
	var err error
	if s.ByType, err = ResolveTypes(a, o.TypeFilters(), s.types, missing != nil); err != nil {
		return nil, err
	}
	if len(o.Threads) > 0 {
		if s.threads, err = ParseThreads(o.Threads); err != nil {
			return nil, err
		}
	}
	if err := s.during(); err != nil {
		return nil, err
	}
	return s, s.where()
}

// during resolves --from and --to.
func (s *Selection) during() error {
	start, end := s.Set.Span()
	for _, bound := range []struct {
		text string
		at   *time.Time
	}{{s.From, &s.first}, {s.To, &s.last}} {
		if bound.text == "" {
			continue
		}
		var err error
		if *bound.at, err = timespec.Parse(bound.text, start, end, s.zone); err != nil {
			return cli.Usage(err)
		}
	}
	return CheckBounds(s.first, s.last, s.From, s.To)
}

// CheckBounds returns an error if the end is before the start. A zero time is no bound.
func CheckBounds(start, end time.Time, from, to string) error {
	if !start.IsZero() && !end.IsZero() && end.Before(start) {
		return cli.Usagef("--to %s is before --from %s", to, from)
	}
	return nil
}

// where sets the condition, if there is one.
func (s *Selection) where() (err error) {
	start, end := s.Set.Span()
	if s.condition, err = s.Options.Condition(start, end, s.zone); s.condition == nil {
		return err
	}
	wanted := s.wantedTypes(s.ByType)
	if len(wanted) == 0 {
		return nil // no type could have the fields
	}
	if s.fields, err = s.condition.Filter(wanted); err != nil {
		return cli.Usage(err)
	}
	return nil
}

// IsEmpty reports whether options were given and no event was selected.
func (s *Selection) IsEmpty() bool { return s.Given() && s.matched.Load() == 0 }

// wantedTypes returns the event types that pass filters by type.
func (s *Selection) wantedTypes(filters []mmapjfr.Filter) []mmapjfr.Type {
	return slices.DeleteFunc(slices.Clone(s.types), func(t mmapjfr.Type) bool { return !AllMatch(filters, t) })
}

// AllMatch reports whether events of a type can pass all filters.
func AllMatch(filters []mmapjfr.Filter, t mmapjfr.Type) bool {
	return !slices.ContainsFunc(filters, func(f mmapjfr.Filter) bool { return !engine.MatchesType(f, t) })
}

// filters returns all filters. Without any, all events are selected.
func (s *Selection) filters() []mmapjfr.Filter {
	list := s.timeless()
	if s.From != "" || s.To != "" {
		list = append(list, mmapjfr.Between(s.first, s.last))
	}
	return list
}

// timeless returns all filters but that of time.
func (s *Selection) timeless() []mmapjfr.Filter {
	list := slices.Clone(s.ByType)
	if s.fields != nil {
		list = append(list, s.fields)
	}
	if s.threads != nil {
		list = append(list, mmapjfr.ThreadsFunc(s.threads.Wants))
	}
	return list
}

// matches reports whether an event that passes the filters fulfils the condition. It counts those
// that do.
func (s *Selection) matches(ev mmapjfr.Event) bool {
	if s.condition != nil && !s.condition.Matches(ev) {
		return false
	}
	s.matched.Add(1)
	return true
}

// Choose sets the selection in options for printing.
func (s *Selection) Choose(o *print.Options) {
	if s.Given() {
		o.Filters, o.Where = s.filters(), s.matches
		o.Limit, o.Tail = s.Limit, s.Tail
	}
	o.OnError = s.note
}

// Plan sets the selection, without --limit and --tail, in a plan for a copy.
func (s *Selection) Plan(p *rewrite.Plan) {
	p.From, p.To = s.first, s.last
	if len(s.wantedTypes(s.ByType)) < len(s.types) || s.threads != nil || s.condition != nil {
		p.Filters = s.timeless() // otherwise all events pass
	}
	if s.condition != nil {
		p.Keep = s.matches
	}
}

// note reports damage.
func (s *Selection) note(rec *mmapjfr.Recording, err error) { s.app.Damage(s.Set.Name(rec), err) }

// Each calls do with all selected events, in any order and from several goroutines. Calls with the
// same worker do not overlap. Each reports damage, except events of unknown types. It calls
// progress with numbers of bytes.
func (s *Selection) Each(ctx context.Context, progress func(uint64), do func(worker int, ev mmapjfr.Event)) error {
	if s.Limit > 0 || s.Tail > 0 {
		var o print.Options
		s.Choose(&o)
		o.OnError, o.Progress = s.unlessUnknown, progress
		return print.Each(ctx, s.Set.Recordings, o, func(ev mmapjfr.Event) error { do(0, ev); return nil })
	}
	return s.walk(ctx, s.filters(), progress, func(worker int, ev mmapjfr.Event) {
		if s.matches(ev) {
			do(worker, ev)
		}
	})
}

// walk is Each for all events that pass filters.
func (s *Selection) walk(ctx context.Context, filters []mmapjfr.Filter, progress func(uint64), do func(worker int, ev mmapjfr.Event)) error {
	for _, rec := range s.Set.Recordings {
		for _, c := range rec.Chunks() {
			err := c.Select(filters...).Parallel(ctx, func(worker int, ev mmapjfr.Event) error { do(worker, ev); return nil })
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			s.unlessUnknown(rec, err)
			progress(c.Size())
		}
	}
	return nil
}

// Announce writes what is selected above a table for people. If the table is for programs, it
// writes to standard error, if that is a terminal.
func (s *Selection) Announce(what string) error {
	if s.app.Style.Aligned {
		_, err := fmt.Fprintf(s.app.Stdout, "Selected: %s\n\n", terminal.Printable(what))
		return err
	}
	if progress.IsTerminal(s.app.Stderr) {
		s.app.Report(fmt.Errorf("selected %s", what))
	}
	return nil
}

// Bounds returns the bounds of start times. A zero time is no bound.
func (s *Selection) Bounds() (first, last time.Time) { return s.first, s.last }

// Duration returns the length of time that the options leave. It returns 0 if that is all the time
// of the recordings.
func (s *Selection) Duration() time.Duration {
	if s.first.IsZero() && s.last.IsZero() {
		return 0
	}
	start, end := s.Set.Span()
	if s.first.After(start) {
		start = s.first
	}
	if !s.last.IsZero() && s.last.Before(end) {
		end = s.last
	}
	return max(end.Sub(start), 1)
}

// Workers returns the greatest number of workers of Each.
func (s *Selection) Workers() (n int) {
	for _, rec := range s.Set.Recordings {
		n = max(n, engine.RecordingWorkers(rec))
	}
	return n
}

// unlessUnknown reports damage, except events of unknown types.
func (s *Selection) unlessUnknown(rec *mmapjfr.Recording, err error) {
	for _, e := range errtree.Each(err) {
		if !errors.Is(e, mmapjfr.ErrUnknownType) {
			s.note(rec, e)
		}
	}
}
