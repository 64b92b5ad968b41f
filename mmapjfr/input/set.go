package input

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Set is one logical recording, made of the named ones in the order of time.
type Set struct {
	// Recordings are ordered by their beginning; those that began at the same time are in the order
	// in which they were named.
	Recordings []*mmapjfr.Recording
	names      map[*mmapjfr.Recording]string
	paths      map[*mmapjfr.Recording]string
	mode       fs.FileMode
	// temps are files to be removed at Close, where open files cannot be removed.
	temps []string
	// objects are those of which recordings were unpacked: what these take counts until Close.
	objects []io.Closer
}

// private is the mode of what has none.
const private = 0o600

func newSet() *Set {
	return &Set{names: make(map[*mmapjfr.Recording]string), paths: make(map[*mmapjfr.Recording]string), mode: fs.ModePerm}
}

// SetOf returns a set of recordings that are open, with what to call each. They stay in this order. To close the set
// closes them.
func SetOf(recs []*mmapjfr.Recording, names []string) *Set {
	s := newSet()
	s.mode = private
	for i, rec := range recs {
		s.add(rec, names[i])
	}
	return s
}

// Name returns what to call a recording of the set: the name that was given, and within an archive
// or a directory also its name there. That of standard input is "standard input".
func (s *Set) Name(rec *mmapjfr.Recording) string { return s.names[rec] }

// Path returns the path of the file of a recording, as it was named or found. It is empty if the
// recording was unpacked, or comes from a pipe or standard input: then no file can be opened again,
// whatever [mmapjfr.Recording.Path] returns.
func (s *Set) Path(rec *mmapjfr.Recording) string { return s.paths[rec] }

// Mode returns the permissions that all files of the set have in common. Where something has none, as
// an object of a server or a pipe, they are those of the user alone.
func (s *Set) Mode() fs.FileMode { return s.mode }

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

// Events returns the events of all recordings that match the filters, one recording after the
// other, see [mmapjfr.Recording.Select]. Where recordings overlap, as those of several virtual
// machines do, the events are not in the order of time. What cannot be read is returned as an error
// in its place, and the loop may go on.
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
	for _, o := range s.objects {
		errs = append(errs, o.Close())
	}
	s.Recordings, s.temps, s.objects = nil, nil, nil
	return errors.Join(errs...)
}

func (s *Set) add(rec *mmapjfr.Recording, name string) {
	engine.RecordingDropPassed(rec)
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
