package rewrite

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/refs"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// source is a chunk that is read, and copied value by value.
type source struct {
	ctx       context.Context
	plan      *Plan
	chunk     mmapjfr.Chunk
	in        *index.Chunk
	data      []byte
	form      wire.IntEncoding
	types     *schema.TypeSet
	constants *index.Constants
	jvm       *describe.JVM
	described *describe.Description
	visitor   *refs.Visitor
	strings   *schema.Type // the type of pooled strings; nil if the chunk has no such type
	clock     *nanoClock   // nil if ticks stay
	prefix    string
	enums     enumKeys
	space     keySpace
	changes   map[*schema.Slot]*change
	mends     map[*schema.Slot]TextEdit // of references to texts that the JDK parses
	plain     []bool                    // by ordinal: values are copied as bytes
	events    []*schema.Plan            // by ordinal: of event types that are plain, else nil
	order     [][]describe.Stretch      // by ordinal: of event types whose fields are put in another order

	out   *target
	keys  []keyTable // by ordinal
	noted []refs.Reference
	note  func(refs.Reference)
	room  [][]byte // by depth: an event, and values of constants
	late  []lateConstant

	// kept are the constants of a chunk whose constants keep their keys, and fixed the pooled strings among them; kept is
	// nil in other chunks. edited is whether the value that is copied has changed.
	kept   *keptConstants
	led    []bool // by ordinal: the type is described
	fixed  keyTable
	edited bool
	direct []directTexts // by ordinal
	offs   []uint32      // where the slots of an event lie

	names   fieldNames
	laid    laidOut
	numbers []int64 // of an array
	at      int     // among what has been noted: the text that is edited
	of      values  // those that an edit is called with
	units   []byte  // the text that it is called with, if no bytes of the recording are that text

	pooling []byte // a text for the pool of strings
	long    map[int64]*longText
	round   int // how many chunks have been begun

	report *Report
}

// lateConstant is a constant that has a key before it is copied: one that contains itself, or lies too deep.
type lateConstant struct {
	typ    *schema.Type
	offset uint64
	key    int64
}

// maxDepth is how deep constants are followed one inside of the other. Stack traces lead to frames, methods,
// classes, packages and modules.
const maxDepth = 32

// These take the place of keys in a key table.
const (
	pending = math.MinInt64 // the constant is being copied
	missing = math.MinInt64 + 1
)

// newSource returns the source for a chunk with types and constants.
func newSource(ctx context.Context, plan *Plan, c *inputChunk, clock *nanoClock, report *Report) (*source, error) {
	in := engine.ChunkIndex(c.Chunk)
	constants, err := in.Constants()
	if err != nil {
		return nil, err
	}
	s := &source{ctx: ctx,
		plan: plan, chunk: c.Chunk, in: in, data: in.Data(), form: in.IntEncoding(), types: c.described.Types(), constants: constants,
		jvm: c.jvm, described: c.described, clock: clock, changes: make(map[*schema.Slot]*change), report: report, enums: c.enums,
		space: c.space, names: make(fieldNames),
	}
	if plan.Prefix != nil {
		s.prefix = plan.Prefix(c.Chunk)
	}
	s.strings = describe.Named(s.types, "java.lang.String")
	s.visitor = refs.New(s.data, s.form, s.strings)
	if c.keeps {
		s.visitor.OnlyTexts()
		s.led = make([]bool, len(s.types.Types))
		for _, t := range remaining(s.types, c.dropped) {
			s.led[t.Ordinal()] = true
		}
	} else {
		s.mends = mendsOf(s.types)
	}
	recode := s.form != plan.form(c.Chunk)
	s.visitor.Also(func(t *schema.Type, slot int) bool {
		ch := s.change(t, slot)
		if ch == nil {
			return recode
		}
		plan, _ := t.Plan() // there is one: it has slots
		ch.t, ch.slot = t, slot
		s.changes[plan.Slot(slot)] = ch
		return true
	}, recode)
	s.note = func(r refs.Reference) { s.noted = append(s.noted, r) }
	s.keys = make([]keyTable, len(s.types.Types))
	s.plain = make([]bool, len(s.types.Types))
	s.events = make([]*schema.Plan, len(s.types.Types))
	s.direct = make([]directTexts, len(s.types.Types))
	s.order = make([][]describe.Stretch, len(s.types.Types))
	for i, t := range s.types.Types {
		s.order[i] = s.described.Order(t)
		s.plain[i] = !recode && !s.visitor.CanRefer(t) && !c.jvm.Renumbers()
		if s.plain[i] && s.order[i] == nil && s.described.Unkept(t) == "" && !c.dropped[i] && t != c.settings {
			s.events[i], _ = t.Plan() // events of a type without a plan cannot be read
		}
		if c.keeps && !s.plain[i] {
			s.direct[i] = s.directTexts(t)
		}
	}
	return s, nil
}

// begin makes the source copy into another chunk.
func (s *source) begin(out *target) {
	s.out = out
	s.round++
	for i := range s.keys {
		s.keys[i].reset()
	}
}

// wrong returns the error of an event, with its place.
func (s *source) wrong(ev *index.EventHeader, err error) error {
	return &mmapjfr.FormatError{Err: err, Section: "event", Offset: s.in.Offset() + ev.Offset, Chunk: s.chunk.Number()}
}

// event copies an event of a type, which is nil if it is unknown. It returns an error if the event cannot be read; then nothing of it is there.
func (s *source) event(ev *index.EventHeader, t *schema.Type) error {
	if t == nil {
		return s.wrong(ev, fmt.Errorf("%w %d", mmapjfr.ErrUnknownType, ev.Type))
	}
	if why := s.described.Unkept(t); why != "" {
		return s.wrong(ev, fmt.Errorf("%w: an event of %s: %s", mmapjfr.ErrCorrupt, t.Name, why))
	}
	begin, end := int(ev.Offset), int(ev.End())
	if d := &s.direct[t.Ordinal()]; d.plan != nil && s.eventTexts(ev, t, d) {
		return nil
	}
	a := s.beginEvent(ev)
	s.edited = false
	var body []byte
	var next int
	var ok bool
	if order := s.order[t.Ordinal()]; order != nil {
		body, ok = s.ordered(a.Bytes, t, order, int(ev.Body()), end)
	} else {
		body, next, ok = s.value(a.Bytes, t, int(ev.Body()), end, 0)
	}
	if !ok {
		return s.wrong(ev, fmt.Errorf("%w: an event of %s does not fit its fields", mmapjfr.ErrCorrupt, t.Name))
	}
	s.room[0] = body
	if s.kept != nil && !s.edited && next == end {
		s.same(begin, end, 1)
	} else {
		s.endEvent(ev, body)
	}
	return s.finish()
}

// copyPlain copies the events at the beginning of some, up to the first one that is not copied as bytes: since values of
// its type may change, or since it does not fit its fields. It counts them by ordinal and returns how many they are.
func (s *source) copyPlain(headers []index.EventHeader, counts []uint64) (n int) {
	begin := int(headers[0].Offset)
	end := begin
	for n < len(headers) && end-begin < writeSize {
		ev := &headers[n]
		ordinal, ok := s.types.Ordinal(ev.Type)
		if !ok || s.events[ordinal] == nil || int(ev.Offset) != end {
			break
		}
		to := int(ev.End())
		// With a word after the event, all of its integers are read as words.
		room := min(to+wire.WordLen, len(s.data))
		if next, ok := s.events[ordinal].Skip(s.data[:room], int(ev.Body())); !ok || next != to {
			break
		}
		counts[ordinal]++
		end = to
		n++
	}
	if n > 0 {
		s.same(begin, end, n)
	}
	return n
}

// beginEvent returns room for an event, with its head.
func (s *source) beginEvent(ev *index.EventHeader) wire.Appender {
	width := sizeWidth(s.out.form, int(ev.Size))
	a := wire.Appender{Bytes: append(s.take(0), make([]byte, width)...), Encoding: s.out.form}
	a.Long(int64(s.jvm.ID(ev.Type)))
	return a
}

// endEvent copies an event that has been begun.
func (s *source) endEvent(ev *index.EventHeader, event []byte) {
	event = sized(event, sizeWidth(s.out.form, int(ev.Size)), s.out.form)
	s.room[0] = event
	s.out.events.append(event)
	s.out.kept++
}

// same copies n events as they are.
func (s *source) same(begin, end, n int) {
	if s.kept != nil {
		s.out.events.extend(s.data, begin, end)
	} else {
		s.out.events.append(s.data[begin:end])
	}
	s.out.kept += uint64(n)
}

// sizeWidth returns how many bytes the size of an event takes that has, more or less, that size: one or four, as virtual
// machines write it.
func sizeWidth(form wire.IntEncoding, size int) int {
	if form == wire.Compressed && size < 1<<7 {
		return 1
	}
	return 4
}

// sized sets the size of an event that begins with room for it. If the room is too small, the event moves.
func sized(event []byte, width int, form wire.IntEncoding) []byte {
	size := len(event)
	for more := 0; form == wire.Compressed && size>>(7*width) > 0; size = len(event) {
		more = max(4, width+1) - width
		event = append(event, make([]byte, more)...)
		copy(event[width+more:], event[width:])
		width += more
	}
	a := wire.Appender{Bytes: event[:0], Encoding: form}
	a.Integer(uint64(size), wire.IntLen, width)
	return event
}

// finish copies the constants that have keys already.
func (s *source) finish() error {
	for len(s.late) > 0 {
		last := len(s.late) - 1
		c := s.late[last]
		s.late = s.late[:last]
		value, ok := s.constantValue(c.typ, c.offset, 1)
		if !ok {
			value = nullOf(c.typ, s.out.form)
			s.report.Missing++
		}
		s.out.add(s.out.pool(s.jvm.ID(c.typ.ID)), c.key, value)
	}
	return nil
}

// take returns the room for values at a depth, empty.
func (s *source) take(depth int) []byte {
	for len(s.room) <= depth {
		s.room = append(s.room, nil)
	}
	return s.room[depth][:0]
}

// value appends a copy of the value of a type that lies between pos and end. It returns where the value ends.
func (s *source) value(dst []byte, t *schema.Type, pos, end, depth int) (out []byte, next int, ok bool) {
	first := len(s.noted)
	if next, ok = s.visitor.Value(t, pos, end, s.note); !ok || next > end {
		s.noted = s.noted[:first]
		return dst, 0, false
	}
	dst = s.stretch(dst, t, pos, end, depth, first, len(s.noted), pos, next)
	s.noted = s.noted[:first]
	return dst, next, true
}

// ordered is value for an event whose slots are put in another order.
func (s *source) ordered(dst []byte, t *schema.Type, order []describe.Stretch, pos, end int) (out []byte, ok bool) {
	plan, err := t.Plan()
	if err != nil {
		return dst, false
	}
	if len(s.offs) < plan.NumSlots() {
		s.offs = make([]uint32, plan.NumSlots())
	}
	next, ok := s.visitor.Value(t, pos, end, s.note)
	if ok {
		_, ok = plan.Layout(s.data, pos, end, s.offs)
	}
	if !ok || next > end {
		s.noted = s.noted[:0]
		return dst, false
	}
	n := len(s.noted)
	for _, stretch := range order {
		from, to := stretch.Bytes(s.offs, plan.NumSlots(), next)
		first := sort.Search(n, func(i int) bool { return s.noted[i].From >= from })
		last := sort.Search(n, func(i int) bool { return s.noted[i].From >= to })
		dst = s.stretch(dst, t, pos, end, 0, first, last, from, to)
	}
	s.noted = s.noted[:0]
	return dst, true
}

// stretch appends a copy of what lies between from and to in the value of a type between pos and end; from first to n
// is noted of it.
func (s *source) stretch(dst []byte, t *schema.Type, pos, end, depth, first, n, from, to int) []byte {
	a := wire.Appender{Bytes: dst, Encoding: s.out.form}
	last := from
	for i := first; i < n; i++ {
		r := &s.noted[i]
		if r.Type != nil && r.Slot.Constant {
			if r.From > last {
				a.Bytes = append(a.Bytes, s.data[last:r.From]...)
			}
			last = r.To
			if len(r.Type.Fields) <= 1 && s.mends[r.Slot] != nil {
				if key, ok := s.mended(s.mends[r.Slot], r.Type, r.Key); ok {
					a.Long(key)
					continue
				}
			}
			key, ok := s.keys[r.Type.Ordinal()].get(r.Key)
			if !ok || key == pending {
				key = s.constant(r.Type, r.Key, depth)
			}
			if key == missing {
				key = s.null(r.Type, r.Key)
			}
			s.edited = s.edited || key != r.Key
			a.Long(key)
			continue
		}
		ch := s.changes[r.Slot]
		if ch == nil && r.Type == nil && s.form == s.out.form {
			continue
		}
		a.Raw(s.data[last:r.From])
		last = r.To
		s.at = i
		switch {
		case r.Count:
			a.Count(int(r.Key))
		case r.Type == nil && ch != nil && ch.array != nil:
			i = s.array(&a, i, ch)
			last = s.noted[i].To
		case r.Type == nil:
			s.piece(&a, r, ch, t, pos, end)
		default:
			s.pooled(&a, *r, ch, t, pos, end, depth)
		}
	}
	return append(a.Bytes, s.data[last:to]...)
}

// constant returns the key of the copy of a constant, or missing.
func (s *source) constant(t *schema.Type, key int64, depth int) int64 {
	if s.kept != nil {
		if value, ok := s.fixed.get(key); ok {
			return value
		}
	}
	keys := &s.keys[t.Ordinal()]
	value, ok := keys.get(key)
	if ok && value != pending {
		return value
	}
	if keys.used == 0 && !keys.hasZero && s.kept == nil && s.isKeptEnum(t) {
		if s.keepEnum(t, depth+1); keys.used > 0 || keys.hasZero {
			return s.constant(t, key, depth)
		}
	}
	at, found := s.constants.Lookup(t, key)
	if !found || !s.described.Pools(t) {
		if key != 0 {
			s.report.Missing++
		}
		keys.set(key, missing)
		return missing
	}
	p := s.out.pool(s.jvm.ID(t.ID))
	if ok || depth >= maxDepth { // it contains itself, or lies deep
		value = s.newKey(p, key)
		keys.set(key, value)
		s.late = append(s.late, lateConstant{t, at, value})
		return value
	}
	keys.set(key, pending)
	body, ok := s.constantValue(t, at, depth+1)
	if value, _ = keys.get(key); value != pending {
		return value // it contains itself: it is copied later
	}
	if !ok {
		s.report.Missing++
		keys.set(key, missing)
		return missing
	}
	if value, ok = s.space.key(key); ok {
		value = s.out.internAs(p, value, body)
	} else {
		value = s.out.intern(p, body)
	}
	keys.set(key, value)
	return value
}

// null returns a key that stands for no constant of a type, in place of one that is missing.
func (s *source) null(t *schema.Type, key int64) int64 {
	if _, found := s.constants.Lookup(t, 0); found && s.space.keeps && s.space.spaces == 1 || s.isKeptEnum(t) {
		return key
	}
	return 0
}

// newKey returns the key of the copy of a constant, which no other one has.
func (s *source) newKey(p *pool, key int64) int64 {
	if value, ok := s.space.key(key); ok && !s.out.has(p, value) {
		return value
	}
	return s.out.newKey(p)
}

// constantValue returns a copy of the value of a constant, valid until the next one of that depth.
func (s *source) constantValue(t *schema.Type, offset uint64, depth int) ([]byte, bool) {
	edited := s.edited
	value, _, ok := s.value(s.take(depth), t, int(offset), len(s.data), depth)
	s.room[depth], s.edited = value, edited
	return value, ok
}

// nullOf returns a value of a type in which all is null or 0.
func nullOf(t *schema.Type, form wire.IntEncoding) []byte {
	a := wire.Appender{Encoding: form}
	describe.AppendNull(&a, t, "", nil)
	return a.Bytes
}
