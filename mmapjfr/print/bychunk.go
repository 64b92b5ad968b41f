package print

import (
	"context"
	"math"

	"github.com/mmapjfr/jfr/mmapjfr"
)

const (
	// maxSorted is how many events of a chunk are kept to be sorted at once.
	maxSorted = 1 << 19
	// runLength is how many events make a run, of which the earliest end is kept.
	runLength = 1 << 12
)

// byChunk calls yield with the events of each chunk in the order in which they
// ended; those that ended together in the order of the file.
func (o *Options) byChunk(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	s := chunkSort{options: o, yield: yield, most: maxSorted, run: runLength}
	for _, rec := range recs {
		for _, c := range rec.Chunks()[o.skip.of(rec):] {
			if more, err := s.sort(ctx, rec, c); !more {
				return err
			}
		}
		o.note(rec, rec.Index().Trail())
		o.progress.end(rec)
	}
	return nil
}

// chunkSort sorts the events of one chunk after the other.
type chunkSort struct {
	options *Options
	yield   func(item) bool
	// most is how many events are kept to be sorted at once, and run how many make a
	// run.
	most, run int
	// events are those that are still to be written, and ends when they ended, in
	// the same order.
	events []mmapjfr.Event
	ends   []ending
	// earliest is when the first event of each run ended, or of any run behind it.
	earliest []int64

	spareEvents []mmapjfr.Event
	spareEnds   []ending
	rows        []int
}

// clear forgets all events.
func (s *chunkSort) clear() { s.events, s.ends = s.events[:0], s.ends[:0] }

func (s *chunkSort) add(ticks int64, ev mmapjfr.Event) {
	s.ends = append(s.ends, ending{ticks, uint32(len(s.events))})
	s.events = append(s.events, ev.Detach())
}

// sort writes the events of a chunk. It is false if there is to be no more.
func (s *chunkSort) sort(ctx context.Context, rec *mmapjfr.Recording, c mmapjfr.Chunk) (more bool, err error) {
	s.clear()
	s.earliest = s.earliest[:0]
	n := 0
	more, err = s.options.events(ctx, rec, c.Select(s.options.Filters...), func(ev mmapjfr.Event) bool {
		ticks := endTicks(ev)
		if n%s.run == 0 {
			s.earliest = append(s.earliest, math.MaxInt64)
		}
		last := &s.earliest[len(s.earliest)-1]
		*last = min(*last, ticks)
		if n++; n <= s.most {
			s.add(ticks, ev)
		}
		return true
	})
	switch {
	case !more:
		return false, err
	case n > s.most:
		return s.merge(ctx, rec, c)
	}
	return s.writeUpTo(math.MaxInt64), nil
}

// merge goes over the events of a chunk again and writes those behind which, as the
// runs tell, no earlier one comes: so only events are kept that are out of order.
func (s *chunkSort) merge(ctx context.Context, rec *mmapjfr.Recording, c mmapjfr.Chunk) (more bool, err error) {
	for i := len(s.earliest) - 2; i >= 0; i-- {
		s.earliest[i] = min(s.earliest[i], s.earliest[i+1])
	}
	s.clear()
	n, kept := 0, 0
	quiet := *s.options
	quiet.Note, quiet.progress = nil, progress{}
	open := true
	more, err = quiet.events(ctx, rec, c.Select(quiet.Filters...), func(ev mmapjfr.Event) bool {
		// To look at what is kept is worth it when as much again has come.
		if run := n / s.run; n%s.run == 0 && n > 0 && len(s.events) >= 2*kept {
			open = s.writeUpTo(s.earliest[min(run, len(s.earliest)-1)])
			kept = len(s.events)
		}
		s.add(endTicks(ev), ev)
		n++
		return open
	})
	if !more {
		return false, err
	}
	return s.writeUpTo(math.MaxInt64), nil
}

// writeUpTo writes the events that ended by then, and keeps the others, in order. It
// is false if there is to be no more.
func (s *chunkSort) writeUpTo(ticks int64) bool {
	s.ends, s.spareEnds, s.rows = sortEndings(s.ends, s.spareEnds, s.rows)
	n := 0
	for ; n < len(s.ends) && s.ends[n].ticks <= ticks; n++ {
		if !s.yield(item{event: s.events[s.ends[n].at]}) {
			return false
		}
	}
	kept := s.spareEvents[:0]
	for i, e := range s.ends[n:] {
		kept = append(kept, s.events[e.at])
		s.ends[i] = ending{e.ticks, uint32(i)}
	}
	s.events, s.spareEvents, s.ends = kept, s.events, s.ends[:len(kept)]
	return true
}
