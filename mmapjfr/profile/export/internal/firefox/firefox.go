// Package firefox writes recordings for https://profiler.firefox.com: threads with the samples of a
// profile and with all events as markers, and counters. The format is version 70 of what that page
// calls processed profiles, which all later versions of it read.
package firefox

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// The versions of the format.
const geckoVersion, processedVersion = 36, 70

// Write writes the events of recordings and all samples of a profile, which must be one of the same
// recordings with times, see [profile.Options]. It adds the stacks of events to the profile. In memory
// it holds the profile, and some 50 bytes for each event and for each sample: the page wants them by
// thread. Errors are those of reading the recordings, after all that could be read has been written,
// and those of w.
func Write(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, p *profile.Profile, o timeline.Options) error {
	o.Names.Lines = false // the format has them
	e := &encoder{jsonWriter: newWriter(w), o: &o, t: timeline.New(recs, p, o), texts: make(map[string]int), schemas: newSchemas()}
	e.start, e.endTime = e.t.Span()
	readErr := e.t.Walk(ctx, e.collect)
	if ctx.Err() != nil {
		return readErr
	}
	slices.SortStableFunc(e.marks, func(a, b timeline.Entry) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Start, b.Start))
	})
	e.addTracks()
	e.raw(`{"meta":`)
	e.meta()
	e.raw(`,"libs":[],"threads":[`)
	for i := range e.tracks {
		if i > 0 {
			e.raw(",\n")
		}
		if err := e.thread(i); err != nil {
			return err
		}
	}
	e.raw(`],"counters":[`)
	e.counters()
	e.raw(`],"shared":`)
	e.shared()
	e.raw("}\n")
	return cmp.Or(readErr, e.out.Flush())
}

// encoder writes a file.
type encoder struct {
	jsonWriter
	o              *timeline.Options
	t              *timeline.Timeline
	start, endTime int64 // nanoseconds since 1970
	marks          []timeline.Entry
	points         [][]point // by series
	samples        []profile.Sample
	tracks         []track
	texts          map[string]int // the strings of the file, by their numbers in list
	list           []string
	schemas        *schemas
}

// point is what a counter was at a time.
type point struct {
	at int64
	n  float64
}

// collect takes over the events of a chunk.
func (e *encoder) collect(list []timeline.Entry) error {
	for i := range list {
		entry := &list[i]
		e.schemas.add(entry.Type)
		e.marks = append(e.marks, *entry)
		if entry.Type.Role != timeline.Counter {
			continue
		}
		ev, err := e.t.Event(entry)
		if err != nil {
			return err
		}
		e.t.Counts(entry, ev, func(series int, n float64) {
			if series == len(e.points) {
				e.points = append(e.points, nil)
			}
			e.points[series] = append(e.points[series], point{entry.Start, n})
		})
	}
	return nil
}

// text returns the number of a string.
func (e *encoder) text(s string) int {
	n, ok := e.texts[s]
	if !ok {
		n = len(e.list)
		e.texts[s] = n
		e.list = append(e.list, s)
	}
	return n
}
