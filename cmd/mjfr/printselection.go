package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/moment"
	"github.com/mmapjfr/jfr/internal/nearest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// selection is which events of some recordings are wanted.
type selection struct {
	app     *app
	types   []mmapjfr.Type // of events, that there are
	filters []mmapjfr.Filter
	keep    func(mmapjfr.Event) bool
}

// eventTypes returns the event types that any chunk describes.
func eventTypes(recs []*mmapjfr.Recording) (types []mmapjfr.Type) {
	seen := make(map[mmapjfr.Type]bool)
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			list, _ := c.Types() // what is wrong comes out where the events are read
			for _, t := range list {
				if t.IsEvent() && !seen[t] {
					seen[t] = true
					types = append(types, t)
				}
			}
		}
	}
	return types
}

// typeName returns what --events goes by.
func typeName(t mmapjfr.Type) []string { return []string{t.Name()} }

// byName adds a filter by names, if there is one. It tells of names that fit nothing:
// they may be mistakes.
func (s *selection) byName(option, filter string, filterOf func(names ...string) mmapjfr.Filter, namesOf func(mmapjfr.Type) []string) {
	names := filterNames(filter)
	if len(names) == 0 {
		return
	}
	s.filters = append(s.filters, filterOf(names...))
	for _, name := range names {
		if f := filterOf(name); !fitsAny(f, s.types) {
			s.app.tell(fmt.Errorf("no event type of the recording fits %s %s%s", option, name, nearest.Question(name, allNames(s.types, namesOf))))
		}
	}
}

// fitsAny tells whether a filter wants one of the types.
func fitsAny(f mmapjfr.Filter, types []mmapjfr.Type) bool {
	return slices.ContainsFunc(types, func(t mmapjfr.Type) bool { return mmapjfr.Wants(f, t) })
}

// allNames returns the names that types have.
func allNames(types []mmapjfr.Type, namesOf func(mmapjfr.Type) []string) (names []string) {
	for _, t := range types {
		names = append(names, namesOf(t)...)
	}
	return names
}

// during adds a filter by when events begin, if there is one.
func (s *selection) during(set *input.Set, from, to string, zone *time.Location) error {
	if from == "" && to == "" {
		return nil
	}
	start, end := set.Span()
	var bounds [2]time.Time
	for i, text := range []string{from, to} {
		if text == "" {
			continue
		}
		t, err := moment.Parse(text, start, end, zone)
		if err != nil {
			return usageError{err}
		}
		bounds[i] = t
	}
	if err := checkBounds(bounds[0], bounds[1], from, to); err != nil {
		return err
	}
	s.filters = append(s.filters, mmapjfr.Between(bounds[0], bounds[1]))
	return nil
}

// checkBounds tells of an end before the start. A zero time is no bound.
func checkBounds(start, end time.Time, from, to string) error {
	if !start.IsZero() && !end.IsZero() && end.Before(start) {
		return usagef("--to %s is before --from %s", to, from)
	}
	return nil
}

// where adds a condition, if there is one.
func (s *selection) where(condition *where.Condition) error {
	if condition == nil {
		return nil
	}
	s.keep = condition.Keep
	wanted := slices.DeleteFunc(slices.Clone(s.types), func(t mmapjfr.Type) bool {
		return slices.ContainsFunc(s.filters, func(f mmapjfr.Filter) bool { return !mmapjfr.Wants(f, t) })
	})
	if len(wanted) == 0 {
		return nil // there is nothing that could have the fields
	}
	filter, err := condition.Filter(wanted)
	if err != nil {
		return err
	}
	s.filters = append(s.filters, filter)
	return nil
}

// threadsCalled tells of the threads with these names, or with numbers such as #12: those
// in Java, and for threads that are none of Java's those of the operating system.
func threadsCalled(names []string) func(mmapjfr.Thread) bool {
	ids := make(map[int64]bool)
	var globs []*regexp.Regexp
	for _, name := range names {
		if digits, ok := strings.CutPrefix(name, "#"); ok {
			if id, err := strconv.ParseInt(digits, 10, 64); err == nil {
				ids[id] = true
				continue
			}
		}
		pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(name))
		globs = append(globs, regexp.MustCompile(`^(?s:`+pattern+`)$`))
	}
	return func(t mmapjfr.Thread) bool {
		id := t.JavaThreadID()
		if id <= 0 {
			id = t.OSThreadID()
		}
		return ids[id] || slices.ContainsFunc(globs, func(glob *regexp.Regexp) bool {
			java, system := t.JavaName(), t.OSName()
			return java != "" && glob.MatchString(java) || system != "" && glob.MatchString(system)
		})
	}
}
