package mmapjfr

import (
	"math"
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// decoder decodes the events of a chunk that a selection matches. Each cursor has one, and so
// has each worker of a parallel scan and each growing chunk.
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
	clear(d.scratch.texts[:]) // keys are those of a chunk, and of one that grows, as far as it has grown
}

// eventType is what decoding an event needs of its type.
type eventType struct {
	typ  *schema.Type
	plan *schema.Plan // nil if events of the type are not selected
}

// maxDirectTypes is the number of types that are found in a table by their number. Virtual
// machines number types from 0.
const maxDirectTypes = 1 << 13

// setFilter sets the compiled filter of the chunk.
func (d *decoder) setFilter(cf *chunkFilter) {
	same := d.types == cf.types
	d.types, d.filter = cf.types, cf
	if same {
		return // the filters select the same types of them
	}
	most := schema.TypeID(-1)
	for _, typ := range cf.types.Types {
		if typ.ID < maxDirectTypes {
			most = max(most, typ.ID)
		}
	}
	if len(d.eventTypes) <= int(most) || d.sharesTypes {
		d.eventTypes, d.sharesTypes = make([]eventType, most+1), false
	}
	clear(d.eventTypes)
	for _, typ := range cf.types.Types {
		wire.Step()
		plan, err := typ.Plan()
		if typ.ID < 0 || typ.ID >= maxDirectTypes || err != nil || cf.types.EventType(typ.ID) != typ {
			continue
		}
		if cf.wanted != nil && !cf.wanted[typ.Ordinal()] {
			plan = nil
		}
		d.eventTypes[typ.ID] = eventType{typ, plan}
	}
}

// decodeEvent lays out the event with that ordinal. It is false if the event is not selected, or if
// something is wrong with it: then d.err says what. The bytes may have gone since the
// header was read: the caller guards.
func (d *decoder) decodeEvent(h *index.EventHeader, ord uint64) bool {
	et := d.directType(h)
	if et.typ == nil {
		et = d.eventTypeOf(h)
	}
	return et.plan != nil && d.accept(h, et, ord)
}

// directType returns the type of an event that is found by its number; an empty one if it is
// not.
func (d *decoder) directType(h *index.EventHeader) eventType {
	if uint64(h.Type) < uint64(len(d.eventTypes)) {
		return d.eventTypes[h.Type]
	}
	return eventType{}
}

// isUnwanted reports whether the number of the event's type alone says that it is not selected.
func (d *decoder) isUnwanted(h *index.EventHeader) bool {
	et := d.directType(h)
	return et.typ != nil && et.plan == nil
}

// accept is decodeEvent of an event of that type.
func (d *decoder) accept(h *index.EventHeader, et eventType, ord uint64) bool {
	if !d.layoutFields(h, et) || d.filter.readsEvents() && !d.filter.matchesEvent(&d.scratch, et.typ) {
		return false
	}
	ev := &d.event
	if ev.typ != et.typ {
		ev.typ = et.typ
	}
	ev.pos, d.scratch.ord = int(h.Offset), ord
	return true
}

// eventTypeOf returns the type of an event that is not found by its number alone; one
// without a plan if the event is not selected, or if something is wrong.
func (d *decoder) eventTypeOf(h *index.EventHeader) eventType {
	typ := d.types.EventType(h.Type)
	if typ == nil {
		if typ = d.olderType(h); typ == nil {
			return eventType{}
		}
	}
	if cf := d.filter; cf.wanted != nil && !cf.wanted[typ.Ordinal()] {
		return eventType{}
	}
	plan, err := typ.Plan()
	if err != nil {
		d.err = d.c.eventErr(*h, err)
		return eventType{}
	}
	return eventType{typ, plan}
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

// olderType returns the type of an event from an older metadata event, if the newest one does
// not describe it. If none describes it, d.err says so, once for each type of the chunk.
func (d *decoder) olderType(h *index.EventHeader) *schema.Type {
	typ, err := d.c.typeOfEvent(*h)
	if err == nil {
		err = d.refreshFilter()
	}
	if err == nil {
		return typ
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

// refreshFilter compiles the filter again if the chunk has got more types.
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

// window is a copy of some bytes of a mapped chunk: of the event that a reader has come to,
// and of events after it.
//
// A mapped file can be cut or overwritten at any moment, and a read of what has gone is a
// fault. Each reader of the map is therefore ready for one, which takes two calls of
// debug.SetPanicOnFault, a defer and a recover: about 5 ns. An accessor that does this for each
// value takes up to 1.7 times as long as one that does not, and nothing an iteration could do
// beforehand makes it unnecessary: its loop runs user code, which a panic must not pass
// through, and with iter.Pull even in another goroutine. So readers copy what they come to,
// many events under one trap, for about 1 ns each. Memory of our own does not fault: what lies
// in the event itself is decoded from the copy, without a trap. What an event refers to is
// read from the map, with one; a text of a constant just once, see object.text.
//
// An event whose bytes have been copied can be read whatever becomes of the file, unless the
// recording is closed or known to have changed: then it answers as if nothing were there.
type window struct {
	b        []byte
	from, to uint64 // in the chunk
}

const (
	// maxWindow is how many bytes a window holds at most.
	maxWindow = 8 << 10
	// maxOwned is the size of the largest event that is copied.
	maxOwned = 1 << 10
	// windowSlack is how many bytes after an event may be looked at: that makes laying out
	// faster. Their values do not matter.
	windowSlack = 64
)

// holds reports whether the event is in the window.
func (w *window) holds(h *index.EventHeader) bool {
	return h.Offset >= w.from && h.End() <= w.to
}

// at returns the bytes of an event that is in the window, and some bytes after it.
func (w *window) at(h *index.EventHeader) []byte { return w.b[h.Offset-w.from:] }

// move makes the window begin at an event, and end at that offset or before. It is false if
// the event cannot be copied. Where events are read one after another the window grows to
// maxWindow; where few of them are wanted it holds just one.
func (w *window) move(c *chunk, h *index.EventHeader, end uint64) bool {
	if h.Size > maxOwned {
		return false
	}
	if w.b == nil {
		w.b = make([]byte, maxWindow+windowSlack)
	}
	length := uint64(h.Size)
	if h.Offset >= w.from && h.Offset <= w.to+length {
		length = max(length, 2*(w.to-w.from))
	}
	from, to := h.Offset, min(h.Offset+min(length, maxWindow), max(end, h.End()))
	w.from, w.to = from, from
	if !c.copyOut(w.b, from, to) {
		return false
	}
	w.to = to
	return true
}

// copyOut copies bytes of the chunk. It is false if they cannot all be read. The status stays as it
// is, because the bytes that are needed may be there.
func (c *chunk) copyOut(dst []byte, from, to uint64) (ok bool) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			if fault, ok := p.(interface{ Addr() uintptr }); !ok || c.rec.regionOf(fault.Addr()) != fileMemory {
				parallel.Repeat(p)
			}
		}
	}()
	if to > uint64(len(c.data)) {
		return false
	}
	wire.StepBytes(copy(dst, c.data[from:to]))
	return true
}

// number reads a number of the kind at pos: an integer with its sign, and the bits of a
// float or double as a double.
func (c *chunk) number(k Kind, b []byte, pos int) int64 {
	if uint(pos) >= uint(len(b)) {
		return 0
	}
	b = b[pos:]
	switch k {
	case KindBool:
		return int64(min(b[0], 1))
	case KindByte:
		return int64(int8(b[0]))
	case KindChar, KindShort, KindInt, KindLong:
		if c.form == wire.FixedWidth {
			return fixedWidth(k, b)
		}
		n := uint64(b[0])
		if n >= 0x80 {
			n, _ = wire.Varint(b)
		}
		return narrow(k, int64(n), false)
	case KindFloat:
		f, _ := wire.Float(b)
		return int64(math.Float64bits(float64(f)))
	case KindDouble:
		f, _ := wire.Double(b)
		return int64(math.Float64bits(f))
	}
	return 0
}

// integerOf returns a number of the kind as an integer.
func integerOf(k Kind, n int64, unsigned bool) int64 {
	switch {
	case k == KindFloat || k == KindDouble:
		return javaLong(math.Float64frombits(uint64(n)))
	case unsigned && k >= KindByte && k <= KindLong:
		return narrow(k, n, true)
	}
	return n
}

// floatOf returns a number of the kind as a double.
func floatOf(k Kind, n int64, unsigned bool) float64 {
	switch {
	case k == KindFloat || k == KindDouble:
		return math.Float64frombits(uint64(n))
	case unsigned:
		return float64(uint64(integerOf(k, n, true)))
	}
	return float64(n)
}

// widths is how many bits the integers of a kind have.
var widths = [...]uint8{KindByte: 8, KindChar: 16, KindShort: 16, KindInt: 32, KindLong: 64}

// narrow keeps as many bits of a number as its kind has, with their sign unless it is unsigned.
func narrow(k Kind, n int64, unsigned bool) int64 {
	shift := (64 - widths[k]) & 63
	if unsigned || k == KindChar {
		return int64(uint64(n) << shift >> shift)
	}
	return n << shift >> shift
}

// fixedWidth reads an integer of the kind that takes as many bytes as the kind has.
func fixedWidth(k Kind, b []byte) (n int64) {
	size := int(widths[k] / 8)
	if len(b) < size {
		return 0
	}
	for _, x := range b[:size] {
		n = n<<8 | int64(x)
	}
	return narrow(k, n, false)
}
