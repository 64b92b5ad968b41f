package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// delivery gives what a source has to the handlers of a stream.
type delivery struct {
	stream   *Stream
	settings settings
	yielder  *yielder // nil if nobody loops
	over     bool     // that the stream ends here

	live      *mmapjfr.GrowingChunk
	chunk     mmapjfr.Chunk
	table     interests
	described described
	warned    map[attach.EventSetting]bool // that have been compared with the types

	blamed *mmapjfr.GrowingChunk // the chunk whose types could not be read
	hurt   *mmapjfr.GrowingChunk // the chunk whose constants could not all be read

	frames  [256]index.EventHeader
	one     [1]index.EventHeader
	pending []pending
	sorter  sorter
	// at and handler are which one of pending is being delivered, and to which of those who
	// want it.
	at, handler int
}

// unorderedAtOnce is how many events wait for delivery at most if they need not be sorted.
const unorderedAtOnce = 4096

// deliver gives everything that the stream's source has to the handlers.
func (s *Stream) deliver(ctx context.Context, y *yielder) (err error) {
	d := &delivery{stream: s, settings: s.settings, yielder: y}
	defer context.AfterFunc(ctx, func() { s.stopping.Store(true) })()
	src, err := s.open(ctx, &d.settings)
	if err != nil {
		return err
	}
	defer func() {
		if e := src.close(); err == nil {
			err = e
		}
	}()
	for !d.over && ctx.Err() == nil {
		p, err := src.next(ctx)
		if p.live != nil {
			d.part(p)
		}
		switch {
		case d.over || ctx.Err() != nil:
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			d.fail(err)
		}
	}
	if d.over {
		return nil
	}
	return context.Cause(ctx)
}

// fail tells of something that went wrong.
func (d *delivery) fail(err error) {
	handlers := &d.stream.handlers
	if d.yielder == nil || handlers.have(kindError) {
		handlers.fail(err)
	}
	if d.yielder != nil && !d.over {
		d.over = d.yielder.error(err) != nil
	}
}

// call calls the handlers of a kind, as long as the stream goes on.
func (d *delivery) call(k kind, f func(h *Handler) error) {
	for h := range d.stream.handlers.of(k) {
		if !d.goesOn() {
			return
		}
		if err := protect(func() error { return f(h) }); err != nil {
			d.fail(err)
		}
	}
}

// part delivers a part of a chunk. A file that is cut meanwhile ends the part.
func (d *delivery) part(p part) {
	d.pending, d.at, d.handler = d.pending[:0], 0, 0
	if err := p.live.Protect(func() error { d.walk(p); return nil }); err != nil {
		d.fail(err)
	}
	if k := d.chunk.Index().CachedConstants(); k != nil && k.Err() != nil && d.hurt != d.live && !lacksEnd(d.chunk) && d.goesOn() {
		d.hurt = d.live
		d.fail(k.Err()) // some handler has asked for constants
	}
}

// walk goes through the frames of a part.
func (d *delivery) walk(p part) {
	d.enter(p.live)
	if p.skip {
		return
	}
	flushed := p.span.From // up to where everything has been delivered
	for at := p.span.From; at < p.span.To && d.goesOn(); {
		n, next, err := d.chunk.Index().ReadHeaders(at, p.span.To, d.frames[:])
		for i := range d.frames[:n] {
			rec := &d.frames[i]
			switch {
			case !d.goesOn():
				return
			case rec.IsEvent():
				d.want(rec)
			case rec.Type == index.CheckpointID:
				if ticks, flush := d.checkpoint(rec); flush {
					d.flush(d.chunk.TicksToTime(ticks))
					flushed = rec.End()
				}
			}
		}
		if err != nil {
			// Where the frames behind it begin is not known. That a chunk lacks its end is
			// told once, when it has been delivered.
			if !lacksEnd(d.chunk) {
				d.fail(err)
			}
			break
		}
		at = next
	}
	if flushed < p.span.To && d.goesOn() {
		d.flush(d.chunk.End())
	}
}

// goesOn tells whether more is to be delivered.
func (d *delivery) goesOn() bool { return !d.over && !d.stream.stopping.Load() }

// enter goes to a chunk, or to what it has become.
func (d *delivery) enter(live *mmapjfr.GrowingChunk) {
	d.live, d.chunk = live, live.Chunk()
	if d.stream.handlers.have(kindMetadata) {
		switch m, changed, err := d.described.update(live); {
		case err != nil:
			d.fail(err)
		case changed:
			d.call(kindMetadata, func(h *Handler) error { return h.meta(m) })
		}
	}
	d.renew()
}

// renew finds out which events are wanted, if the handlers or the types are others.
func (d *delivery) renew() {
	types, _ := d.chunk.Index().Types() // events tell what is wrong with them, if there are any
	if list := d.stream.handlers.list.Load(); d.table.types != types || d.table.list != list {
		views, _ := d.chunk.Types() // it fails as above
		d.table.make(types, views, list)
		d.warn(views)
	}
}

// checkpoint returns when a checkpoint was written, and whether it ends a flush.
func (d *delivery) checkpoint(rec *index.EventHeader) (ticks int64, flush bool) {
	ix := d.chunk.Index()
	cur := wire.NewCursor(ix.Data()[:rec.End()], int(rec.Body()), ix.IntEncoding())
	ticks = cur.Long()
	cur.Long() // duration
	cur.Long() // delta
	mask := cur.Byte()
	return ticks, cur.OK() && mask&index.CheckpointFlush != 0
}

// want notes an event that somebody wants.
func (d *delivery) want(rec *index.EventHeader) {
	if d.table.types == nil {
		d.blame()
		return
	}
	wanted := d.table.of(rec.Type)
	if len(wanted.handlers) == 0 && wanted.known {
		return
	}
	if !wanted.known {
		// An older metadata event may describe it; else this tells that none does.
		if ev, err := d.live.Event(*rec, noOrdinal); err != nil {
			d.fail(err)
			return
		} else if ev.IsZero() {
			return
		}
		d.renew()
		if wanted = d.table.of(rec.Type); len(wanted.handlers) == 0 {
			return
		}
	}
	p := pending{offset: rec.Offset}
	end, ok := int64(0), false
	if d.settings.ordered && !d.bounded() {
		end, ok = wanted.times.end(d.chunk.Index(), rec)
	}
	if ok {
		p.end = end
	} else if d.settings.ordered || d.bounded() {
		ev, err := d.live.Event(*rec, noOrdinal)
		if err != nil {
			d.fail(err)
		}
		if ev.IsZero() || d.bounded() && !d.admits(ev) {
			return
		}
		p.end = ev.EndTicks()
	}
	d.pending = append(d.pending, p)
	if !d.settings.ordered && len(d.pending) == unorderedAtOnce {
		d.dispatch()
	}
}

// blame tells, once, why no event of the chunk can be read.
func (d *delivery) blame() {
	if d.blamed != d.live {
		d.blamed = d.live
		_, err := d.chunk.Index().Types()
		d.fail(err)
	}
}

// noOrdinal stands for the ordinal of an event that nobody has counted to.
const noOrdinal = 1<<64 - 1

// bounded tells whether events are wanted by time.
func (d *delivery) bounded() bool { return !d.settings.from.IsZero() || !d.settings.to.IsZero() }

// admits tells whether an event ended at the right time.
func (d *delivery) admits(ev mmapjfr.Event) bool {
	end := ev.End()
	return (d.settings.from.IsZero() || !end.Before(d.settings.from)) && (d.settings.to.IsZero() || !end.After(d.settings.to))
}

// flush delivers what has been flushed together.
func (d *delivery) flush(when time.Time) {
	if d.settings.ordered {
		d.sorter.sort(d.pending)
	}
	d.dispatch()
	if !d.goesOn() {
		return
	}
	d.stream.flushed.Store(when.UnixNano())
	d.call(kindFlush, func(h *Handler) error { return h.flush() })
	if to := d.settings.to; !to.IsZero() && when.After(to) {
		d.over = true
	}
	if list := d.stream.handlers.list.Load(); list != d.table.list {
		d.renew()
	}
}

// dispatch gives what is pending to the handlers.
func (d *delivery) dispatch() {
	d.at, d.handler = 0, 0
	for d.at < len(d.pending) && d.goesOn() {
		d.some()
	}
	d.pending = d.pending[:0]
}

// some gives events to handlers until one of these panics: what is left is for the next
// call. So a panic costs something, and its absence nothing.
func (d *delivery) some() {
	defer func() {
		if p := recover(); p != nil {
			if d.yielder != nil && d.yielder.inside {
				panic(p) // it is the loop's own
			}
			d.handler++
			d.fail(panicked(p))
		}
	}()
	ix := d.chunk.Index()
	for d.at < len(d.pending) && d.goesOn() {
		ev, err := d.event(ix)
		if err != nil {
			d.fail(err)
		}
		wanted := d.table.of(d.one[0].Type).handlers
		for !ev.IsZero() && d.handler < len(wanted) && d.goesOn() {
			if h := wanted[d.handler]; !h.removed.Load() {
				if err := d.lend(h, ev); err == errLeft {
					d.over = true
				} else if err != nil {
					d.fail(err)
				}
			}
			d.handler++
		}
		d.at, d.handler = d.at+1, 0
	}
}

// event reads the event that is being delivered.
func (d *delivery) event(ix *index.Chunk) (mmapjfr.Event, error) {
	at := d.pending[d.at].offset
	if n, _, err := ix.ReadHeaders(at, at+1, d.one[:]); n == 0 {
		return mmapjfr.Event{}, err // the file is another one by now
	}
	return d.live.Event(d.one[0], noOrdinal)
}
