package mmapjfr

import (
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// reader lays out the events of a chunk that a selection wants. A cursor has
// one, and so has each worker of a scan in parallel.
type reader struct {
	rec *Recording
	sel *Selection

	c      *chunk
	base   uint64 // where the chunk begins
	types  *schema.TypeSet
	wish   *wish
	kinds  []eventKind // by number of the type
	shared bool        // that another reader has the same kinds
	blamed map[schema.TypeID]bool

	scratch scratch
	window  window
	// ahead is where the last event ends whose header has been read, in the chunk.
	ahead uint64
	event Event
	err   error
}

// enter goes to a chunk.
func (r *reader) enter(c *chunk) {
	r.c, r.base, r.blamed = c, c.ix.Offset(), nil
	r.event = Event{c: c, s: &r.scratch}
	r.window.from, r.window.to, r.ahead = 0, 0, 0
}

// eventKind is what is needed of the class of an event before it is looked at.
type eventKind struct {
	class *schema.Type
	plan  *schema.Plan // nil if events of the class are not wanted
}

// maxKinds bounds the types that are found by their number; virtual machines
// count them from 0 on.
const maxKinds = 1 << 13

// want sets what is wanted of the chunk.
func (r *reader) want(w *wish) {
	same := r.types == w.types
	r.types, r.wish = w.types, w
	if same {
		return // and so are the filters, which want the same classes of them
	}
	most := schema.TypeID(-1)
	for _, class := range w.types.Types {
		if class.ID < maxKinds {
			most = max(most, class.ID)
		}
	}
	if len(r.kinds) <= int(most) || r.shared {
		r.kinds, r.shared = make([]eventKind, most+1), false
	}
	clear(r.kinds)
	for _, class := range w.types.Types {
		wire.Step()
		plan, err := class.Plan()
		if class.ID < 0 || class.ID >= maxKinds || err != nil || w.types.EventType(class.ID) != class {
			continue
		}
		if w.classes != nil && !w.classes[class.Ordinal()] {
			plan = nil
		}
		r.kinds[class.ID] = eventKind{class, plan}
	}
}

// take lays out the event with that ordinal. It is false if the event is not wanted, or if
// something is wrong with the event: then r.err says what. The bytes may have gone since the
// header was read: the caller guards.
func (r *reader) take(rec *index.EventHeader, ord uint64) bool {
	kind := r.numbered(rec)
	if kind.class == nil {
		kind = r.kindOf(rec)
	}
	return kind.plan != nil && r.accept(rec, kind, ord)
}

// numbered returns the kind of an event that is found by its number; an empty one if it is
// not.
func (r *reader) numbered(rec *index.EventHeader) eventKind {
	if uint64(rec.Type) < uint64(len(r.kinds)) {
		return r.kinds[rec.Type]
	}
	return eventKind{}
}

// accept is take of an event of that kind.
func (r *reader) accept(rec *index.EventHeader, kind eventKind, ord uint64) bool {
	if !r.layout(rec, kind) || r.wish.judges() && !r.wish.admits(&r.scratch, kind.class) {
		return false
	}
	ev := &r.event
	if ev.class != kind.class {
		ev.class = kind.class
	}
	ev.pos, r.scratch.ord = int(rec.Offset), ord
	return true
}

// kindOf returns the kind of an event that is not found by its number alone; one
// without a plan if the event is not wanted, or if there is something wrong.
func (r *reader) kindOf(rec *index.EventHeader) eventKind {
	class := r.types.EventType(rec.Type)
	if class == nil {
		if class = r.forgotten(rec); class == nil {
			return eventKind{}
		}
	}
	if w := r.wish; w.classes != nil && !w.classes[class.Ordinal()] {
		return eventKind{}
	}
	plan, err := class.Plan()
	if err != nil {
		r.err = r.c.corruptEvent(*rec, err)
		return eventKind{}
	}
	return eventKind{class, plan}
}

// layout finds the fields of an event and checks that they lie inside it.
func (r *reader) layout(rec *index.EventHeader, kind eventKind) bool {
	s, plan := &r.scratch, kind.plan
	if plan.NumSlots() > len(s.offs) {
		s.offs = make([]uint32, r.types.MaxSlots())
	}
	s.take()
	s.c, s.pos, s.slots = r.c, int(rec.Offset), plan.NumSlots()
	var room []byte
	if r.c.mapped && (r.window.holds(rec) || r.window.move(r.c, rec, r.ahead)) {
		room = r.window.at(rec)
		s.own = room[:rec.Size:rec.Size]
	} else {
		// The rest of the last page may be looked at, which is there if the event is.
		last := r.base + rec.End() - 1
		room = r.c.data[rec.Offset:min((last|(leastPage-1))+1-r.base, uint64(len(r.c.data)))]
		s.own = nil
		if !r.c.mapped {
			s.own = room[:rec.Size:rec.Size]
		}
	}
	if _, ok := plan.Layout(room, int(rec.HeaderLen), int(rec.Size), s.offs); !ok {
		s.c = nil
		r.err = r.c.misfit(*rec, kind.class)
		return false
	}
	return true
}

// leastPage is the size of the smallest pages that files are mapped in.
const leastPage = 4 << 10

// forgotten returns the class of an event that the types do not have, from an
// older metadata event. If there is none it tells so, once for each type of the
// chunk.
func (r *reader) forgotten(rec *index.EventHeader) *schema.Type {
	class, err := r.c.eventClass(*rec)
	if err == nil {
		err = r.renew()
	}
	if err == nil {
		return class
	}
	if r.blamed == nil {
		r.blamed = make(map[schema.TypeID]bool)
	}
	if !r.blamed[rec.Type] {
		r.blamed[rec.Type] = true
		r.err = err
	}
	return nil
}

// renew makes the wish anew if the chunk's types have become more.
func (r *reader) renew() error {
	types, err := r.c.ix.Types()
	if err != nil || types == r.types {
		return err
	}
	w, err := r.sel.wish(r.c, types)
	if err == nil {
		r.want(w)
	}
	return err
}
