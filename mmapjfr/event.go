package mmapjfr

import (
	"iter"
	"runtime/debug"
	"time"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

var (
	pathStartTime  = Path("startTime")
	pathDuration   = Path("duration")
	pathItsThread  = Path("@thread")
	pathStackTrace = Path("stackTrace")
)

// Event is a view of an event: its place in the file and its type. Its fields have been
// checked to lie inside it, so reading them cannot fail. If the file is cut or overwritten
// meanwhile, fields read as if they were not there: the iteration then ends with an error that
// matches [ErrTruncated] or [ErrChanged], and [Recording.FileErr] returns it, too. Most events
// that an iteration stands at are copied to memory: fields that refer to no constant can then
// be read even after the file has been cut.
//
// An event of an iteration or a [Cursor] shares the scratch memory of that iteration. It may
// be kept and read later in the same goroutine. Before another goroutine gets it, make it
// independent with [Event.Detached].
//
// The zero Event comes with errors, and reads as an event that has no fields.
type Event struct {
	c   *chunk
	typ *schema.Type
	s   *scratch // nil if fields have to be found one by one
	pos int
}

// scratch is where the fields of one event lie: the event of chunk c that begins at pos. It
// belongs to an iteration, and describes the event that the iteration stands at.
type scratch struct {
	owner
	c    *chunk
	pos  int
	ord  uint64   // of the event, in its chunk; or noOrdinal
	offs []uint32 // from the start of the event
	// slots is how many of offs are of the event. A struct of no bytes at its end
	// has a slot beyond them.
	slots int
	// own is the bytes of the event in memory that does not fault; nil if they are not in such
	// memory. See decoder.go.
	own []byte
	// texts are those that events have referred to by their keys: as iterations ask the same
	// of each event, a text is mostly one of these, and no map is read for it.
	texts [32]referredText
}

// referredText is the text at the end of a path that begins with the key of a constant.
type referredText struct {
	path *resolvedPath
	key  int64
	text string
}

// referredText returns where the text for a path and a key is remembered, if it is.
func (s *scratch) referredText(r *resolvedPath, key int64) *referredText {
	return &s.texts[(uint64(key)*0x9E3779B97F4A7C15>>32^uint64(r.slot))%uint64(len(s.texts))]
}

// long returns the number in a slot; false if there is no such slot.
func (s *scratch) long(slot int) (n int64, ok bool) {
	if slot < 0 || slot >= s.slots {
		return 0, false
	}
	n, size := s.c.form.Long(s.c.data[s.pos+int(s.offs[slot]):])
	return n, size > 0
}

// ownScratch returns the scratch if it describes this event.
func (e Event) ownScratch() *scratch {
	if wire.Debug {
		e.s.checkOwner()
	}
	if s := e.s; s != nil && s.pos == e.pos && s.c == e.c {
		return s
	}
	return nil
}

// owned returns the scratch if it has the bytes of this event in memory of our own, and the
// event may still be read. What is decoded from there needs no trap.
func (e Event) owned() *scratch {
	if s := e.ownScratch(); s != nil && s.own != nil && !e.c.isGone() {
		return s
	}
	return nil
}

// Detached returns the event without ties to the iteration it came from, to be
// passed to other goroutines. Finding its fields takes a little longer.
func (e Event) Detached() Event {
	e.s = nil
	return e
}

// IsZero reports whether e is the zero Event.
func (e Event) IsZero() bool { return e.c == nil }

// Type returns the event's type.
func (e Event) Type() Type { return Type{e.typ} }

// Chunk returns the chunk that holds the event.
func (e Event) Chunk() Chunk { return Chunk{e.c} }

// Offset returns where the event begins, in bytes from the start of the
// recording: what [Recording.EventAtOffset] takes.
func (e Event) Offset() uint64 { return e.Chunk().Offset() + uint64(e.pos) }

// Size returns the number of bytes of the event, its header included.
func (e Event) Size() int { return len(e.bytes()) }

// bytes returns the event as it lies in the file. It aliases the recording and
// is valid until Close; it must not be changed.
func (e Event) bytes() []byte {
	if s := e.owned(); s != nil {
		end := e.pos + len(s.own)
		return e.c.data[e.pos:end:end]
	}
	return e.bytesOfMap()
}

func (e Event) bytesOfMap() (raw []byte) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if e.c == nil {
		return nil
	}
	b := e.c.bytes()
	if e.pos >= len(b) {
		return nil
	}
	size, _ := e.c.form.Count(b[e.pos:])
	return b[e.pos : e.pos+int(size) : e.pos+int(size)]
}

// body returns the chunk's bytes up to the end of the event, and where its first
// field begins.
func (e Event) body() (b []byte, pos int) {
	if e.c == nil {
		return nil, 0
	}
	b = e.c.bytes()
	if e.pos >= len(b) {
		return nil, 0
	}
	form := e.c.form
	size, n := form.Count(b[e.pos:])
	_, m := form.Long(b[e.pos+n:])
	return b[:e.pos+int(size)], e.pos + n + m
}

// Ordinal returns how many events of the recording come before this one.
// Metadata and checkpoints are not counted. The first use reads the event headers of the chunks
// before, and for an event that no iteration stands at some headers of its own chunk.
func (e Event) Ordinal() uint64 {
	if e.c == nil {
		return 0
	}
	if s := e.ownScratch(); s != nil && s.ord != noOrdinal {
		return e.c.rec.firstOrdinal(e.c) + s.ord
	}
	return e.c.rec.firstOrdinal(e.c) + e.c.ordinal(e.pos)
}

// find returns where the slot lies.
func (e Event) find(slot int) (b []byte, pos int, ok bool) {
	if s := e.ownScratch(); s != nil && slot < s.slots {
		return e.c.bytes(), e.pos + int(s.offs[slot]), true
	}
	b, pos = e.body()
	plan, err := e.typ.Plan()
	if err != nil {
		return nil, 0, false
	}
	pos, ok = plan.SlotOffset(b, pos, slot)
	return b, pos, ok
}

// Get returns the value that the path leads to; an absent one if the type has
// no such field. It allocates nothing.
func (e Event) Get(p *FieldPath) Value {
	if s := e.owned(); s != nil {
		if r := e.c.resolve(e.typ, p); r.inside {
			if v, ok := e.inside(s, r.field, r.slot); ok {
				return v
			}
		}
	}
	return e.getOfMap(p)
}

//go:noinline
func (e Event) getOfMap(p *FieldPath) (v Value) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return e.get(p)
}

// get is Get without a trap: the caller recovers from faults. Other accessors have such a
// twin, too.
func (e Event) get(p *FieldPath) Value {
	if e.c == nil {
		p.check()
		return Value{}
	}
	r := e.c.resolve(e.typ, p)
	if r.field == nil || r.computed != recorded {
		return e.compute(r)
	}
	return e.follow(r, r.field)
}

// follow returns the value of the field that the hops of the path lead to.
func (e Event) follow(r *resolvedPath, f *schema.Field) Value {
	s := e.ownScratch()
	b, pos := e.c.bytes(), e.pos
	if s == nil || r.hops[0].n >= s.slots {
		s = nil
		b, pos = e.body()
	}
	pos, absent, ok := e.c.follow(r, b, pos, s)
	if !ok {
		return e.c.valueAt(f, absent, 0, 0)
	}
	return e.c.valueOf(f, e.c.bytes(), pos, r.elem, 0)
}

// Has reports whether the event's type has what the path leads to.
func (e Event) Has(p *FieldPath) bool {
	p.check()
	return e.c != nil && e.c.resolve(e.typ, p).field != nil
}

// Int returns the integer that the path leads to, as [Value.Int] does; 0 if
// it leads to none.
func (e Event) Int(p *FieldPath) int64 {
	if s := e.owned(); s != nil {
		switch r := e.c.resolve(e.typ, p); {
		case r.direct && r.slot < s.slots:
			return e.c.direct(r, s.own, int(s.offs[r.slot]))
		case r.field == nil && r.computed == recorded:
			return 0
		}
	}
	return e.intOfMap(p)
}

//go:noinline
func (e Event) intOfMap(p *FieldPath) (n int64) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if e.c == nil {
		p.check()
		return 0
	}
	r := e.c.resolve(e.typ, p)
	if !r.direct {
		return e.get(p).integer()
	}
	if b, pos, ok := e.find(r.slot); ok {
		n = e.c.direct(r, b, pos)
	}
	return n
}

// direct returns the integer that a direct path leads to. It lies in b at pos.
func (c *chunk) direct(r *resolvedPath, b []byte, pos int) int64 {
	kind := kinds[r.field.Type.Kind]
	return integerOf(kind, c.number(kind, b, pos), r.field.Unsigned)
}

// Uint returns the integer that the path leads to, without a sign; 0 if it
// leads to none.
func (e Event) Uint(p *FieldPath) uint64 { return uint64(e.Int(p)) }

// Bool returns the boolean that the path leads to; false if it leads to none.
func (e Event) Bool(p *FieldPath) bool { return e.Int(p) != 0 }

// Float returns the number that the path leads to; 0 if it leads to none.
func (e Event) Float(p *FieldPath) float64 { return e.Get(p).Float() }

// Str returns the string that the path leads to; "" if it leads to none. It stays valid, see
// [Value.Str].
func (e Event) Str(p *FieldPath) string {
	if s := e.owned(); s != nil {
		if r := e.c.resolve(e.typ, p); r.inside {
			if t, ok := e.text(s.own, s, r); ok {
				return e.c.rec.strings.Text(t)
			}
		} else if r.refers {
			return e.referredStr(s, r, p)
		}
	}
	return e.strOfMap(p)
}

// referredStr is Str of a path that begins with the key of a constant.
func (e Event) referredStr(s *scratch, r *resolvedPath, p *FieldPath) string {
	if r.slot >= s.slots {
		return e.strOfMap(p)
	}
	key, _ := e.c.form.Long(s.own[s.offs[r.slot]:])
	t := s.referredText(r, key)
	if t.path == r && t.key == key {
		return t.text
	}
	text := e.strOfMap(p)
	if text != "" && len(text) <= maxOwned {
		*t = referredText{r, key, text}
	}
	return text
}

//go:noinline
func (e Event) strOfMap(p *FieldPath) (s string) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return e.get(p).str()
}

// text returns the string in the slot of a path, if it is in the event itself. b is the bytes of
// the event, with others after them or without.
func (e Event) text(b []byte, s *scratch, r *resolvedPath) (t wire.Text, ok bool) {
	if r.slot >= s.slots || r.field.Array || r.field.Constant || r.field.Type.Kind != schema.String {
		return wire.Text{}, false
	}
	t, n := wire.ReadText(b[s.offs[r.slot]:], e.c.form)
	return t, n > 0 && t.Encoding != wire.Constant
}

// StrView returns what [Event.Str] does as a view that may alias the recording. It is
// valid until [Recording.Close], or until a growing chunk grows; see [Value.StrView].
func (e Event) StrView(p *FieldPath) (view string) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if s := e.owned(); s != nil {
		if r := e.c.resolve(e.typ, p); r.inside {
			if t, ok := e.text(e.c.data[e.pos:], s, r); ok {
				if view, ok := t.View(); ok {
					return view
				}
			}
		}
	}
	return e.get(p).strView()
}

// Time returns the point in time that the path leads to, see [Value.Time].
func (e Event) Time(p *FieldPath) time.Time { return e.Get(p).Time() }

// Timespan returns the length of time that the path leads to, see [Value.Duration].
func (e Event) Timespan(p *FieldPath) time.Duration { return e.Get(p).Duration() }

// ticks returns a number of ticks; false if there is no such field, or the
// recording is closed.
func (e Event) ticks(p *FieldPath) (n int64, ok bool) {
	if s := e.owned(); s != nil {
		if r := e.c.resolve(e.typ, p); r.direct && r.slot < s.slots {
			return e.c.direct(r, s.own, int(s.offs[r.slot])), true
		}
	}
	return e.Int(p), e.Has(p) && !e.c.isGone()
}

// startTicks returns when the event began, in ticks of its chunk's clock.
func (e Event) startTicks() int64 { return e.Int(pathStartTime) }

// endTicks returns when the event ended, in ticks of its chunk's clock. Events without a
// duration end when they begin.
func (e Event) endTicks() int64 { return e.Int(pathStartTime) + e.Int(pathDuration) }

// StartNanos returns when the event began, in nanoseconds since 1970, UTC; 0 if it has no start
// time.
func (e Event) StartNanos() int64 { return e.nanosAfter(0) }

// endNanos returns when the event ended, in nanoseconds since 1970, UTC; 0 if it has no start
// time. Events without a duration end when they begin.
func (e Event) endNanos() int64 { return e.nanosAfter(e.Int(pathDuration)) }

// nanosAfter returns the time that many ticks after the event began; 0 if it has no start time.
func (e Event) nanosAfter(ticks int64) int64 {
	start, ok := e.ticks(pathStartTime)
	if !ok {
		return 0
	}
	return e.c.clock.timestamp(start + ticks)
}

// Start returns when the event began, in UTC; the zero time if it has no start time. It is what
// the JDK computes with the clock of the event's chunk.
func (e Event) Start() time.Time { return e.timeOrZero(e.StartNanos()) }

// End returns when the event ended, in UTC: its start time and its duration.
func (e Event) End() time.Time { return e.timeOrZero(e.endNanos()) }

// timeOrZero returns the time; the zero time if the event has no start time.
func (e Event) timeOrZero(ns int64) time.Time {
	if _, ok := e.ticks(pathStartTime); !ok {
		return time.Time{}
	}
	return unixNano(ns)
}

// Duration returns how long the event lasted, from Start to End. The value of
// its field "duration", converted by itself, can differ by a nanosecond.
func (e Event) Duration() time.Duration {
	return time.Duration(e.endNanos() - e.StartNanos())
}

// Thread returns the thread of the event: the thread in which it happened or that was sampled,
// or else the thread that it is about. The path @thread, see [FieldPath], and the filters
// [Threads] and [ThreadsFunc] mean the same thread. It is empty if the event has
// none.
func (e Event) Thread() Thread { return Thread{e.Get(pathItsThread).object()} }

// StackTrace returns the stack trace of the event; an empty one if the event has none.
func (e Event) StackTrace() StackTrace { return StackTrace{e.Get(pathStackTrace).object()} }

// Value returns the event as the struct that it is.
func (e Event) Value() Value {
	if o := e.object(); o.pos != 0 {
		return o.value()
	}
	return Value{}
}

// object returns the event as a struct; one at position 0 if its bytes have gone.
func (e Event) object() (o object) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	_, pos := e.body()
	return object{e.c, e.typ, pos, 0}
}

// Fields returns the fields with their values, in the order in which they are
// written.
func (e Event) Fields() iter.Seq2[Field, Value] {
	return func(yield func(Field, Value) bool) { e.eachField(yield) }
}

func (e Event) eachField(yield func(Field, Value) bool) {
	if e.ownScratch() == nil {
		// Finding each field from the beginning takes time that grows with the square of their number.
		if o := e.object(); o.pos != 0 {
			o.eachField(yield)
		}
		return
	}
	for i := range e.typ.Fields {
		f := &e.typ.Fields[i]
		v, ok := e.field(f)
		if !ok || !yield(Field{f}, v) {
			return
		}
	}
}

func (e Event) field(f *schema.Field) (v Value, ok bool) {
	if s := e.owned(); s != nil {
		if v, ok := e.inside(s, f, f.Slot()); ok {
			return v, true
		}
	}
	return e.fieldOfMap(f)
}

//go:noinline
func (e Event) fieldOfMap(f *schema.Field) (v Value, ok bool) {
	if e.c.mayFault() {
		defer e.c.recoverFault(debug.SetPanicOnFault(true))
	}
	_, pos, ok := e.find(f.Slot())
	if !ok || f.Plan() == nil {
		return Value{}, false
	}
	return e.c.valueOf(f, e.c.bytes(), pos, false, 0), true
}

// inside returns the value of a field in a slot of the event, if that takes only the event's
// own bytes and tables in ordinary memory. It is false where the map must be read, and where
// something is odd.
func (e Event) inside(s *scratch, f *schema.Field, slot int) (v Value, ok bool) {
	typ := f.Type
	if slot >= s.slots || typ == nil {
		return Value{}, false
	}
	off := int(s.offs[slot])
	pos := e.pos + off
	switch {
	case off >= len(s.own) || !f.Array && typ.IsWrapper():
		return Value{}, false
	case f.Array:
		return e.c.valueAt(f, KindArray, pos, 0), f.Plan() != nil
	case f.Constant:
		return e.c.referred(f, s.own[off:], pos)
	case typ.Kind != schema.String:
		return e.c.plainValue(f, typ, s.own, off, pos), true
	}
	switch wire.Encoding(s.own[off]) {
	case wire.Null:
		return e.c.valueAt(f, kindNull, pos, 0), true
	case wire.Constant:
		return Value{}, false
	}
	return e.c.valueAt(f, KindString, pos, 0), true
}

// referred returns the constant whose key b begins with, if it is known where the constant
// lies and nothing else has to be read.
func (c *chunk) referred(f *schema.Field, b []byte, pos int) (v Value, ok bool) {
	k := c.ix.CachedConstants()
	if k == nil || k.Saved() && c.mapped || f.Type.Kind != schema.Struct {
		return Value{}, false
	}
	key, n := c.form.Long(b)
	if n == 0 {
		return Value{}, false
	}
	at, ok := k.Lookup(f.Type, key)
	if !ok {
		return c.valueAt(f, missing(key), pos, key), true
	}
	return c.valueAt(f, KindStruct, int(at), key), true
}
