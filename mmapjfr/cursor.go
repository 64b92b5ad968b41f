package mmapjfr

import (
	"errors"
	"math"
	"runtime/debug"

	"github.com/mmapjfr/jfr/index"
)

// batch is how many frames of events are read at a time.
const batch = 64

// Cursor walks over the events of a [Selection] in the order of the file.
//
//	cur := sel.Cursor()
//	for cur.Next() {
//		use(cur.Event())
//	}
//	if err := cur.Err(); err != nil { ... }
//
// It belongs to one goroutine. It needs no closing; the recording must not be
// closed by another goroutine while it is used.
type Cursor struct {
	rec   *Recording
	match *matcher

	number  int // of the chunk that comes next
	phase   phase
	c       *chunk
	types   *index.Types
	wanted  []bool // by ordinal of the class; nil if all are
	base    uint64 // where the chunk begins
	next    uint64
	ord     uint64
	broken  error // why the walk cannot go on at next
	told    bool  // that constants of the chunk are damaged
	blamed  map[index.ClassID]bool
	touched byte // keeps the reads that touch pages

	buf  [batch]index.Record
	n, i int

	scratch scratch
	event   Event
	err     error
}

// phase is where in a chunk a cursor stands.
type phase uint8

const (
	phaseLead phase = iota
	phaseTypes
	phaseEvents
	phaseTrail
	phaseEnd
)

// Event returns the event that the last [Cursor.Next] came to. It shares the
// cursor's scratch memory, see [Event].
func (c *Cursor) Event() Event { return c.event }

// Err returns why the last [Cursor.Next] was false: nil at the end of the
// recording.
func (c *Cursor) Err() error { return c.err }

// Next goes to the next event. It is false at the end, and where something
// cannot be read: then [Cursor.Err] tells what, and calling Next again goes on
// behind it.
func (c *Cursor) Next() bool {
	c.err = nil
	for {
		for c.i < c.n {
			rec := &c.buf[c.i]
			c.i++
			if !rec.IsEvent() {
				continue
			}
			if c.c.gone.Load() {
				c.stop(ErrClosed)
				return false
			}
			ord := c.ord
			c.ord++
			class := c.types.Class(rec.Type)
			if class == nil {
				if class = c.forgotten(rec); class == nil {
					if c.err != nil {
						return false
					}
					continue
				}
			}
			if c.wanted != nil && !c.wanted[class.Ordinal()] {
				continue
			}
			if !c.layout(rec, class) {
				return false
			}
			ev := &c.event
			if ev.class != class {
				ev.class = class
			}
			ev.pos, c.scratch.ord = int(rec.Offset), ord
			return true
		}
		if !c.advance() {
			return false
		}
	}
}

// layout finds the fields of an event and checks that they lie inside it.
func (c *Cursor) layout(rec *index.Record, class *index.Class) bool {
	plan, err := class.Plan()
	if err != nil {
		c.err = c.c.corruptEvent(*rec, err)
		return false
	}
	s := &c.scratch
	if plan.Slots() > len(s.offs) {
		s.offs = make([]uint32, c.types.MaxSlots())
	}
	if c.crossesPage(rec) && !c.touch(rec) {
		return false
	}
	s.c, s.pos, s.slots = c.c, int(rec.Offset), plan.Slots()
	if _, ok := plan.Layout(c.c.data[rec.Offset:rec.End()], int(rec.Head), s.offs); !ok {
		s.c = nil
		c.err = c.c.misfit(*rec, class)
		return false
	}
	return true
}

// touch reads a byte of each page that the event reaches into. Its frame has
// been read; the rest may lie where the file has been cut since.
//
//go:noinline
func (c *Cursor) touch(rec *index.Record) bool {
	c.read(rec)
	if c.err == nil {
		return true
	}
	c.n, c.i, c.phase = 0, 0, phaseTrail
	return false
}

func (c *Cursor) read(rec *index.Record) {
	defer c.rec.guard(debug.SetPanicOnFault(true), &c.err)
	for at := rec.Offset; at < rec.End(); at += leastPage {
		c.touched ^= c.c.data[at]
	}
	c.touched ^= c.c.data[rec.End()-1]
}

// leastPage is the size of the smallest pages that files are mapped in.
const leastPage = 4 << 10

// crossesPage tells whether an event reaches into a page of the file beyond the
// one it begins in.
func (c *Cursor) crossesPage(rec *index.Record) bool {
	return (c.base+rec.Offset)/leastPage != (c.base+rec.End()-1)/leastPage
}

// forgotten returns the class of an event that the types do not have, from an
// older metadata event. If there is none it tells so, once for each type of the
// chunk.
func (c *Cursor) forgotten(rec *index.Record) *index.Class {
	class, err := c.c.eventClass(*rec)
	if err != nil {
		if c.blamed == nil {
			c.blamed = make(map[index.ClassID]bool)
		}
		if !c.blamed[rec.Type] {
			c.blamed[rec.Type] = true
			c.err = err
		}
		return nil
	}
	if types, err := c.c.ix.Types(); err == nil {
		c.setTypes(types)
	}
	return class
}

func (c *Cursor) setTypes(types *index.Types) {
	if c.types != types {
		c.types = types
		c.wanted = c.match.wanted(types)
	}
}

// advance reads more frames, or goes on to the next part of the recording. It is
// false if there is an error to tell, or nothing more.
func (c *Cursor) advance() bool {
	if c.phase == phaseEnd {
		c.err, c.broken = c.broken, nil
		return false
	}
	if err := c.rec.use(); err != nil {
		c.stop(err)
		return false
	}
	defer c.rec.done()
	if c.damaged() {
		return false
	}
	return c.step() && c.err == nil
}

// damaged tells, once for each chunk, that constants somebody has asked for
// could not all be read.
func (c *Cursor) damaged() bool {
	if c.c == nil || c.told {
		return false
	}
	k := c.c.ix.Loaded()
	if k == nil || k.Err() == nil {
		return false
	}
	c.told, c.err = true, k.Err()
	return true
}

// step does one step, and sets c.err if there is something to tell. A fault in
// the map becomes an error, and ends the chunk.
func (c *Cursor) step() (more bool) {
	at := c.phase
	defer func() {
		if at < phaseTrail && errors.Is(c.err, ErrTruncated) {
			c.phase = phaseTrail
		}
	}()
	defer c.rec.guard(debug.SetPanicOnFault(true), &c.err)
	switch c.phase {
	case phaseLead:
		if c.number == len(c.rec.chunks) {
			c.phase = phaseEnd
			c.err = c.rec.index.Trail()
			return false
		}
		c.enter(c.rec.chunks[c.number])
		c.err = c.c.ix.Lead()
		c.phase = phaseTypes
	case phaseTypes:
		types, err := c.c.ix.Types()
		if err != nil {
			c.leave(err)
			return true
		}
		c.setTypes(types)
		c.phase = phaseEvents
	case phaseEvents:
		if c.broken != nil {
			c.leave(c.broken)
			return true
		}
		c.n, c.i = 0, 0
		c.n, c.next, c.broken = c.c.ix.Records(c.next, math.MaxUint64, c.buf[:])
		if c.n == 0 && c.broken == nil {
			c.phase = phaseTrail
		}
	case phaseTrail:
		c.err = c.c.ix.Trail()
		c.phase = phaseLead
		c.number++
	}
	return true
}

func (c *Cursor) enter(ch *chunk) {
	c.c, c.base, c.next, c.ord = ch, ch.ix.Offset(), ch.ix.Events(), 0
	c.event = Event{c: ch, s: &c.scratch}
	c.broken, c.told, c.blamed = nil, false, nil
	c.n, c.i = 0, 0
}

// leave ends a chunk that cannot be read on. If it is known that its end is
// missing, then that is the reason, and told just once.
func (c *Cursor) leave(err error) {
	c.phase, c.broken = phaseTrail, nil
	if !isEnd(c.c.ix.Trail()) {
		c.err = err
	}
}

// stop ends the walk for good.
func (c *Cursor) stop(err error) {
	c.err, c.broken = err, nil
	c.phase, c.n, c.i = phaseEnd, 0, 0
	c.scratch.c = nil
}
