package rewrite

import (
	"fmt"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/refs"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// source is a chunk that is read, and copied value by value.
type source struct {
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
	changes   map[*schema.Slot]*change
	plain     []bool // by ordinal: values are copied as bytes

	out   *target
	keys  []keyTable // by ordinal
	noted []refs.Reference
	note  func(refs.Reference)
	room  [][]byte // by depth: an event, and values of constants
	late  []lateConstant

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

// pending marks a constant that is being copied, in a key table.
const pending = -1

// newSource returns the source for a chunk with types and constants.
func newSource(plan *Plan, c mmapjfr.Chunk, jvm *describe.JVM, described *describe.Description, clock *nanoClock, report *Report) (*source, error) {
	in := c.Index()
	constants, err := in.Constants()
	if err != nil {
		return nil, err
	}
	s := &source{
		plan: plan, chunk: c, in: in, data: in.Data(), form: in.IntEncoding(), types: described.Types(), constants: constants,
		jvm: jvm, described: described, clock: clock, changes: make(map[*schema.Slot]*change), report: report,
	}
	if plan.Prefix != nil {
		s.prefix = plan.Prefix(c)
	}
	s.strings = describe.Named(s.types, "java.lang.String")
	s.visitor = refs.New(s.data, s.form, s.strings)
	recode := s.form != plan.form(c)
	s.visitor.Also(func(t *schema.Type, slot int) bool {
		ch := s.change(t, slot)
		if ch == nil {
			return recode
		}
		plan, _ := t.Plan() // there is one: it has slots
		s.changes[plan.Slot(slot)] = ch
		return true
	}, recode)
	s.note = func(r refs.Reference) { s.noted = append(s.noted, r) }
	s.keys = make([]keyTable, len(s.types.Types))
	s.plain = make([]bool, len(s.types.Types))
	for i, t := range s.types.Types {
		s.plain[i] = !recode && !s.visitor.CanRefer(t) && !jvm.Renumbers()
	}
	return s, nil
}

// begin makes the source copy into another chunk.
func (s *source) begin(out *target) {
	s.out = out
	for i := range s.keys {
		s.keys[i].reset()
	}
}

// event copies an event. It returns an error if the event cannot be read; then nothing of it is there.
func (s *source) event(ev *index.EventHeader) error {
	t := s.types.ByID(ev.Type)
	if t == nil {
		return fmt.Errorf("%w: %d", mmapjfr.ErrUnknownType, ev.Type)
	}
	if why := s.described.Unkept(t); why != "" {
		return fmt.Errorf("%w: an event of %s: %s", mmapjfr.ErrCorrupt, t.Name, why)
	}
	out := s.out
	if s.plain[t.Ordinal()] {
		plan, err := t.Plan()
		if err != nil {
			return err
		}
		if end, ok := plan.Skip(s.data[:ev.End()], int(ev.Body())); ok && end == int(ev.End()) {
			out.events.append(s.data[ev.Offset:ev.End()])
			out.kept++
			return nil
		}
	}
	width := sizeWidth(out.form, int(ev.Size))
	a := wire.Appender{Bytes: append(s.take(0), make([]byte, width)...), Encoding: out.form}
	a.Long(int64(s.jvm.ID(ev.Type)))
	body, _, ok := s.value(a.Bytes, t, int(ev.Body()), int(ev.End()), 0)
	if !ok {
		return fmt.Errorf("%w: an event of %s at %d does not fit its fields", mmapjfr.ErrCorrupt, t.Name, s.in.Offset()+ev.Offset)
	}
	body = sized(body, width, out.form)
	s.room[0] = body
	out.events.append(body)
	out.kept++
	return s.finish()
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
	a := wire.Appender{Bytes: dst, Encoding: s.out.form}
	last := pos
	for i, n := first, len(s.noted); i < n; i++ {
		r := &s.noted[i]
		if r.Type != nil && r.Slot.Constant {
			if r.From > last {
				a.Bytes = append(a.Bytes, s.data[last:r.From]...)
			}
			last = r.To
			key, ok := s.keys[r.Type.Ordinal()].get(r.Key)
			if !ok || key == pending {
				key = s.constant(r.Type, r.Key, depth)
			}
			a.Long(key)
			continue
		}
		ch := s.changes[r.Slot]
		if ch == nil && r.Type == nil && s.form == s.out.form {
			continue
		}
		a.Raw(s.data[last:r.From])
		last = r.To
		switch {
		case r.Count:
			a.Count(int(r.Key))
		case r.Type == nil:
			s.piece(&a, r, ch, t, pos, end)
		default:
			s.pooled(&a, *r, ch, t, pos, end, depth)
		}
	}
	s.noted = s.noted[:first]
	return append(a.Bytes, s.data[last:next]...), next, true
}

// pooled appends a string that lies in the pool of strings; its encoding has been appended.
func (s *source) pooled(a *wire.Appender, r refs.Reference, ch *change, t *schema.Type, pos, end, depth int) {
	encoding := len(a.Bytes) - 1
	if ch != nil && ch.text != nil {
		if text, ok := s.pooledText(r.Key); ok {
			if edited, changed := ch.text(text, &values{s, t, pos, end}); changed {
				a.Bytes = a.Bytes[:encoding]
				a.Text(edited)
				return
			}
		}
	}
	key := s.constant(r.Type, r.Key, depth)
	if key == 0 {
		a.Bytes[encoding] = uint8(wire.Null)
		return
	}
	a.Long(key)
}

// pooledText returns the text of a pooled string.
func (s *source) pooledText(key int64) (text string, ok bool) {
	at, ok := s.constants.Lookup(s.strings, key)
	if !ok {
		return "", false
	}
	t, n := wire.ReadText(s.data[at:], s.form)
	if n == 0 || t.Encoding == wire.Null || t.Encoding == wire.Constant {
		return "", false
	}
	return textOf(t), true
}

// textOf returns a text: a view of the recording where its bytes are the text.
func textOf(t wire.Text) string {
	if s, ok := t.View(); ok {
		return s
	}
	return string(t.Append(nil))
}

// constant returns the key of the copy of a constant; 0 if it is missing.
func (s *source) constant(t *schema.Type, key int64, depth int) int64 {
	keys := &s.keys[t.Ordinal()]
	value, ok := keys.get(key)
	if ok && value != pending {
		return value
	}
	at, found := s.constants.Lookup(t, key)
	if !found || !s.described.Pools(t) {
		if key != 0 {
			s.report.Missing++
		}
		keys.set(key, 0)
		return 0
	}
	p := s.out.pool(s.jvm.ID(t.ID))
	if ok || depth >= maxDepth { // it contains itself, or lies deep
		value = s.out.newKey(p)
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
		keys.set(key, 0)
		return 0
	}
	value = s.out.intern(p, body)
	keys.set(key, value)
	return value
}

// constantValue returns a copy of the value of a constant, valid until the next one of that depth.
func (s *source) constantValue(t *schema.Type, offset uint64, depth int) ([]byte, bool) {
	value, _, ok := s.value(s.take(depth), t, int(offset), len(s.data), depth)
	s.room[depth] = value
	return value, ok
}

// nullOf returns a value of a type in which all is null or 0.
func nullOf(t *schema.Type, form wire.IntEncoding) []byte {
	a := wire.Appender{Encoding: form}
	describe.AppendNull(&a, t, "", nil)
	return a.Bytes
}
