package stream

import (
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// endTime finds when events of a type ended, without finding all of their fields.
type endTime struct {
	plan            *schema.Plan // nil if the whole event must be decoded for that
	start, duration int          // slots; duration is -1 if the type has no such field
}

// endTimeOf returns how to find the end of events of a type.
func endTimeOf(class *schema.Type) endTime {
	plan, err := class.Plan()
	start := class.StartTime()
	if err != nil || start == nil || !isLong(start) {
		return endTime{}
	}
	t := endTime{plan: plan, start: start.Slot(), duration: -1}
	if i := class.Field("duration"); i >= 0 {
		f := &class.Fields[i]
		if !isLong(f) {
			return endTime{}
		}
		t.duration = f.Slot()
	}
	return t
}

func isLong(f *schema.Field) bool {
	return f.Type != nil && f.Type.Kind == schema.Long && !f.Array && !f.Constant
}

// ticks returns the tick at which an event ended. It returns false if the event must be decoded for
// that, or is damaged.
func (t *endTime) ticks(ix *index.Chunk, rec *index.EventHeader) (ticks int64, ok bool) {
	if t.plan == nil {
		return 0, false
	}
	b, form := ix.Data()[:rec.End()], ix.IntEncoding()
	for _, slot := range [...]int{t.start, t.duration} {
		if slot < 0 {
			continue
		}
		at, found := t.plan.SlotOffset(b, int(rec.Body()), slot)
		if !found {
			return 0, false
		}
		n, size := form.Long(b[at:])
		if size == 0 {
			return 0, false
		}
		ticks += n
	}
	return ticks, true
}

// pending is an event that is to be delivered.
type pending struct {
	end    int64 // ticks
	offset uint64
}

// sorter sorts events by when they ended, and is stable. Threads write their events buffer by
// buffer, so there are long runs in order already: the sorter merges these.
type sorter struct {
	ends  []int // where each run ends
	other []pending
}

// sort sorts the list in place.
func (s *sorter) sort(list []pending) {
	s.ends = s.ends[:0]
	for i := 1; i < len(list); i++ {
		if list[i].end < list[i-1].end {
			s.ends = append(s.ends, i)
		}
	}
	if len(s.ends) == 0 {
		return
	}
	s.ends = append(s.ends, len(list))
	s.other = slices.Grow(s.other[:0], len(list))[:len(list)]
	from, to := list, s.other
	for len(s.ends) > 1 {
		s.pass(from, to)
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}

// pass merges each two adjacent runs.
func (s *sorter) pass(from, to []pending) {
	begin, runs := 0, 0
	for i := 0; i < len(s.ends); i += 2 {
		middle, end := s.ends[i], s.ends[min(i+1, len(s.ends)-1)]
		merge(from[begin:middle], from[middle:end], to[begin:end])
		s.ends[runs], begin = end, end
		runs++
	}
	s.ends = s.ends[:runs]
}

// merge merges two runs; of events with the same end, those of the first run come first.
func merge(a, b, to []pending) {
	for len(a) > 0 && len(b) > 0 {
		if b[0].end < a[0].end {
			to[0], b = b[0], b[1:]
		} else {
			to[0], a = a[0], a[1:]
		}
		to = to[1:]
	}
	copy(to, a)
	copy(to[len(a):], b)
}
