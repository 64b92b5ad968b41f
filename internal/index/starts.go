package index

import (
	"math"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Starts returns the least and the greatest time at which events of the chunk began, in ticks. It
// reports false if an event has no such time, or is not described, or if the walk over the events
// ends early: then [Chunk.Blocks] says more. It is half of the work of building blocks, and nothing
// is kept.
func (c *Chunk) Starts() (least, greatest int64, ok bool) {
	types, err := c.Types()
	if err != nil || types.IntEncoding != wire.Compressed {
		return 0, 0, false
	}
	c.Need()
	least, greatest = math.MaxInt64, math.MinInt64
	pos, end := c.FirstEvent(), uint64(len(c.data))
	passed := pos
	for pos < end {
		passed = c.Pass(passed, pos)
		pos = c.afterGap(pos)
		pos, least, greatest = c.usualStarts(types, pos, min(end, pos+PassedBytes), least, greatest)
		if pos = c.afterGap(pos); pos >= end {
			break
		}
		rec, err := c.readEventHeader(pos)
		if err != nil {
			return 0, 0, false
		}
		if rec.IsEvent() {
			ticks, ok := c.start(types, &rec)
			if !ok {
				return 0, 0, false
			}
			least, greatest = min(least, ticks), max(greatest, ticks)
		}
		pos = rec.End()
	}
	c.passAll(passed, pos)
	return least, greatest, true
}

// usualStarts looks at events from pos on, up to end or to the first one whose header or time has
// not one of the usual forms, as [blockBuilder.addUsual] does.
func (c *Chunk) usualStarts(types *schema.TypeSet, pos, end uint64, least, greatest int64) (uint64, int64, int64) {
	data, ordinals, keys := c.data, types.DenseOrdinals(), types.BlockKeys()
	end = min(end, uint64(max(len(data)-usualRoom, 0)), c.nextGap(pos))
	for pos < end {
		w := wire.Word(data, int(pos))
		size, typ, head := wire.ShortEventHeader(w)
		if size == 0 {
			size, typ, head = wire.EventHeader(w)
		}
		next := pos + uint64(size)
		if head == 0 || next > uint64(len(data)) || typ <= uint32(schema.CheckpointID) || int(typ) >= len(ordinals) {
			break
		}
		ordinal := uint(ordinals[typ]) - 1
		if ordinal >= uint(len(keys)) || !keys[ordinal].Near {
			break
		}
		at := int(pos) + head
		for range keys[ordinal].Time {
			at += wire.VarintWordLen(wire.Word(data, at))
		}
		ticks, n := wire.VarintWord(wire.Word(data, at))
		if n == 0 || uint64(at+n) > next {
			break
		}
		least, greatest = min(least, int64(ticks)), max(greatest, int64(ticks))
		pos = next
	}
	return pos, least, greatest
}

// start returns when an event began, in ticks.
func (c *Chunk) start(types *schema.TypeSet, rec *EventHeader) (ticks int64, ok bool) {
	ordinal, ok := types.Ordinal(rec.Type)
	if !ok || !types.Types[ordinal].IsEvent() {
		return 0, false
	}
	keys := &types.BlockKeys()[ordinal]
	plan, err := keys.Type.Plan()
	if err != nil {
		return 0, false
	}
	return c.longAt(plan, rec, keys.Time)
}

// longAt reads the long in a slot of an event; none if the slot is -1.
func (c *Chunk) longAt(plan *schema.Plan, rec *EventHeader, slot int32) (v int64, ok bool) {
	if slot < 0 {
		return 0, false
	}
	b := c.data[:rec.End()]
	pos, ok := plan.SlotOffset(b, int(rec.Body()), int(slot))
	if !ok {
		return 0, false
	}
	v, n := c.encoding.Long(b[pos:])
	return v, n > 0
}
