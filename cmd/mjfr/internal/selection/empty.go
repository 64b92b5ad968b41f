package selection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Passed counts the events that pass one option after the other.
type Passed struct {
	Typed    uint64 // pass the options that select types
	timely   uint64 // and --from and --to
	threaded uint64 // and --thread
	Fielded  uint64 // and have the fields of --where
	// first and last are the least and greatest start time of the events that Typed counts.
	first, last time.Time
}

// Add counts an event that passes the options that select types.
func (p *Passed) Add(ev mmapjfr.Event, timely, threaded, fielded bool) {
	p.Typed++
	if start := ev.Start(); !start.IsZero() {
		if p.first.IsZero() || start.Before(p.first) {
			p.first = start
		}
		if start.After(p.last) {
			p.last = start
		}
	}
	for _, step := range []struct {
		ok    bool
		count *uint64
	}{{timely, &p.timely}, {threaded, &p.threaded}, {fielded, &p.Fielded}} {
		if !step.ok {
			return
		}
		*step.count++
	}
}

// join adds the counts of another worker.
func (p *Passed) join(o *Passed) {
	p.Typed, p.timely, p.threaded, p.Fielded = p.Typed+o.Typed, p.timely+o.timely, p.threaded+o.threaded, p.Fielded+o.Fielded
	if p.first.IsZero() || !o.first.IsZero() && o.first.Before(p.first) {
		p.first = o.first
	}
	if o.last.After(p.last) {
		p.last = o.last
	}
}

// ReportIfEmpty reports that no event was selected, and why. It does nothing if one was selected or
// if the options select all events. More filters by type are what the verb reads anyway; it has
// said if no type passes them. What the settings of the recordings explain is said alone.
func (s *Selection) ReportIfEmpty(ctx context.Context, byType ...mmapjfr.Filter) error {
	if !s.IsEmpty() || ctx.Err() != nil {
		return nil
	}
	start, end := s.Set.Span()
	if (s.From != "" || s.To != "") && slices.ContainsFunc(s.Set.Recordings, engine.RecordingIsFetched) {
		// To say why, all of it would have to be fetched.
		s.app.Report(fmt.Errorf("no event is selected; the recording runs from %s to %s", momentText(start, s.zone), momentText(end, s.zone)))
		return nil
	}
	workers := make([]Passed, s.Workers())
	filters := slices.Concat(s.ByType, byType)
	err := s.walk(ctx, filters, func(uint64) {}, func(worker int, ev mmapjfr.Event) {
		start := ev.Start()
		timely := s.From == "" && s.To == "" ||
			!start.IsZero() && !start.Before(s.first) && (s.last.IsZero() || start.Before(s.last))
		threaded := s.threads == nil || s.threads.Wants(ev.Thread())
		workers[worker].Add(ev, timely, threaded, s.fields == nil || engine.MatchesType(s.fields, ev.Type()))
	})
	if err != nil {
		return err
	}
	var all Passed
	for i := range workers {
		all.join(&workers[i])
	}
	types := s.wantedTypes(filters)
	switch {
	case len(filters) == 0:
	case len(types) == 0:
		return nil
	case all.Typed == 0 && s.NoteSettings(ctx, filters...):
		return nil
	}
	s.app.Report(fmt.Errorf("no event is selected: %s", all.Why(&Subject{
		Options: s.Options, Types: types, ByType: len(byType) > 0, Zone: s.zone, Start: start, End: end, Threads: s.threadNames,
	})))
	if len(filters) > 0 && all.Fielded > 0 {
		s.NoteSettings(ctx, filters...)
	}
	return nil
}

// Subject is a selection and what it selects from.
type Subject struct {
	Options    *Options
	Types      []mmapjfr.Type // the types that are selected
	ByType     bool           // not by the options alone
	Zone       *time.Location
	Start, End time.Time // of the recording
	// Threads returns the names of all threads, and whether one of them is selected.
	Threads func() (names []string, fits bool)
}

// Why returns why no event is selected, and what the recording has.
func (p *Passed) Why(of *Subject) string {
	o, them := of.Options, ""
	byType := of.ByType || len(o.Events)+len(o.Categories) > 0
	if byType {
		them = typesText(of.Types)
	}
	none := func(n uint64) string { return "of " + terminal.CountOf(n, "event") + them + " none" }
	switch {
	case p.Typed == 0 && byType && len(of.Types) == 0:
		return "no event type fits " + strings.Join(append(slices.Clone(o.Events), o.Categories...), " and ")
	case p.Typed == 0 && byType:
		return "the recording has no events" + them + "; mjfr types lists the types that have some"
	case p.Typed == 0:
		return "the recording has no events"
	case p.timely == 0:
		ran := fmt.Sprintf("the recording runs from %s to %s", momentText(of.Start, of.Zone), momentText(of.End, of.Zone))
		if byType && !p.first.IsZero() {
			ran += fmt.Sprintf(", and these events begin from %s to %s", momentText(p.first, of.Zone), momentText(p.last, of.Zone))
		}
		return fmt.Sprintf("%s begins %s; %s", none(p.Typed), bounds(o), ran)
	case p.threaded == 0:
		names, fits := of.Threads()
		if fits {
			return none(p.timely) + " is of a thread that matches " + listOr("--thread", o.Threads)
		}
		return "no thread matches " + listOr("--thread", o.Threads) + of.otherThreads(names)
	case p.Fielded == 0:
		return none(p.threaded) + " is of a type that has the fields of " + listOr("--where", o.Where)
	}
	return none(p.Fielded) + " matches " + listOr("--where", o.Where)
}

// otherThreads suggests threads with similar names, or how to list all. Messages show no values
// that the user has not asked for.
func (of *Subject) otherThreads(names []string) string {
	for _, name := range of.Options.Threads {
		if hint := suggest.Question(name, names); hint != "" {
			return hint
		}
	}
	if len(names) == 0 {
		return "; no thread is described"
	}
	return fmt.Sprintf("; mjfr constants FILE Thread lists all, which have %s", terminal.CountOf(uint64(len(names)), "name"))
}

// threadNames returns the names of all threads, and whether one of them is selected.
func (s *Selection) threadNames() (names []string, fits bool) {
	all := make(map[string]bool)
	for _, rec := range s.Set.Recordings {
		for _, c := range rec.Chunks() {
			ThreadsOf(c, func(t mmapjfr.Thread) {
				fits = fits || s.threads.Wants(t)
				if name := t.Name(); name != "" {
					all[name] = true
				}
			})
		}
	}
	return slices.Sorted(maps.Keys(all)), fits
}

// mostNames is the greatest number of names in a message.
const mostNames = 3

// typesText returns " of" and the names of types, or their number.
func typesText(types []mmapjfr.Type) string {
	names := make(map[string]bool)
	for _, t := range types {
		names[t.Name()] = true
	}
	if len(names) > mostNames {
		return " of " + terminal.CountOf(uint64(len(names)), "type")
	}
	return " of " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// bounds returns a text for --from and --to.
func bounds(o *Options) string {
	var list []string
	if o.From != "" {
		list = append(list, "at or after --from "+o.From)
	}
	if o.To != "" {
		list = append(list, "before --to "+o.To)
	}
	return strings.Join(list, " and ")
}

// listOr lists the values of an option.
func listOr(option string, values []string) string {
	var list []string
	for _, v := range values {
		list = append(list, strings.TrimSpace(option+" "+shellWord(v)))
	}
	return strings.Join(list, " or ")
}

// momentText formats a point in time as --from takes it.
func momentText(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05.000")
}
