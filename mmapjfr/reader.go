package mmapjfr

import (
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// decoder lays out the events of a chunk that a selection wants. A cursor has
// one, and so has each worker of a scan in parallel.
type decoder struct {
	rec *Recording
	sel *Selection

	c            *chunk
	base         uint64 // where the chunk begins
	types        *schema.TypeSet
	filter       *chunkFilter
	eventTypes   []eventType // by number of the type
	sharesTypes  bool        // that another decoder has the same
	unknownTypes map[schema.TypeID]bool

	scratch scratch
	window  window
	// ahead is where the last event ends whose header has been read, in the chunk.
	ahead uint64
	event Event
	err   error
}

// enter goes to a chunk.
func (d *decoder) enter(c *chunk) {
	d.c, d.base, d.unknownTypes = c, c.ix.Offset(), nil
	d.event = Event{c: c, s: &d.scratch}
	d.window.from, d.window.to, d.ahead = 0, 0, 0
}

// eventType is what is needed of the class of an event before it is looked at.
type eventType struct {
	typ  *schema.Type
	plan *schema.Plan // nil if events of the class are not wanted
}

// maxDirectTypes bounds the types that are found by their number; virtual machines
// count them from 0 on.
const maxDirectTypes = 1 << 13

// setFilter sets what is wanted of the chunk.
func (d *decoder) setFilter(cf *chunkFilter) {
	same := d.types == cf.types
	d.types, d.filter = cf.types, cf
	if same {
		return // and so are the filters, which want the same classes of them
	}
	most := schema.TypeID(-1)
	for _, class := range cf.types.Types {
		if class.ID < maxDirectTypes {
			most = max(most, class.ID)
		}
	}
	if len(d.eventTypes) <= int(most) || d.sharesTypes {
		d.eventTypes, d.sharesTypes = make([]eventType, most+1), false
	}
	clear(d.eventTypes)
	for _, class := range cf.types.Types {
		wire.Step()
		plan, err := class.Plan()
		if class.ID < 0 || class.ID >= maxDirectTypes || err != nil || cf.types.EventType(class.ID) != class {
			continue
		}
		if cf.wanted != nil && !cf.wanted[class.Ordinal()] {
			plan = nil
		}
		d.eventTypes[class.ID] = eventType{class, plan}
	}
}

// decodeEvent lays out the event with that ordinal. It is false if the event is not wanted, or if
// something is wrong with the event: then d.err says what. The bytes may have gone since the
// header was read: the caller guards.
func (d *decoder) decodeEvent(h *index.EventHeader, ord uint64) bool {
	et := d.numbered(h)
	if et.typ == nil {
		et = d.eventTypeOf(h)
	}
	return et.plan != nil && d.accept(h, et, ord)
}

// numbered returns the type of an event that is found by its number; an empty one if it is
// not.
func (d *decoder) numbered(h *index.EventHeader) eventType {
	if uint64(h.Type) < uint64(len(d.eventTypes)) {
		return d.eventTypes[h.Type]
	}
	return eventType{}
}

// accept is decodeEvent of an event of that type.
func (d *decoder) accept(h *index.EventHeader, et eventType, ord uint64) bool {
	if !d.layoutFields(h, et) || d.filter.readsEvents() && !d.filter.matchesEvent(&d.scratch, et.typ) {
		return false
	}
	ev := &d.event
	if ev.class != et.typ {
		ev.class = et.typ
	}
	ev.pos, d.scratch.ord = int(h.Offset), ord
	return true
}

// eventTypeOf returns the type of an event that is not found by its number alone; one
// without a plan if the event is not wanted, or if there is something wrong.
func (d *decoder) eventTypeOf(h *index.EventHeader) eventType {
	class := d.types.EventType(h.Type)
	if class == nil {
		if class = d.olderType(h); class == nil {
			return eventType{}
		}
	}
	if cf := d.filter; cf.wanted != nil && !cf.wanted[class.Ordinal()] {
		return eventType{}
	}
	plan, err := class.Plan()
	if err != nil {
		d.err = d.c.eventErr(*h, err)
		return eventType{}
	}
	return eventType{class, plan}
}

// layoutFields finds the fields of an event and checks that they lie inside it.
func (d *decoder) layoutFields(h *index.EventHeader, et eventType) bool {
	s, plan := &d.scratch, et.plan
	if plan.NumSlots() > len(s.offs) {
		s.offs = make([]uint32, d.types.MaxSlots())
	}
	s.setOwner()
	s.c, s.pos, s.slots = d.c, int(h.Offset), plan.NumSlots()
	var room []byte
	if d.c.mapped && (d.window.holds(h) || d.window.move(d.c, h, d.ahead)) {
		room = d.window.at(h)
		s.own = room[:h.Size:h.Size]
	} else {
		// The rest of the last page may be looked at, which is there if the event is.
		last := d.base + h.End() - 1
		room = d.c.data[h.Offset:min((last|(minPageSize-1))+1-d.base, uint64(len(d.c.data)))]
		s.own = nil
		if !d.c.mapped {
			s.own = room[:h.Size:h.Size]
		}
	}
	if _, ok := plan.Layout(room, int(h.HeaderLen), int(h.Size), s.offs); !ok {
		s.c = nil
		d.err = d.c.overrunErr(*h, et.typ)
		return false
	}
	return true
}

// minPageSize is the size of the smallest pages that files are mapped in.
const minPageSize = 4 << 10

// olderType returns the class of an event that the types do not have, from an
// older metadata event. If there is none it tells so, once for each type of the
// chunk.
func (d *decoder) olderType(h *index.EventHeader) *schema.Type {
	class, err := d.c.typeOfEvent(*h)
	if err == nil {
		err = d.refreshFilter()
	}
	if err == nil {
		return class
	}
	if d.unknownTypes == nil {
		d.unknownTypes = make(map[schema.TypeID]bool)
	}
	if !d.unknownTypes[h.Type] {
		d.unknownTypes[h.Type] = true
		d.err = err
	}
	return nil
}

// refreshFilter makes the wish anew if the chunk's types have become more.
func (d *decoder) refreshFilter() error {
	types, err := d.c.ix.Types()
	if err != nil || types == d.types {
		return err
	}
	cf, err := d.sel.chunkFilter(d.c, types)
	if err == nil {
		d.setFilter(cf)
	}
	return err
}
