package print

import (
	"cmp"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxSorted is how many events of a chunk are kept to be sorted at once.
const maxSorted = 1 << 17

// byChunk calls yield with the events of each chunk in the order in which they
// ended; those that ended together in the order of the file.
func (o *Options) byChunk(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	s := chunkSort{options: o, yield: yield, most: maxSorted}
	for _, rec := range recs {
		for _, c := range rec.Chunks()[o.skip.of(rec):] {
			if more, err := s.sort(ctx, rec, c); !more {
				return err
			}
		}
		o.note(rec, rec.Index().TrailingErr())
		o.progress.end(rec)
	}
	return nil
}

// chunkSort sorts the events of one chunk after the other.
type chunkSort struct {
	options *Options
	yield   func(item) bool
	// most is how many events are kept to be sorted at once, and list these events.
	// Of more of them the rows that they come in are merged.
	most int
	list []ended
	rows rows
}

// ended is an event and when it ended.
type ended struct {
	ticks int64
	event mmapjfr.Event
}

// sort calls yield with the events of a chunk. It is false if there is to be no more.
func (s *chunkSort) sort(ctx context.Context, rec *mmapjfr.Recording, c mmapjfr.Chunk) (more bool, err error) {
	s.list, s.rows = s.list[:0], rows{list: s.rows.list[:0]}
	n := 0
	sel := c.Select(s.options.Filters...)
	more, err = s.options.events(ctx, rec, sel, func(ev mmapjfr.Event) bool {
		ticks := endTicks(ev)
		s.rows.add(ticks, ev)
		if n++; n <= s.most {
			s.list = append(s.list, ended{ticks, ev.Detached()})
		}
		return true
	})
	switch {
	case !more:
		return false, err
	case n > s.most:
		return mergeRows(ctx, s.options, sel, s.rows.list, s.yield)
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
