package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// passed is how many events have passed one option after the other.
type passed struct {
	typed    uint64 // those that select types
	timely   uint64 // and --from and --to
	threaded uint64 // and --thread
	fielded  uint64 // and have the fields of --where
	// first and last are when the first and the last of the first of these began.
	first, last time.Time
}

// add counts an event that has passed the options that select types.
func (p *passed) add(ev mmapjfr.Event, timely, threaded, fielded bool) {
	p.typed++
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
	}{{timely, &p.timely}, {threaded, &p.threaded}, {fielded, &p.fielded}} {
		if !step.ok {
			return
		}
		*step.count++
	}
}

// join adds what another worker has counted.
func (p *passed) join(o *passed) {
	p.typed, p.timely, p.threaded, p.fielded = p.typed+o.typed, p.timely+o.timely, p.threaded+o.threaded, p.fielded+o.fielded
	if p.first.IsZero() || !o.first.IsZero() && o.first.Before(p.first) {
		p.first = o.first
	}
	if o.last.After(p.last) {
		p.last = o.last
	}
}

// tellIfNothing tells that no event has been selected, and what there is. It does nothing
// if events have been, or if all are selected.
func (s *selection) tellIfNothing(ctx context.Context) error {
	if !s.given() || s.kept.Load() > 0 || ctx.Err() != nil {
		return nil
	}
	workers := make([]passed, s.workers())
	err := s.walk(ctx, s.byType, func(uint64) {}, func(worker int, ev mmapjfr.Event) {
		start := ev.Start()
		timely := s.from == "" && s.to == "" ||
			!start.IsZero() && !start.Before(s.first) && (s.last.IsZero() || start.Before(s.last))
		threaded := s.threads == nil || s.threads.wants(ev.Thread())
		workers[worker].add(ev, timely, threaded, s.fields == nil || mmapjfr.MatchesType(s.fields, ev.Type()))
	})
	if err != nil {
		return err
	}
	var all passed
	for i := range workers {
		all.join(&workers[i])
	}
	start, end := s.set.Span()
	s.app.tell(fmt.Errorf("no event is selected: %s", all.why(&selected{
		options: s.selectOptions, types: s.wantedTypes(), zone: s.zone, start: start, end: end, threads: s.threadNames,
	})))
	return nil
}

// selected is what is known of a selection and of what it selects from.
type selected struct {
	options    *selectOptions
	types      []mmapjfr.Type // those that are selected
	zone       *time.Location
	start, end time.Time // of the recording
	// threads returns the names of the threads that there are, and whether one of them is
	// selected.
	threads func() (names []string, fits bool)
}

// why returns why no event is selected, and what there is.
func (p *passed) why(s *selected) string {
	o, them := s.options, ""
	byType := len(o.events)+len(o.categories) > 0
	if byType {
		them = typesText(s.types)
	}
	none := func(n uint64) string { return "of " + terminal.CountOf(n, "event") + them + " none" }
	switch {
	case p.typed == 0 && byType && len(s.types) == 0:
		return "no event type fits " + strings.Join(append(slices.Clone(o.events), o.categories...), " and ")
	case p.typed == 0 && byType:
		return "there are no events" + them + "; mjfr types lists the types that have some"
	case p.typed == 0:
		return "there are no events"
	case p.timely == 0:
		ran := fmt.Sprintf("the recording runs from %s to %s", momentText(s.start, s.zone), momentText(s.end, s.zone))
		if byType && !p.first.IsZero() {
			ran += fmt.Sprintf(", and these events begin from %s to %s", momentText(p.first, s.zone), momentText(p.last, s.zone))
		}
		return fmt.Sprintf("%s begins %s; %s", none(p.typed), bounds(o), ran)
	case p.threaded == 0:
		names, fits := s.threads()
		if fits {
			return none(p.timely) + " is of a thread that fits " + listOr("--thread", o.threads)
		}
		return "there is no thread " + listOr("", o.threads) + s.otherThreads(names)
	case p.fielded == 0:
		return none(p.threaded) + " is of a type that has the fields of " + listOr("--where", o.where)
	}
	return none(p.fielded) + " fulfils " + listOr("--where", o.where)
}

// otherThreads says which threads may have been meant, or how to list them: messages show no
// values that nobody has asked for.
func (s *selected) otherThreads(names []string) string {
	for _, name := range s.options.threads {
		if hint := suggest.Question(name, names); hint != "" {
			return hint
		}
	}
	if len(names) == 0 {
		return "; no thread is described"
	}
	return fmt.Sprintf("; mjfr constants FILE Thread lists all, which have %s", terminal.CountOf(uint64(len(names)), "name"))
}

// threadNames returns the names of all threads, and whether one of them is wanted.
func (s *selection) threadNames() (names []string, fits bool) {
	all := make(map[string]bool)
	for _, rec := range s.set.Recordings {
		for _, c := range rec.Chunks() {
			threadsOf(c, func(t mmapjfr.Thread) {
				fits = fits || s.threads.wants(t)
				if name := t.Name(); name != "" {
					all[name] = true
				}
			})
		}
	}
	return slices.Sorted(maps.Keys(all)), fits
}

// mostNames is how many names are listed.
const mostNames = 3

// typesText returns " of" and the names of types, or how many they are.
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

// bounds says what --from and --to ask for.
func bounds(o *selectOptions) string {
	var list []string
	if o.from != "" {
		list = append(list, "at or after --from "+o.from)
	}
	if o.to != "" {
		list = append(list, "before --to "+o.to)
	}
	return strings.Join(list, " and ")
}

// listOr lists what an option was given.
func listOr(option string, values []string) string {
	var list []string
	for _, v := range values {
		list = append(list, strings.TrimSpace(option+" "+shellWord(v)))
	}
	return strings.Join(list, " or ")
}

// momentText writes a point in time as --from takes it.
func momentText(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05.000")
}
