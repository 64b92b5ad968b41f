package stream

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// subscriptions are the handlers for each type, for the types of a chunk and a list of handlers.
type subscriptions struct {
	types  *schema.TypeSet
	list   *[]*Handler
	dense  []subscription // by number of the type
	sparse map[schema.TypeID]*subscription
}

// subscription lists the handlers for events of a type.
type subscription struct {
	described bool
	handlers  []*Handler
	end       endTime
}

// maxDense bounds the type ids that index a slice. Virtual machines count types from 0 on.
const maxDense = 1 << 13

// noSubscription is the subscription of a type that is not described.
var noSubscription subscription

// byType returns the subscription of a type.
func (t *subscriptions) byType(id schema.TypeID) *subscription {
	if uint64(id) < uint64(len(t.dense)) {
		return &t.dense[id]
	}
	if i := t.sparse[id]; i != nil {
		return i
	}
	return &noSubscription
}

// build finds the handlers for each type. types and list may be nil; views are the types as filters
// see them.
func (t *subscriptions) build(types *schema.TypeSet, views []mmapjfr.Type, list *[]*Handler) {
	*t = subscriptions{types: types, list: list, sparse: make(map[schema.TypeID]*subscription)}
	if types == nil {
		return
	}
	most := schema.TypeID(-1)
	for _, class := range types.Types {
		if class.ID < maxDense {
			most = max(most, class.ID)
		}
	}
	t.dense = make([]subscription, most+1)
	for n, class := range types.Types {
		if types.ByID(class.ID) != class {
			continue
		}
		i := subscription{described: true, handlers: subscribers(list, views[n]), end: endTimeOf(class)}
		if class.ID >= 0 && class.ID < maxDense {
			t.dense[class.ID] = i
		} else {
			t.sparse[class.ID] = &i
		}
	}
}

// subscribers returns the handlers for events of a type.
func subscribers(list *[]*Handler, t mmapjfr.Type) (handlers []*Handler) {
	if list == nil {
		return nil
	}
	for _, h := range *list {
		if h.kind == kindEvent && h.err == nil && engine.MatchesType(h.filter, t) {
			handlers = append(handlers, h)
		}
	}
	return handlers
}

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
