package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/nearest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// tailSelection is which events of a stream are wanted.
type tailSelection struct {
	options *tailOptions
	times   *tailTimes
	filters []mmapjfr.Filter // by type
	thread  func(mmapjfr.Thread) bool
	// condition is what events of the chunk are to fulfil; nil if there is none.
	condition *where.Condition
	chunk     mmapjfr.Chunk
}

func newTailSelection(o *tailOptions, times *tailTimes) (*tailSelection, error) {
	s := &tailSelection{options: o, times: times}
	f := typeFilters{strings.Join(o.events, ","), strings.Join(o.categories, ",")}
	s.filters = f.filters()
	if len(o.threads) > 0 {
		s.thread = threadsCalled(o.threads)
		s.filters = append(s.filters, mmapjfr.ThreadsWhere(s.thread))
	}
	if times.bounded() {
		s.filters = append(s.filters, mmapjfr.Between(time.Time{}, time.Time{})) // that have a time
	}
	var err error
	s.condition, err = o.condition(time.UTC)
	return s, err
}

// canWant tells whether events of a type can be wanted.
func (s *tailSelection) canWant(t mmapjfr.Type) bool {
	for _, f := range s.filters {
		if !mmapjfr.Wants(f, t) {
			return false
		}
	}
	return s.condition == nil || s.condition.Can(t)
}

// wants tells whether an event is wanted whose type can be.
func (s *tailSelection) wants(ev mmapjfr.Event) (bool, error) {
	if c := ev.Chunk(); c != s.chunk {
		if err := s.enter(c); err != nil {
			return false, err
		}
	}
	return s.times.admit(ev) &&
		(s.thread == nil || s.thread(threadOf(ev))) &&
		(s.condition == nil || s.condition.Keep(ev)), nil
}

// enter begins with a chunk. Its zone is that of times in the condition, which must not
// keep what it knows of the chunks before.
func (s *tailSelection) enter(c mmapjfr.Chunk) (err error) {
	s.chunk = c
	if s.condition != nil {
		s.condition, err = s.options.condition(tailZone(s.options, c))
	}
	return err
}

// tailZone returns the zone in which times of a chunk are meant.
func tailZone(o *tailOptions, c mmapjfr.Chunk) *time.Location {
	if o.utc {
		return time.UTC
	}
	if _, zone, err := c.Region(); err == nil {
		return zone
	}
	return time.UTC
}

var (
	tailEventThread   = mmapjfr.Path("eventThread")
	tailSampledThread = mmapjfr.Path("sampledThread")
)

// threadOf returns the thread that an event happened in or that was sampled.
func threadOf(ev mmapjfr.Event) mmapjfr.Thread {
	if ev.Has(tailEventThread) {
		return ev.Get(tailEventThread).Thread()
	}
	return ev.Get(tailSampledThread).Thread()
}

// remarks tells what may be mistakes: names that fit nothing among all event types there
// are so far.
func (s *tailSelection) remarks(types []mmapjfr.Type) (remarks []error) {
	unknown := func(option string, filters []string, filterOf func(...string) mmapjfr.Filter, namesOf func(mmapjfr.Type) []string) {
		for _, name := range filterNames(strings.Join(filters, ",")) {
			if !fitsAny(filterOf(name), types) {
				remarks = append(remarks, fmt.Errorf("no event type so far fits %s %s%s", option, name, nearest.Question(name, allNames(types, namesOf))))
			}
		}
	}
	unknown("--events", s.options.events, mmapjfr.Types, typeName)
	unknown("--categories", s.options.categories, mmapjfr.Categories, mmapjfr.Type.Category)
	condition := s.condition
	s.condition = nil
	wanted := s.of(types)
	s.condition = condition
	if len(wanted) == 0 {
		return remarks // nothing could have the fields
	}
	if condition != nil {
		if _, err := condition.Filter(wanted); err != nil {
			remarks = append(remarks, err)
		}
	}
	if err := print.CheckFields(filterNames(s.options.fields), wanted); err != nil {
		remarks = append(remarks, err)
	}
	return remarks
}

// of returns those of the types whose events can be wanted.
func (s *tailSelection) of(types []mmapjfr.Type) (wanted []mmapjfr.Type) {
	for _, t := range types {
		if s.canWant(t) {
			wanted = append(wanted, t)
		}
	}
	return wanted
}
