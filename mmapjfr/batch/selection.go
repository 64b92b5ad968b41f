package batch

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Selection chooses events. The zero Selection chooses all.
type Selection struct {
	// Text says what is chosen. Selections of the same text must choose the same.
	Text string
	// Choose, if it is not nil, returns what chooses events of a recording with these event types: filters, and a
	// condition, or nil.
	Choose func(types []mmapjfr.Type) (filters []mmapjfr.Filter, where func(mmapjfr.Event) bool)
	// Fits, if it is not nil, returns whether a recording with these event types has what the selection names.
	Fits func(types []mmapjfr.Type) []Fit
	// From and To are bounds of the time that Choose leaves, for rates; zero times are none.
	From, To time.Time
}

// of returns what chooses events of a recording.
func (s *Selection) of(rec *mmapjfr.Recording) (filters []mmapjfr.Filter, where func(mmapjfr.Event) bool) {
	if s.Choose == nil {
		return nil, nil
	}
	types, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec}) // reading the events returns the errors
	return s.Choose(types)
}
