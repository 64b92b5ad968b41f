package mmapjfr

import (
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// FirstEventSince returns the event that begins first of all that begin at that time
// or later; of several that begin together the first one in the file. It fails
// with an error that matches [ErrNoEvent] if there is none.
//
// The first use goes through all events of all chunks, on several goroutines,
// see [Workers], and keeps blocks of them; after that it looks at the times of
// all blocks, and at the events of those few in which it may be.
func (r *Recording) FirstEventSince(t time.Time) (ev Event, err error) {
	if err := r.use(); err != nil {
		return Event{}, err
	}
	defer r.done()
	defer r.guard(debug.SetPanicOnFault(true), &err)
	ev, err = r.firstEventSince(t)
	return ev, r.addCause(err)
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

// firstEvent is the first event, by time, that has been found.
type firstEvent struct {
	c      *chunk // nil if there is none yet
	nanos  int64
	header index.EventHeader
}

// search looks for an earlier one that begins at that tick of the chunk or later.
func (f *firstEvent) search(c *chunk, from int64) {
	types, err := c.ix.Types()
	if err != nil {
		return
	}
	blocks := c.ix.BuildBlocks(c.rec.workers)
	var buf [headersPerRead]index.EventHeader
	for block := range blocks.Len() {
		wire.Step()
		least, greatest, ok := blocks.Times(block)
		if !ok || greatest < from || f.c != nil && c.clock.timestamp(max(least, from)) >= f.nanos {
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
	class := types.EventType(h.Type)
	if class == nil && h.IsEvent() {
		class, _ = c.typeOfEvent(h)
	}
	if class == nil || class.StartTime() == nil {
		return
	}
	plan, err := class.Plan()
	if err != nil {
		return
	}
	b := c.data[:h.End()]
	pos, ok := plan.SlotOffset(b, int(h.Body()), class.StartTime().Slot())
	if !ok {
		return
	}
	ticks, n := c.form.Long(b[pos:])
	if n == 0 || ticks < from {
		return
	}
	if at := c.clock.timestamp(ticks); f.c == nil || at < f.nanos {
		f.c, f.nanos, f.header = c, at, h
	}
}
