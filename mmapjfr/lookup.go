package mmapjfr

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// EventAtOffset returns the event that begins at the offset, in bytes from the start
// of the recording. It fails, with an error that matches [ErrNoEvent], for every
// offset at which no event begins: inside an event, in a header, a checkpoint or a
// metadata event, and beyond the file. After damage that ends the events of a chunk it fails
// with what is wrong there.
//
// The first use in a chunk reads the headers of all its events, on several goroutines, see
// [Workers], and keeps blocks of them. After that it reads at most 2 KiB and allocates
// nothing. The event may be used in any goroutine.
func (r *Recording) EventAtOffset(offset uint64) (Event, error) {
	return r.lookUp(func() (Event, error) { return r.eventAtOffset(offset) })
}

// lookUp returns what find does. The error says what has happened to the file, too.
func (r *Recording) lookUp(find func() (Event, error)) (ev Event, err error) {
	err = r.Protect(func() (err error) {
		ev, err = find()
		return err
	})
	return ev, r.addCause(err)
}

func (r *Recording) eventAtOffset(offset uint64) (Event, error) {
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].ix.Offset() > offset }) - 1
	if i < 0 {
		return Event{}, r.noEvent(0, offset)
	}
	c := r.chunks[i]
	rel := offset - c.ix.Offset()
	if rel >= uint64(len(c.data)) {
		return Event{}, r.noEvent(i, offset)
	}
	c.ix.BuildBlocks(r.workers)
	h, _, err := c.ix.EventAt(rel)
	if err != nil {
		return Event{}, err
	}
	return c.event(h)
}

func (r *Recording) noEvent(chunk int, offset uint64) error {
	return r.formatErr(chunk, offset, fmt.Errorf("%w: the recording has no chunk here", ErrNoEvent))
}

// typeOfEvent returns the type of an event. If the newest metadata does not describe it, an older
// metadata event of the chunk may.
func (c *chunk) typeOfEvent(h index.EventHeader) (*schema.Type, error) {
	types, err := c.ix.Types()
	if err != nil {
		return nil, err
	}
	if typ := types.EventType(h.Type); typ != nil {
		return typ, nil
	}
	if types, err = c.ix.AllTypes(); err != nil {
		return nil, err
	}
	switch typ := types.ByID(h.Type); {
	case typ == nil:
		return nil, c.eventErr(h, fmt.Errorf("%w %d", ErrUnknownType, h.Type))
	case !typ.IsEvent():
		return nil, c.eventErr(h, fmt.Errorf("%w %d: %s is not an event type", ErrUnknownType, h.Type, typ.Name))
	default:
		return typ, nil
	}
}

//go:noinline
func (c *chunk) eventErr(h index.EventHeader, err error) error {
	return c.rec.formatErr(c.ix.Number(), c.ix.Offset()+h.Offset, err)
}

// overrunErr is the error for an event whose fields do not lie inside it.
//
//go:noinline
func (c *chunk) overrunErr(h index.EventHeader, typ *schema.Type) error {
	return c.eventErr(h, errtree.Detailf(ErrCorrupt, "the fields of %s do not end inside its %d bytes", typ.Name, h.Size))
}

// firstOrdinal returns how many events the chunks before c hold.
func (r *Recording) firstOrdinal(c *chunk) (n uint64) {
	if err := r.Protect(func() error {
		n = r.countTo(c.ix.Number(), math.MaxUint64)[c.ix.Number()]
		return nil
	}); errors.Is(err, ErrClosed) {
		c.checkLateUse()
	}
	return n
}

// ordinal returns how many events of the chunk come before the one at pos.
func (c *chunk) ordinal(pos int) (n uint64) {
	_ = c.rec.Protect(func() error {
		_, n, _ = c.ix.EventAt(uint64(pos)) // an event does begin there
		return nil
	})
	return n
}

// EventByOrdinal returns event number n of the recording, in the order of the file, from 0.
// Metadata and checkpoints are not counted, and neither is what lies after damage that ends
// the events of a chunk. It fails with an error that matches [ErrNoEvent] if the recording
// has no more than n events, and with one that matches [ErrUnknownType] if the type of the
// event is no event type: such events are counted, since older metadata may describe them.
//
// The first use reads the headers of all events up to the end of the chunk that holds the
// event, on several goroutines, see [Workers], and keeps blocks of them. After that it reads
// at most 2 KiB and allocates nothing. The event may be used in any goroutine.
func (r *Recording) EventByOrdinal(n uint64) (Event, error) {
	return r.lookUp(func() (Event, error) { return r.eventByOrdinal(n) })
}

func (r *Recording) eventByOrdinal(n uint64) (Event, error) {
	firsts := r.countTo(len(r.chunks), n)
	i := sort.Search(len(firsts), func(i int) bool { return firsts[i] > n }) - 1
	if i == len(r.chunks) {
		err := fmt.Errorf("%w: the recording has %d events, counted from 0", ErrNoEvent, firsts[i])
		return Event{}, r.formatErr(i-1, uint64(r.size), err)
	}
	c := r.chunks[i]
	h, ok := c.ix.EventN(n - firsts[i])
	if !ok {
		err := fmt.Errorf("%w: the index does not lead to event %d", ErrNoEvent, n)
		return Event{}, r.formatErr(i, c.ix.Offset(), err)
	}
	return c.event(h)
}

// countTo returns how many events come before each chunk, at least up to that chunk or to the
// first number above n.
func (r *Recording) countTo(chunk int, n uint64) []uint64 {
	if known := r.firstOrdinals.Load(); known != nil {
		if last := len(*known) - 1; last >= chunk || (*known)[last] > n {
			return *known
		}
	}
	r.countMu.Lock()
	defer r.countMu.Unlock()
	firsts := []uint64{0}
	if known := r.firstOrdinals.Load(); known != nil {
		firsts = *known // others never read what is appended
	}
	for i := len(firsts) - 1; i < chunk && firsts[i] <= n; i++ {
		wire.Step()
		firsts = append(firsts, firsts[i]+r.chunks[i].ix.BuildBlocks(r.workers).Events())
	}
	r.firstOrdinals.Store(&firsts)
	return firsts
}

// eventsOf returns the events of the types with these full names, in the order of the chunk, and what is wrong with those
// that cannot be read. It is made for types of which a chunk has few events: it walks through the event headers once when
// the iteration begins, and allTypes then needs no walk of its own. What ends the events of the chunk early it
// does not report. The events may be used in any goroutine.
func (c Chunk) eventsOf(types ...string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ch := c.orEmpty()
		var headers []index.EventHeader
		if err := c.Protect(func() (err error) {
			headers, err = ch.headersOf(types)
			return err
		}); err != nil {
			yield(Event{}, err)
			return
		}
		for _, h := range headers {
			if !yield(ch.rec.lookUp(func() (Event, error) { return ch.event(h) })) {
				return
			}
		}
	}
}

// headersOf returns the headers of the events of the types with these full names.
func (c *chunk) headersOf(names []string) ([]index.EventHeader, error) {
	newest, err := c.ix.Types()
	if err != nil {
		return nil, err
	}
	headers, err := c.ix.HeadersOf(idsOf(newest, names)...)
	if err != nil {
		return nil, err
	}
	all, err := c.ix.AllTypes()
	if err != nil || all == newest {
		return headers, err
	}
	return c.ix.HeadersOf(idsOf(all, names)...) // older metadata can describe others of these names
}

// idsOf returns the numbers of the event types with these full names.
func idsOf(types *schema.TypeSet, names []string) (ids []schema.TypeID) {
	for _, t := range types.Types {
		if t.IsEvent() && (slices.Contains(names, t.CurrentName()) || slices.Contains(names, t.Name)) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// event returns the event with that header, after checking that its fields lie inside it.
func (c *chunk) event(h index.EventHeader) (Event, error) {
	typ, err := c.typeOfEvent(h)
	if err != nil {
		return Event{}, err
	}
	plan, err := typ.Plan()
	if err != nil {
		return Event{}, c.eventErr(h, err)
	}
	if _, ok := plan.Skip(c.data[:h.End()], int(h.Body())); !ok {
		return Event{}, c.overrunErr(h, typ)
	}
	return Event{c: c, typ: typ, pos: int(h.Offset)}, c.checkUnchanged()
}

// FirstEventSince returns the earliest event that begins at that time or later. Of several
// that begin at the same time it is the first one in the file. It fails with an error that
// matches [ErrNoEvent] if no event begins then.
//
// The first use reads all events of all chunks, on several goroutines, see [Workers], and
// keeps blocks of them. After that it looks at the times of all blocks, and at the events of
// the few blocks that may hold the event.
func (r *Recording) FirstEventSince(t time.Time) (Event, error) {
	return r.lookUp(func() (Event, error) { return r.firstEventSince(t) })
}

func (r *Recording) firstEventSince(t time.Time) (Event, error) {
	first := firstEvent{}
	ns, ok := toNanos(t)
	if !ok {
		ns = math.MinInt64
	}
	for _, c := range r.chunks {
		if from, ok := c.clock.since(ns); ok && !t.After(latest) {
			first.search(c, from)
		}
	}
	if first.c == nil {
		err := fmt.Errorf("%w: none begins at %s or later", ErrNoEvent, t)
		return Event{}, r.formatErr(len(r.chunks)-1, uint64(r.size), err)
	}
	return first.c.event(first.header)
}

// firstEvent is the earliest event that has been found.
type firstEvent struct {
	c      *chunk // nil if no event has been found
	nanos  int64
	header index.EventHeader
}

// search looks for an earlier event that begins at that tick of the chunk or later.
func (f *firstEvent) search(c *chunk, from int64) {
	types, err := c.ix.Types()
	if err != nil {
		return
	}
	blocks := c.ix.BuildBlocks(c.rec.workers)
	all := slices.ContainsFunc(types.Types, hasSlowStart) // and the blocks know nothing of their times
	var buf [headersPerRead]index.EventHeader
	for block := range blocks.Len() {
		wire.Step()
		least, greatest, ok := blocks.Times(block)
		if !all && (!ok || greatest < from || f.c != nil && c.clock.timestamp(max(least, from)) >= f.nanos) {
			continue
		}
		offset, _ := blocks.Begin(block)
		for end := uint64(block+1) * index.BlockSize; offset < end; {
			n, next, err := c.ix.ReadHeaders(offset, end, buf[:])
			for i := range buf[:n] {
				f.compare(c, types, buf[i], from)
			}
			if offset = next; err != nil || n == 0 {
				break
			}
		}
	}
}

func (f *firstEvent) compare(c *chunk, types *schema.TypeSet, h index.EventHeader, from int64) {
	typ := types.EventType(h.Type)
	if typ == nil && h.IsEvent() {
		typ, _ = c.typeOfEvent(h)
	}
	if typ == nil || !hasStart(typ) {
		return
	}
	ticks, ok := startOf(c, typ, h)
	if !ok || ticks < from {
		return
	}
	if at := c.clock.timestamp(ticks); f.c == nil || at < f.nanos {
		f.c, f.nanos, f.header = c, at, h
	}
}

// startOf returns the tick at which an event of a type began; false if its bytes do not say it.
func startOf(c *chunk, typ *schema.Type, h index.EventHeader) (ticks int64, ok bool) {
	if hasSlowStart(typ) {
		return Event{c: c, typ: typ, pos: int(h.Offset)}.ticks(pathStartTime)
	}
	plan, err := typ.Plan()
	if err != nil {
		return 0, false
	}
	b := c.data[:h.End()]
	pos, ok := plan.SlotOffset(b, int(h.Body()), typ.StartTime().Slot())
	if !ok {
		return 0, false
	}
	ticks, n := c.form.Long(b[pos:])
	return ticks, n > 0
}

// JVM is a virtual machine, as it describes itself in an event jdk.JVMInformation.
type JVM struct {
	// PID is the number of its process.
	PID int64
	// Started is when it started; the zero time if the event does not say it.
	Started time.Time
	// Name and Version are what it is called, such as OpenJDK 64-Bit Server VM.
	Name, Version string
}

var jvmPID, jvmStarted, jvmName, jvmVersion = Path("pid"), Path("jvmStartTime"), Path("jvmName"), Path("jvmVersion")

// JVM returns the virtual machine that wrote the chunk. It reports false if no event that can be read says it, as in chunks
// of async-profiler. It reads event headers up to that event. The strings stay valid.
func (c Chunk) JVM() (JVM, bool) {
	ix := c.orEmpty().ix
	defer func() { ix.Pass(0, ix.Size()) }() // of several chunks all are asked, one after the other
	for ev, err := range c.Select(Types("jdk.JVMInformation")).withRepeats().Events() {
		if err == nil {
			return JVM{ev.Int(jvmPID), ev.Time(jvmStarted), ev.Str(jvmName), ev.Str(jvmVersion)}, true
		}
	}
	return JVM{}, false
}
