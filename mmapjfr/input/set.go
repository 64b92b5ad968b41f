package input

import (
	"errors"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Set is one logical recording: those that were named, in the order of time.
type Set struct {
	// Recordings are ordered by when they began; those that began at the same time
	// are in the order in which they were named.
	Recordings []*mmapjfr.Recording
	names      map[*mmapjfr.Recording]string
	paths      map[*mmapjfr.Recording]string
	// temps are files to be removed, where that could not be done while they were
	// open.
	temps []string
}

func newSet() *Set {
	return &Set{names: make(map[*mmapjfr.Recording]string), paths: make(map[*mmapjfr.Recording]string)}
}

// Name returns what to call a recording of the set: what was named, and within an
// archive or a directory also what it is called there. Of standard input it is
// "standard input".
func (s *Set) Name(rec *mmapjfr.Recording) string { return s.names[rec] }

// Path returns the path of the file that a recording of the set is, as it was named
// or found. It is empty if the recording was unpacked, or comes from a pipe or
// standard input: then no file is left that could be opened again, whatever
// [mmapjfr.Recording.Path] says.
func (s *Set) Path(rec *mmapjfr.Recording) string { return s.paths[rec] }

// Span returns when the first of the recordings began and when the last one ended, in
// UTC; zero times if there are none.
func (s *Set) Span() (start, end time.Time) {
	if len(s.Recordings) == 0 {
		return start, end
	}
	start = s.Recordings[0].Start()
	for _, rec := range s.Recordings {
		if e := rec.End(); e.After(end) {
			end = e
		}
	}
	return start, end
}

// Events returns those events of all recordings that the filters want, one recording after the
// other, see [mmapjfr.Recording.Select]. Where recordings overlap, as those of several virtual
// machines do, they are not in the order of time. What cannot be read comes as an error in the
// place where it stands; a loop that goes on gets the events after it.
func (s *Set) Events(filters ...mmapjfr.Filter) iter.Seq2[mmapjfr.Event, error] {
	return func(yield func(mmapjfr.Event, error) bool) {
		for _, rec := range s.Recordings {
			for ev, err := range rec.Select(filters...).Events() {
				if err != nil && s.paths[rec] == "" {
					err = at(s.names[rec], err) // the recording does not know what it was called
				}
				if !yield(ev, err) {
					return
				}
			}
		}
	}
}

// Close closes all recordings, and removes what was unpacked.
func (s *Set) Close() error {
	var errs []error
	for _, rec := range s.Recordings {
		errs = append(errs, rec.Close())
	}
	for _, path := range s.temps {
		errs = append(errs, os.Remove(path))
	}
	s.Recordings, s.temps = nil, nil
	return errors.Join(errs...)
}

func (s *Set) add(rec *mmapjfr.Recording, name string) {
	s.Recordings = append(s.Recordings, rec)
	s.names[rec] = name
}

// drop closes the recording that was added last.
func (s *Set) drop() error {
	last := len(s.Recordings) - 1
	rec := s.Recordings[last]
	s.Recordings = s.Recordings[:last]
	delete(s.names, rec)
	delete(s.paths, rec)
	return rec.Close()
}

func (s *Set) sort() {
	slices.SortStableFunc(s.Recordings, func(a, b *mmapjfr.Recording) int { return a.Start().Compare(b.Start()) })
}
