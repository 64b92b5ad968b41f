package summary

import (
	"errors"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Fault is something in a recording that could not be read.
type Fault struct {
	// Recording is the recording in which it is.
	Recording *mmapjfr.Recording
	// Err says what is wrong, and where. That a chunk is still being written is one,
	// too, and matches [mmapjfr.ErrUnfinished].
	Err error
}

// ChunkErrors returns what is wrong with a chunk, of which broken is what ended a walk
// over the frames of its events too early, or nil.
func ChunkErrors(c *index.Chunk, broken error) (list []error) {
	add := func(err error) {
		if err != nil {
			list = append(list, err)
		}
	}
	add(c.LeadingErr())
	if _, err := c.Types(); err != nil {
		broken = err
	}
	if !c.EndExplains(broken) {
		add(broken)
	}
	add(c.TrailingErr())
	return list
}

// addFaults adds errors that have been joined, but for types that are not known: of
// these there is a row of their own.
func (s *Summary) addFaults(rec *mmapjfr.Recording, err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		s.addFault(rec, err)
		return
	}
	for _, e := range joined.Unwrap() {
		s.addFault(rec, e)
	}
}

// addFault adds what is wrong unless that has been told before.
func (s *Summary) addFault(rec *mmapjfr.Recording, err error) {
	if err == nil || errors.Is(err, mmapjfr.ErrUnknownType) {
		return
	}
	for _, f := range s.Faults {
		if f.Recording == rec && f.Err.Error() == err.Error() {
			return
		}
	}
	s.Faults = append(s.Faults, Fault{rec, err})
}
