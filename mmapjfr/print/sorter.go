package print

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// sorter brings events into the order in which they ended, unless an event comes more than three quarters of its size
// too late: those that ended together by the chunk, its clock and the file. A quarter of its size is sorted at a
// time and merged with what is left of those before. An event in it takes 48 bytes.
type sorter struct {
	size  int
	list  []placed // in order; those before first have been yielded
	first int
	fresh []placed // the events after those
	chunk mmapjfr.Chunk
	place uint64 // of the next event
	yield func(item) bool
}

// placed is an event, when it ended, and its place among all that came: first that of its chunk.
type placed struct {
	nanos int64 // since 1970
	place uint64
	event mmapjfr.Event
}

// chunkShift is how many bits of a place are of the event in its chunk.
const chunkShift = 40

func (a *placed) compare(b *placed) int {
	switch {
	case a.nanos != b.nanos:
		return cmp.Compare(a.nanos, b.nanos)
	case a.place>>chunkShift != b.place>>chunkShift, engine.ChunkTicksPerSecond(a.event.Chunk()) <= 1e9: // the same nanosecond is the same tick
		return cmp.Compare(a.place, b.place)
	}
	return cmp.Or(cmp.Compare(endTicks(a.event), endTicks(b.event)), cmp.Compare(a.place, b.place))
}

// add adds an event. It is false if yield was.
func (s *sorter) add(ev mmapjfr.Event) bool {
	if c := ev.Chunk(); c != s.chunk {
		s.chunk, s.place = c, (s.place>>chunkShift+1)<<chunkShift
	}
	s.fresh = append(s.fresh, placed{engine.EventEndNanos(ev), s.place, ev.Detached()})
	s.place++
	return len(s.fresh) < s.size/4 || s.shrink(s.size-s.size/4)
}

// shrink yields the first events until no more than size are left. It is false if yield was.
func (s *sorter) shrink(size int) bool {
	slices.SortFunc(s.fresh, func(a, b placed) int { return a.compare(&b) })
	s.merge()
	for len(s.list)-s.first > size {
		s.first++
		if !s.yield(item{event: s.list[s.first-1].event}) {
			return false
		}
	}
	return true
}

// merge moves the fresh events, which are sorted, to the others, from the last one on.
func (s *sorter) merge() {
	s.list = slices.Delete(s.list, 0, s.first)
	s.first = 0
	i, j := len(s.list)-1, len(s.fresh)-1
	s.list = append(s.list, s.fresh...)
	for to := len(s.list) - 1; j >= 0; to-- {
		if i >= 0 && s.fresh[j].compare(&s.list[i]) < 0 {
			s.list[to] = s.list[i]
			i--
			continue
		}
		s.list[to] = s.fresh[j]
		j--
	}
	s.fresh = s.fresh[:0]
}
