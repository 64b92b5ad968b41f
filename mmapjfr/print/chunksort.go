package print

import (
	"cmp"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxSorted is how many events of a chunk are sorted in memory.
const maxSorted = 1 << 17

// Paths to the fields by which events are ordered.
var (
	startTime = mmapjfr.Path("startTime")
	duration  = mmapjfr.Path("duration")
)

// endTicks returns when the event ended, by the clock of its chunk.
func endTicks(ev mmapjfr.Event) int64 { return ev.Int(startTime) + ev.Int(duration) }

// byChunk calls yield with the events of each chunk in the order in which they
// ended; those that ended together in the order of the file.
func (w *walker) byChunk(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	s := chunkSort{walker: w, yield: yield, most: maxSorted}
	for i, rec := range recs {
		for _, c := range rec.Chunks()[w.start.chunkOf(i, rec):] {
			if more, err := s.sort(ctx, rec, c); !more {
				return err
			}
		}
		w.report(rec, rec.TrailingErr())
		w.progress.end(rec)
	}
	return nil
}

// chunkSort sorts the events of one chunk after the other.
type chunkSort struct {
	walker *walker
	yield  func(item) bool
	// most is how many events are sorted in memory, and list these events. The runs of a
	// chunk with more events are merged.
	most int
	list []ended
	runs runs
}

// ended is an event and when it ended.
type ended struct {
	ticks int64
	event mmapjfr.Event
}

// sort calls yield with the events of a chunk. More is false if yield was.
func (s *chunkSort) sort(ctx context.Context, rec *mmapjfr.Recording, c mmapjfr.Chunk) (more bool, err error) {
	s.list, s.runs = s.list[:0], runs{list: s.runs.list[:0]}
	n := 0
	sel := c.Select(s.walker.Filters...)
	more, err = s.walker.events(ctx, rec, sel, func(ev mmapjfr.Event) bool {
		ticks := endTicks(ev)
		s.runs.add(ticks, ev)
		if n++; n <= s.most {
			s.list = append(s.list, ended{ticks, ev.Detached()})
		}
		return true
	})
	switch {
	case !more:
		return false, err
	case n > s.most:
		return s.runs.merge(ctx, s.walker.Options, sel, s.yield)
	}
	slices.SortFunc(s.list, func(a, b ended) int {
		return cmp.Or(cmp.Compare(a.ticks, b.ticks), cmp.Compare(a.event.Offset(), b.event.Offset()))
	})
	for i := range s.list {
		if !s.yield(item{event: s.list[i].event}) {
			return false, nil
		}
	}
	return true, nil
}
