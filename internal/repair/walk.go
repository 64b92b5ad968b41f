package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// disposition is what is done with an event, a checkpoint or a metadata event.
type disposition uint8

const (
	omitted disposition = iota
	copied
	changed
	isCheckpoint
)

// headersAtOnce is the number of event headers that are read at once.
const headersAtOnce = 256

// sink takes what is written, in the order of the file.
type sink struct {
	bytes      func(from, to uint64)       // bytes that stay as they are
	event      func(ev *index.EventHeader) // an event whose type gets another number, or whose fields another order
	checkpoint func(n int)                 // the checkpoint of that number
}

// eventHead returns the size and type of an event whose type gets another number.
func (c *chunk) eventHead(ev *index.EventHeader) []byte {
	e := wire.Appender{Encoding: c.form, Bytes: c.buf[:0]}
	at := e.BeginEvent()
	e.Long(int64(c.jvm.ID(ev.Type)))
	e.SetSize(at, uint32(len(e.Bytes))+ev.Size-ev.HeaderLen)
	c.buf = e.Bytes
	return e.Bytes
}

// writeBody writes the fields of an event that is changed.
func (c *chunk) writeBody(ev *index.EventHeader) {
	pos, end := int(ev.Body()), int(ev.End())
	typ := c.types.ByID(ev.Type)
	order := c.order[typ.Ordinal()]
	if order == nil {
		c.out.write(c.data[pos:end])
		return
	}
	plan, err := typ.Plan()
	if err != nil {
		return // no such event is kept
	}
	offs := make([]uint32, plan.NumSlots())
	next, ok := plan.Layout(c.data, pos, end, offs)
	if !ok {
		return // the file has changed, which the size of the chunk tells
	}
	for _, stretch := range order {
		from, to := stretch.Bytes(offs, plan.NumSlots(), next)
		c.out.write(c.data[from:to])
	}
	c.out.write(c.data[next:end])
}

// walk reads the event headers and passes to v what is written. With survey it also counts in the
// report what is kept and what is lost.
func (c *chunk) walk(ctx context.Context, survey bool, v sink) error {
	var (
		buf      [headersAtOnce]index.EventHeader
		end      = uint64(len(c.data))
		from, to = uint64(wire.HeaderLen), uint64(wire.HeaderLen)
		met      = make([]bool, len(c.checkpoints))
	)
	flush := func() {
		if from < to {
			v.bytes(from, to)
		}
	}
	pos := to
	for pos < end {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, next, err := c.in.ReadHeaders(pos, end, buf[:])
		for _, ev := range buf[:n] {
			if survey {
				c.report.Lost.add(c.in.Offset()+pos, c.in.Offset()+ev.Offset)
			}
			pos = ev.End()
			what := c.dispose(&ev, survey)
			if what == copied {
				if ev.Offset != to {
					flush()
					from = ev.Offset
				}
				to = ev.End()
				continue
			}
			flush()
			from, to = pos, pos
			if n, ok := c.at[ev.Offset]; ok && what == isCheckpoint && !met[n] {
				met[n] = true
				v.checkpoint(n)
			}
			if what == changed {
				v.event(&ev)
			}
		}
		if err != nil {
			if survey {
				c.report.fail(err)
			}
			break
		}
		if next >= end {
			break
		}
	}
	if survey {
		c.report.Lost.add(c.in.Offset()+pos, c.in.Offset()+end)
	}
	flush()
	for n := range met {
		if !met[n] { // the chain leads to it, but no event header does
			v.checkpoint(n)
		}
	}
	return nil
}

// dispose decides what to do with an event, a checkpoint or a metadata event.
func (c *chunk) dispose(ev *index.EventHeader, survey bool) disposition {
	switch ev.Type {
	case schema.MetadataID:
		if c.metadata != nil {
			return omitted
		}
		err := c.verdict(ev)
		if err == nil {
			return copied
		}
		if survey {
			c.report.Lost.add(c.in.Offset()+ev.Offset, c.in.Offset()+ev.End())
			c.fail(ev, err)
		}
		return omitted
	case schema.CheckpointID:
		if _, ok := c.at[ev.Offset]; !ok && survey {
			c.report.Dropped++
		}
		return isCheckpoint
	}
	typ := c.types.ByID(ev.Type)
	if !c.described.Has(typ) || !typ.IsEvent() {
		if survey {
			c.report.Undescribed++
			c.omit(ev, typ, c.described.Unkept(typ), fmt.Errorf("%w: %d", mmapjfr.ErrUnknownType, ev.Type))
		}
		return omitted
	}
	if offs, ok := c.references.LayOut(typ, int(ev.Body()), int(ev.End())); ok {
		if survey {
			c.countKept(typ, offs)
			c.references.LaidOut(typ, int(ev.End()), c.references.visit)
		}
		if c.jvm.Renumbers() || c.order[typ.Ordinal()] != nil {
			return changed
		}
		return copied
	}
	if survey {
		c.report.Unreadable++
		c.omit(ev, typ, "the fields do not fit into the event", fmt.Errorf("%w: the fields of %s do not fit", mmapjfr.ErrCorrupt, typ.Name))
	}
	return omitted
}

// omit counts an event that is left out.
func (c *chunk) omit(ev *index.EventHeader, typ *schema.Type, why string, err error) {
	c.fail(ev, err)
	list := c.report.LeftOut
	i := slices.IndexFunc(list, func(l LeftOut) bool { return l.ID == ev.Type && l.Why == why })
	switch {
	case i >= 0:
	case len(list) < MaxLeftOut:
		l := LeftOut{ID: ev.Type, Why: why}
		if typ != nil {
			l.Type = typ.Name
		}
		i, list = len(list), append(list, l)
	default:
		c.report.MoreLeftOut++
		return
	}
	list[i].Events++
	c.report.LeftOut = list
}

// fail reports what is wrong with an event.
func (c *chunk) fail(ev *index.EventHeader, err error) {
	c.report.fail(&mmapjfr.FormatError{Err: err, Section: "event", Offset: c.in.Offset() + ev.Offset, Chunk: c.in.Number(), File: c.in.File()})
}

// countKept counts an event that is kept.
func (c *chunk) countKept(typ *schema.Type, offs []uint32) {
	c.report.Events++
	if c.inNewest != nil && !c.inNewest[typ.Ordinal()] {
		c.needsOlder = true
	}
	c.lastTick = max(c.lastTick, c.end(typ, offs))
}

// end returns the tick at which an event ended, by the offsets of its slots.
func (c *chunk) end(typ *schema.Type, offs []uint32) int64 {
	start, _ := c.types.TimeAndThreadSlots(typ)
	if start < 0 {
		return 0
	}
	at := func(slot int) int64 {
		v, _ := c.form.Long(c.data[offs[slot]:])
		return v
	}
	ticks := at(start)
	if i := typ.Field("duration"); i >= 0 {
		f := &typ.Fields[i]
		if d := at(f.Slot()); f.Unit == schema.TimespanTicks && d > 0 && ticks+d > ticks {
			ticks += d
		}
	}
	return ticks
}
