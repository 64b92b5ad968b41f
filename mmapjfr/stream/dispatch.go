package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// dispatcher delivers the events of a source to the handlers of a stream. It belongs to the
// goroutine of Start.
type dispatcher struct {
	stream   *Stream
	settings settings
	yielder  *yielder // nil if no loop ranges over the events
	done     bool     // the stream ends here

	growing         *mmapjfr.GrowingChunk
	chunk           mmapjfr.Chunk
	subscriptions   subscriptions
	types           knownTypes
	checkedSettings map[attach.EventSetting]bool // compared with the types already

	typesErrReported     *mmapjfr.GrowingChunk // the chunk whose types could not be read
	constantsErrReported *mmapjfr.GrowingChunk // the chunk whose constants could not all be read

	headers [256]index.EventHeader
	header  [1]index.EventHeader
	pending []pending
	sorter  sorter
	// next is the index of the pending event that is being delivered, nextHandler that of the
	// handler among its subscribers.
	next, nextHandler int
}

// maxUnordered bounds the events that wait for delivery if they need not be sorted.
const maxUnordered = 4096

// dispatch delivers everything that the stream's source has to the handlers.
func (s *Stream) dispatch(ctx context.Context, y *yielder) (err error) {
	d := &dispatcher{stream: s, settings: s.settings, yielder: y}
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
	for !d.done && ctx.Err() == nil {
		p, err := src.next(ctx)
		if p.chunk != nil {
			d.dispatchPart(p)
		}
		switch {
		case d.done || ctx.Err() != nil:
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			d.fail(err)
		}
	}
	if d.done {
		return nil
	}
	return context.Cause(ctx)
}

// fail reports an error to the handlers and to the loop.
func (d *dispatcher) fail(err error) {
	handlers := &d.stream.handlers
	if d.yielder == nil || handlers.have(kindError) {
		handlers.fail(err)
	}
	if d.yielder != nil && !d.done {
		d.done = d.yielder.error(err) != nil
	}
}

// call calls the handlers of a kind, unless the stream is being closed.
func (d *dispatcher) call(k kind, about any) {
	for h := range d.stream.handlers.of(k) {
		if !d.running() {
			return
		}
		if err := protect(func() error { return h.call(about) }); err != nil {
			d.fail(err)
		}
	}
}

// dispatchPart delivers a part of a chunk. If the file is truncated meanwhile, that ends the part.
func (d *dispatcher) dispatchPart(p part) {
	d.pending, d.next, d.nextHandler = d.pending[:0], 0, 0
	if err := engine.GrowingChunkProtect(p.chunk, func() error { d.readHeaders(p); return nil }); err != nil {
		d.fail(err)
	}
	if k := engine.ChunkIndex(d.chunk).CachedConstants(); k != nil && k.Err() != nil && d.constantsErrReported != d.growing && !lacksEnd(d.chunk) && d.running() {
		d.constantsErrReported = d.growing
		d.fail(k.Err()) // a handler has read constants
	}
}

// readHeaders reads the event headers of a part and collects the events that have subscribers.
func (d *dispatcher) readHeaders(p part) {
	d.enterChunk(p.chunk)
	if p.skip {
		return
	}
	flushed := p.events.From // everything before this has been delivered
	for at := p.events.From; at < p.events.To && d.running(); {
		n, next, err := engine.ChunkIndex(d.chunk).ReadHeaders(at, p.events.To, d.headers[:])
		for i := range d.headers[:n] {
			rec := &d.headers[i]
			switch {
			case !d.running():
				return
			case rec.IsEvent():
				d.enqueue(rec)
			case rec.Type == schema.CheckpointID:
				if ticks, flush := d.readCheckpoint(rec); flush {
					d.endFlush(engine.ChunkTicksToTime(d.chunk, ticks))
					flushed = rec.End()
				}
			}
		}
		if err != nil {
			// Where the next event begins is not known. That a chunk lacks its end is reported
			// once, after the chunk has been delivered.
			if !lacksEnd(d.chunk) {
				d.fail(err)
			}
			break
		}
		at = next
	}
	if flushed < p.events.To && d.running() {
		d.endFlush(d.chunk.End())
	}
}

// running reports whether delivery goes on.
func (d *dispatcher) running() bool { return !d.done && !d.stream.stopping.Load() }

// enterChunk enters a chunk, or what the chunk has become.
func (d *dispatcher) enterChunk(live *mmapjfr.GrowingChunk) {
	d.growing, d.chunk = live, engine.GrowingChunkChunk(live)
	if d.stream.handlers.have(kindMetadata) {
		switch m, changed, err := d.types.update(live); {
		case err != nil:
			d.fail(err)
		case changed:
			d.call(kindMetadata, m)
		}
	}
	d.resubscribe()
}

// resubscribe finds the subscribers of each type, if handlers or types have changed.
func (d *dispatcher) resubscribe() {
	types, _ := engine.ChunkIndex(d.chunk).Types() // events report the error
	if list := d.stream.handlers.list.Load(); d.subscriptions.types != types || d.subscriptions.list != list {
		views, _ := d.chunk.Types() // the same error
		d.subscriptions.build(types, views, list)
		d.warn(views)
	}
}

// readCheckpoint returns when a checkpoint was written, and whether it ends a flush.
func (d *dispatcher) readCheckpoint(rec *index.EventHeader) (ticks int64, flush bool) {
	ticks, mask, ok := engine.ChunkIndex(d.chunk).CheckpointHead(*rec)
	return ticks, ok && mask&index.CheckpointFlush != 0
}

// enqueue adds an event to those that are pending, if it has subscribers.
func (d *dispatcher) enqueue(rec *index.EventHeader) {
	if d.subscriptions.types == nil {
		d.reportTypesErr()
		return
	}
	wanted := d.subscriptions.byType(rec.Type)
	if len(wanted.handlers) == 0 && wanted.described {
		return
	}
	if !wanted.described {
		// Older metadata may describe the type. If it does not, Event reports that.
		if ev, err := engine.GrowingChunkEvent(d.growing, *rec, unknownOrdinal); err != nil {
			d.fail(err)
			return
		} else if ev.IsZero() {
			return
		}
		d.resubscribe()
		if wanted = d.subscriptions.byType(rec.Type); len(wanted.handlers) == 0 {
			return
		}
	}
	p := pending{offset: rec.Offset}
	end, ok := int64(0), false
	if d.settings.ordered && !d.hasTimeRange() {
		end, ok = wanted.end.ticks(engine.ChunkIndex(d.chunk), rec)
	}
	if ok {
		p.end = end
	} else if d.settings.ordered || d.hasTimeRange() {
		ev, err := engine.GrowingChunkEvent(d.growing, *rec, unknownOrdinal)
		if err != nil {
			d.fail(err)
		}
		if ev.IsZero() || d.hasTimeRange() && !d.inTimeRange(ev) {
			return
		}
		p.end = engine.EventEndTicks(ev)
	}
	d.pending = append(d.pending, p)
	if !d.settings.ordered && len(d.pending) == maxUnordered {
		d.deliver()
	}
}

// reportTypesErr reports, once, why the chunk has no types.
func (d *dispatcher) reportTypesErr() {
	if d.typesErrReported != d.growing {
		d.typesErrReported = d.growing
		_, err := engine.ChunkIndex(d.chunk).Types()
		d.fail(err)
	}
}

// unknownOrdinal is the ordinal of an event whose number in the chunk is not known.
const unknownOrdinal = 1<<64 - 1

// hasTimeRange reports whether the stream has a start or an end time.
func (d *dispatcher) hasTimeRange() bool { return !d.settings.from.IsZero() || !d.settings.to.IsZero() }

// inTimeRange reports whether an event ended between the start and the end time.
func (d *dispatcher) inTimeRange(ev mmapjfr.Event) bool {
	end := ev.End()
	return (d.settings.from.IsZero() || !end.Before(d.settings.from)) && (d.settings.to.IsZero() || !end.After(d.settings.to))
}

// endFlush delivers the events of a flush, and calls the handlers of flushes.
func (d *dispatcher) endFlush(when time.Time) {
	if d.settings.ordered {
		d.sorter.sort(d.pending)
	}
	d.deliver()
	if !d.running() {
		return
	}
	d.stream.flushed.Store(when.UnixNano())
	d.call(kindFlush, nil)
	if to := d.settings.to; !to.IsZero() && when.After(to) {
		d.done = true
	}
	if list := d.stream.handlers.list.Load(); list != d.subscriptions.list {
		d.resubscribe()
	}
}

// deliver delivers the events that are pending.
func (d *dispatcher) deliver() {
	d.next, d.nextHandler = 0, 0
	for d.next < len(d.pending) && d.running() {
		d.deliverUntilPanic()
	}
	d.pending = d.pending[:0]
}

// deliverUntilPanic delivers events until a handler panics; the next call delivers the rest. Thus
// only panics cost anything, not the protection from them.
func (d *dispatcher) deliverUntilPanic() {
	defer func() {
		if p := recover(); p != nil {
			if d.yielder != nil && d.yielder.yielding {
				panic(p) // of the loop's body
			}
			d.nextHandler++
			d.fail(panicked(p))
		}
	}()
	ix := engine.ChunkIndex(d.chunk)
	for d.next < len(d.pending) && d.running() {
		ev, err := d.nextEvent(ix)
		if err != nil {
			d.fail(err)
		}
		wanted := d.subscriptions.byType(d.header[0].Type).handlers
		for !ev.IsZero() && d.nextHandler < len(wanted) && d.running() {
			if h := wanted[d.nextHandler]; !h.removed.Load() {
				if err := d.lend(h, ev); err == errLoopLeft {
					d.done = true
				} else if err != nil {
					d.fail(err)
				}
			}
			d.nextHandler++
		}
		d.next, d.nextHandler = d.next+1, 0
	}
}

// nextEvent decodes the event that is delivered next.
func (d *dispatcher) nextEvent(ix *index.Chunk) (mmapjfr.Event, error) {
	at := d.pending[d.next].offset
	if n, _, err := ix.ReadHeaders(at, at+1, d.header[:]); n == 0 {
		return mmapjfr.Event{}, err // the file has changed
	}
	return engine.GrowingChunkEvent(d.growing, d.header[0], unknownOrdinal)
}
