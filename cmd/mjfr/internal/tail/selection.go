package tail

import (
	"slices"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// eventSelection is the events of a stream that options select.
type eventSelection struct {
	options *options
	times   *times
	names   []selection.TypeFilter
	byType  []mmapjfr.Filter // by the names
	// known has types of the chunk alone: a Type keeps all metadata of its chunk in memory.
	known   map[mmapjfr.Type]bool
	filters []mmapjfr.Filter   // by all that depends on the type
	threads *selection.Threads // nil for all
	// condition is the condition for events of the chunk. It is nil without --where.
	condition *where.Condition
	chunk     mmapjfr.Chunk
	began     time.Time // start of the first chunk
	// earliest and latest are the bounds of all chunks before the last one. Joined recordings can
	// come in any order.
	earliest, latest time.Time
	// passed counts events by the options that they pass.
	passed *selection.Passed
}

func newEvents(o *options, times *times) (*eventSelection, error) {
	s := &eventSelection{options: o, times: times, names: o.TypeFilters(), known: make(map[mmapjfr.Type]bool), passed: &selection.Passed{}}
	for i := range s.names {
		s.byType = append(s.byType, mmapjfr.TypesFunc(s.names[i].Wants))
	}
	s.filters = slices.Clone(s.byType)
	if len(o.Threads) > 0 {
		var err error
		if s.threads, err = selection.ParseThreads(o.Threads); err != nil {
			return nil, err
		}
		s.filters = append(s.filters, mmapjfr.ThreadsFunc(s.threads.Wants))
	}
	if times.bounded() {
		s.filters = append(s.filters, mmapjfr.Between(time.Time{}, time.Time{})) // only types with a start time
	}
	var err error
	s.condition, err = o.Condition(times.end, times.end, time.UTC)
	return s, err
}

// canWant reports whether events of a type can be selected.
func (s *eventSelection) canWant(t mmapjfr.Type) bool {
	return selection.AllMatch(s.filters, t) && (s.condition == nil || s.condition.CanMatch(t))
}

// wants reports whether an event is selected. Its type can be.
func (s *eventSelection) wants(ev mmapjfr.Event) (bool, error) {
	if c := ev.Chunk(); c != s.chunk {
		if err := s.enter(c); err != nil {
			return false, err
		}
	}
	if !s.named(ev.Type()) {
		return false, nil
	}
	timely := s.times.admit(ev)
	threaded := timely && (s.threads == nil || s.threads.Wants(ev.Thread()))
	s.passed.Add(ev, timely, threaded, true)
	return threaded && (s.condition == nil || s.condition.Matches(ev)), nil
}

// see gets types. If a type fits a name in the same case, the name means no others.
func (s *eventSelection) see(types []mmapjfr.Type) {
	for i := range s.names {
		s.names[i].See(types)
	}
	clear(s.known)
}

// named reports whether a type fits the names, by all types that see got.
func (s *eventSelection) named(t mmapjfr.Type) bool {
	if len(s.names) == 0 {
		return true
	}
	wanted, ok := s.known[t]
	if !ok {
		wanted = selection.AllMatch(s.byType, t)
		s.known[t] = wanted
	}
	return wanted
}

// enter begins a chunk. Times in the condition are in its zone, so the condition is made anew.
func (s *eventSelection) enter(c mmapjfr.Chunk) (err error) {
	if !s.began.IsZero() {
		s.earliest, s.latest = s.timeRange()
	}
	s.chunk = c
	clear(s.known)
	if s.began.IsZero() {
		s.began = c.Start()
	}
	if s.condition != nil {
		s.condition, err = s.options.Condition(s.began, s.times.end, zoneOf(s.options, c))
	}
	return err
}

// timeRange returns when the first of the chunks began and when the last one ended. There is a
// chunk.
func (s *eventSelection) timeRange() (start, end time.Time) {
	start, end = s.chunk.Start(), s.chunk.End()
	if !s.earliest.IsZero() && s.earliest.Before(start) {
		start = s.earliest
	}
	if s.latest.After(end) {
		end = s.latest
	}
	return start, end
}

// zoneOf returns the zone of times in a chunk.
func zoneOf(o *options, c mmapjfr.Chunk) *time.Location {
	if o.Utc {
		return time.UTC
	}
	if _, zone, err := engine.ChunkRegion(c); err == nil {
		return zone
	}
	return time.UTC
}

// remark is a possible mistake in the options.
type remark struct {
	about string // the option and its value
	err   error
	// misuse means that it is a mistake if it still holds at the end.
	misuse bool
	ofType bool // no event type has the name
}

// remarks returns possible mistakes: names that no event type fits.
func (s *eventSelection) remarks(types []mmapjfr.Type) (remarks []remark) {
	for i := range s.names {
		f := &s.names[i]
		_, strange := f.Among(types)
		for _, name := range strange {
			err, misuse := f.Unfit(name, "so far", types)
			remarks = append(remarks, remark{f.Option + " " + name, err, misuse, true})
		}
	}
	condition := s.condition
	s.condition = nil
	wanted := s.of(types)
	s.condition = condition
	if len(wanted) == 0 {
		return remarks // no type could have the fields
	}
	if condition != nil {
		if _, err := condition.Filter(wanted); err != nil {
			remarks = append(remarks, remark{"--where", err, true, false})
		}
	}
	if err := print.CheckFields(selection.FilterNames(s.options.Fields), wanted); err != nil {
		remarks = append(remarks, remark{"--fields", err, true, false})
	}
	return remarks
}

// of returns the types whose events can be selected.
func (s *eventSelection) of(types []mmapjfr.Type) (wanted []mmapjfr.Type) {
	for _, t := range types {
		if s.canWant(t) {
			wanted = append(wanted, t)
		}
	}
	return wanted
}
