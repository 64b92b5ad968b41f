package mmapjfr

import (
	"errors"
	"math"
	"runtime/debug"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
)

// headersPerRead is how many event headers are read at a time. 64 of them take 1.5 KB: a
// cursor stays small, and stays in the fastest cache, while 64 events share the cost of a call
// into the index.
const headersPerRead = 64

// Cursor walks over the events of a [Selection] in the order of the file.
//
//	cur := sel.Cursor()
//	for cur.Next() {
//		use(cur.Event())
//	}
//	if err := cur.Err(); err != nil { ... }
//
// A Cursor belongs to one goroutine. It needs no closing. Another goroutine must not close
// the recording while the cursor is used.
//
// Next decodes the event at the next header in the buffer. When the buffer is empty,
// advance reads more headers, or moves on to the next phase of the chunk: errors before it,
// its types, its events, errors after it.
type Cursor struct {
	decoder

	number         int // of the next chunk, among those of the selection
	phase          phase
	headers        headerScanner
	chunkErr       error // why no more headers of the chunk can be read
	truncated      bool  // the missing end of the file has been reported
	lossesReported int   // how many losses of the chunk have been reported, see [Salvage]

	// damageReported are the numbers of the chunks whose damaged constants have been
	// reported, in ascending order. damageChecked is how many chunks of the selection have
	// been checked for such damage at the end.
	damageReported []int
	damageChecked  int

	buf  [headersPerRead]index.EventHeader
	n, i int
	ord  uint64 // of the event at i
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

// Event returns the event that the last [Cursor.Next] has decoded. The event shares the
// cursor's scratch memory, see [Event].
func (c *Cursor) Event() Event { return c.event }

// Err returns why the last [Cursor.Next] was false: nil at the end of the
// recording.
func (c *Cursor) Err() error { return c.err }

// Next moves to the next event. It is false at the end, and where something cannot be read:
// [Cursor.Err] says what, and the next call of Next continues after it.
func (c *Cursor) Next() bool {
	c.err = nil
	for {
		for c.i < c.n {
			h := &c.buf[c.i]
			if h.IsEvent() && c.c.status.Load() != 0 && !c.canContinue() {
				return false
			}
			c.i++
			if !h.IsEvent() {
				continue
			}
			ord := c.ord
			if ord != noOrdinal {
				c.ord++
			}
			if c.decodeProtected(h, ord) {
				return true
			}
			if c.err != nil {
				if c.err = c.rec.addCause(c.err); errors.Is(c.err, ErrTruncated) {
					c.truncated, c.scratch.c = true, nil
					c.n, c.i, c.phase = 0, 0, phaseTrail // the rest of the chunk is missing, too
				}
				return false
			}
		}
		if !c.advance() {
			return false
		}
	}
}

// decodeProtected is decodeEvent of an event whose bytes may have gone since its header was read. It sets a
// trap only where the map is read: not for events that are not wanted, and for events in the
// window only if constants decide whether they are wanted.
func (c *Cursor) decodeProtected(h *index.EventHeader, ord uint64) bool {
	et := c.directType(h)
	switch {
	case et.typ == nil:
	case et.plan == nil:
		return false
	case !c.c.mapped, c.window.holds(h) && !c.filter.readsEvents():
		return c.accept(h, et, ord)
	}
	return c.decodeMapped(h, ord)
}

//go:noinline
func (c *Cursor) decodeMapped(h *index.EventHeader, ord uint64) (ok bool) {
	defer c.rec.recoverFault(debug.SetPanicOnFault(true), &c.err)
	return c.decodeEvent(h, ord)
}

// canContinue reports whether the cursor can go on although the status is set. A file that
// was cut is reported once: reading a value has met the missing bytes.
func (c *Cursor) canContinue() bool {
	err := c.rec.statusErr()
	switch {
	case err == nil || c.truncated && errors.Is(err, ErrTruncated):
		return true
	case errors.Is(err, ErrTruncated):
		c.truncated, c.err = true, err
	default:
		c.end(err)
	}
	return false
}

// advance reads more headers, or moves on in the recording. It is false if there is an error
// to report, and at the end.
func (c *Cursor) advance() bool {
	if c.phase == phaseEnd {
		c.err, c.chunkErr = c.chunkErr, nil
		return false
	}
	if err := c.rec.use(); err != nil {
		c.end(err)
		return false
	}
	defer c.rec.done()
	if c.reportDamage() {
		return false
	}
	return c.step() && c.err == nil
}

// reportDamage reports, once for each chunk, that constants which have been looked up could
// not all be read. A caller can keep an event and look up its constants after the cursor has
// left its chunk: so the cursor checks all chunks again before it ends.
func (c *Cursor) reportDamage() bool {
	if c.c != nil && c.reportDamageOf(c.c) {
		return true
	}
	for c.phase == phaseLead && c.number == len(c.sel.chunks) && c.damageChecked < c.number {
		c.damageChecked++
		if c.reportDamageOf(c.sel.chunks[c.damageChecked-1]) {
			return true
		}
	}
	return false
}

// reportDamageOf sets c.err if constants of a chunk are damaged and that has not been reported.
func (c *Cursor) reportDamageOf(ch *chunk) bool {
	err := ch.constantsErr()
	if err == nil {
		return false
	}
	at, reported := slices.BinarySearch(c.damageReported, ch.ix.Number())
	if !reported {
		c.damageReported, c.err = slices.Insert(c.damageReported, at, ch.ix.Number()), err
	}
	return !reported
}

// step does one step, and sets c.err if there is an error to report. A fault of the map
// becomes an error, and ends the chunk.
func (c *Cursor) step() (more bool) {
	at := c.phase
	defer func() {
		if c.err = c.rec.addCause(c.err); at < phaseTrail && errors.Is(c.err, ErrTruncated) {
			c.truncated, c.phase = true, phaseTrail
		}
	}()
	defer c.rec.recoverFault(debug.SetPanicOnFault(true), &c.err)
	switch c.phase {
	case phaseLead:
		if c.number == len(c.sel.chunks) {
			c.phase = phaseEnd
			c.scratch.retire()
			if c.sel.whole {
				c.err = c.rec.index.TrailingErr()
			}
			return false
		}
		if c.c != nil {
			c.c.ix.SetIdle(true) // its constants need not be kept
		}
		c.begin(c.sel.chunks[c.number])
		c.c.ix.SetIdle(false)
		c.err = c.c.ix.LeadingErr()
		c.phase = phaseTypes
	case phaseTypes:
		types, err := c.c.ix.Types()
		if err != nil {
			c.endChunk(err)
			return true
		}
		cf, err := c.sel.chunkFilter(c.c, types)
		if err != nil {
			c.endChunk(err)
			return true
		}
		c.setFilter(cf)
		c.headers = cf.headers(c.rec.workers)
		c.phase = phaseEvents
	case phaseEvents:
		if c.chunkErr != nil {
			c.endChunk(c.chunkErr)
			return true
		}
		c.n, c.i = 0, 0
		c.n, c.ord, c.chunkErr = c.headers.read(math.MaxUint64, c.buf[:])
		if c.n > 0 {
			c.ahead = c.buf[c.n-1].End()
		}
		if c.n > 0 || c.chunkErr != nil {
			return true
		}
		if c.chunkErr = c.headers.err(); c.chunkErr == nil {
			c.phase = phaseTrail
		}
	case phaseTrail:
		if losses := c.c.ix.Salvaged().Errors(); c.lossesReported < len(losses) {
			c.err = losses[c.lossesReported]
			c.lossesReported++
			return true
		}
		c.phase = phaseLead
		c.number++
		if c.err = c.c.ix.TrailingErr(); c.err == nil && !c.truncated {
			c.err = c.rec.FileErr()
			c.truncated = c.err != nil
		}
	}
	return true
}

func (c *Cursor) begin(ch *chunk) {
	c.enter(ch)
	c.chunkErr, c.lossesReported = nil, 0
	c.n, c.i = 0, 0
	c.sel.fetch(c.number)
}

// endChunk ends a chunk that cannot be read any further. If the chunk is known to lack its
// end, only that is reported.
func (c *Cursor) endChunk(err error) {
	c.phase, c.chunkErr = phaseTrail, nil
	if !c.c.ix.EndExplains(err) {
		c.err = err
	}
}

// end ends the iteration.
func (c *Cursor) end(err error) {
	c.err, c.chunkErr = err, nil
	c.phase, c.n, c.i = phaseEnd, 0, 0
	c.scratch.c = nil
}

// cloneAt returns another cursor over the same selection that stands before an event. Its
// first [Cursor.Next] moves to that event, and the next ones to the events after it. The
// event must be one of the selection, in the chunk where this cursor stands or at whose end
// it is. Both cursors belong to the same goroutine.
//
// CloneAt allocates some kilobytes, and uses what this cursor knows of the chunk.
// [Event.Ordinal] of the new cursor's events counts again.
func (c *Cursor) cloneAt(ev Event) *Cursor {
	d := *c
	// Both cursors share the table of types until one of them changes it.
	c.sharesTypes, d.sharesTypes = true, true
	d.scratch, d.window = scratch{}, window{}
	d.event = Event{c: d.c, s: &d.scratch}
	d.n, d.i, d.err, d.chunkErr = 0, 0, nil, nil
	d.phase, d.number = phaseEvents, d.c.ix.Number()-d.sel.chunks[0].ix.Number()
	d.damageReported, d.damageChecked = slices.Clone(c.damageReported), d.number
	d.headers = d.filter.headers(d.rec.workers)
	d.headers.seek(uint64(ev.pos))
	return &d
}
