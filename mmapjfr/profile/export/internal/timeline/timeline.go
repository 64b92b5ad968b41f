// Package timeline has the events of recordings in time, by thread: what packages perfetto and
// firefox write besides the samples of a profile.
//
// Each event has one [Role]. Numbers that are measured again and again are counters, see [Series];
// all other events are marks: they lasted from a time to another one, or happened at once. Samples
// are in profiles, and are left out here, as are settings, flags, properties and modules.
//
// Threads are those of profiles: what has the same name and number is one thread, also in several
// recordings.
package timeline

import (
	"context"
	"errors"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Options say which events a timeline has, and how packages perfetto and firefox write it. The zero
// Options are for all.
type Options struct {
	// Filters select events. Where, if it is not nil, must return true for each.
	Filters []mmapjfr.Filter
	Where   func(mmapjfr.Event) bool
	// OnError, if it is not nil, gets what could not be read of a recording. Then Walk returns no
	// such errors.
	OnError func(rec *mmapjfr.Recording, err error)
	// Progress, if it is not nil, gets how many bytes have been read since the last call.
	Progress func(bytes uint64)
	// Names say how functions are named.
	Names profile.Names
	// Title is the name of the whole in the page of a viewer; the main class without.
	Title string
}

// Timeline knows the threads, the types and the counters of the events that it has come upon. One
// goroutine alone may use it.
type Timeline struct {
	// Threads are all threads. Number 0 is for events that are of no thread.
	Threads []Thread
	// Series are all counters.
	Series []Series
	// Profile has the samples, and the stacks of the events that Walk has come upon.
	Profile *profile.Profile
	// Info is what the first recording says about its virtual machine.
	Info Info

	recs    []*mmapjfr.Recording
	o       Options
	threads map[threadKey]int32
	types   map[mmapjfr.Type]*Type
	series  map[seriesKey]int
	seen    map[int64]int32 // by the keys of the chunk that Walk reads
	list    []Entry         // of the part that Walk reads, with the keys of their stack traces
	keys    []int64
	part    uint64 // how many bytes of a chunk are a part, more or less
}

// Entry is an event of a timeline that is a mark or a counter. It takes 48 bytes, however large the
// event is.
type Entry struct {
	// Start and End are nanoseconds since 1970. End is Start for events that happened at once.
	Start, End int64
	Type       *Type
	// Thread is the number of the thread.
	Thread int32
	// Stack is the stack trace of the event, in the profile of the timeline.
	Stack  profile.StackID
	rec    int32
	offset uint64
}

// New returns the timeline of recordings and of the samples of a profile, to which Walk adds the stacks
// of events.
func New(recs []*mmapjfr.Recording, p *profile.Profile, o Options) *Timeline {
	return &Timeline{
		Threads: []Thread{{}}, Profile: p, recs: recs, o: o, Info: readInfo(recs),
		threads: make(map[threadKey]int32), types: make(map[mmapjfr.Type]*Type), series: make(map[seriesKey]int), part: 32 << 20,
	}
}

// maxErrors is how many errors of a chunk are listed.
const maxErrors = 100

// Walk calls do with the marks and counters of one chunk after the other, of large chunks with those of
// one part of their time after the other. The list is sorted: what began earlier comes first, and of
// those what ended later. It is valid until do returns.
func (t *Timeline) Walk(ctx context.Context, do func(list []Entry) error) error {
	var errs []error
	for i, rec := range t.recs {
		for _, c := range rec.Chunks() {
			r := newChunkReader(t, int32(i), c)
			seen, omitted := make(map[any]bool), 0 // parts have the same errors
			give := func(err error) {
				if t.o.OnError != nil {
					t.o.OnError(rec, err)
				} else {
					errs = append(errs, err)
				}
			}
			failed := func(err error) {
				switch key := errtree.Key(err); {
				case seen[key]:
				case len(seen) == maxErrors:
					omitted++
				default:
					seen[key] = true
					give(err)
				}
			}
			if err := r.read(ctx, do, failed); err != nil {
				return err
			}
			if omitted > 0 {
				give(&mmapjfr.OmittedErrors{N: omitted})
			}
			if t.o.Progress != nil {
				t.o.Progress(c.Size())
			}
		}
	}
	return errors.Join(errs...)
}

// Event returns the event of an entry.
func (t *Timeline) Event(e *Entry) (mmapjfr.Event, error) {
	return t.recs[e.rec].EventAtOffset(e.offset)
}

// Span returns when the recordings began and ended, in nanoseconds since 1970.
func (t *Timeline) Span() (start, end int64) {
	for i, rec := range t.recs {
		from, to := rec.Start().UnixNano(), rec.End().UnixNano()
		if i == 0 || from < start {
			start = from
		}
		end = max(end, to)
	}
	start = min(max(start, 0), maxTime)
	return start, min(max(start, end), maxTime)
}
