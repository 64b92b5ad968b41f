package index

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// usualRoom is how many bytes of an event, from its beginning on, are looked at to find its
// time and thread.
const usualRoom = 6 + schema.NearSlots*wire.MaxVarintLen + wire.WordLen

// addUsual adds events, up to the first one whose header has not one of the usual forms, or
// whose time and thread are not near its beginning. It has the same effect as enter and add.
// All values that matter are at hand in one loop, so the processor begins with the next event
// before the last ones are done. That is twice as fast as reading headers first and the fields
// after them.
func (bb *blockBuilder) addUsual() {
	if bb.types == nil || bb.types.IntEncoding != wire.Compressed {
		return
	}
	s, data, ordinals, keys, typeEvents := bb.sector, bb.chunk.data, bb.types.DenseOrdinals(), bb.keys, bb.of
	pos := s.next
	end := min(s.limit, uint64(max(len(data)-usualRoom, 0)), bb.chunk.nextGap(pos))
	events, types0, types1, threads, least, greatest := bb.events, bb.types0, bb.types1, bb.threads, bb.least, bb.greatest
	for pos < end {
		w := wire.Word(data, int(pos))
		size, typ := wire.ShortEventHeader(w)
		head := wire.ShortEventHeaderLen
		if size == 0 {
			size, typ, head = wire.EventHeader(w)
		}
		next := pos + uint64(size)
		if head == 0 || next > uint64(len(data)) || typ <= uint32(schema.CheckpointID) || int(typ) >= len(ordinals) {
			break
		}
		ordinal := uint(ordinals[typ]) - 1
		if ordinal >= uint(len(keys)) || ordinal >= uint(len(typeEvents)) || !keys[ordinal].Near {
			break
		}
		m, of := &keys[ordinal], &typeEvents[ordinal]
		at := int(pos) + head
		for range m.Time {
			at += wire.VarintWordLen(wire.Word(data, at))
		}
		ticks, n := wire.VarintWord(wire.Word(data, at))
		if n == 0 {
			break
		}
		at += n
		thread := uint64(0)
		if m.Thread >= 0 {
			for range m.Thread - m.Time - 1 {
				at += wire.VarintWordLen(wire.Word(data, at))
			}
			w := wire.Word(data, at)
			key, n := w&0x7f, 1
			if w&0x80 != 0 {
				if key, n = wire.VarintWord(w); n == 0 {
					break
				}
			}
			at += n
			thread = threadBit(int64(key))
		}
		if uint64(at) > next {
			break
		}
		if cell := int(pos / cellSize); cell != bb.cell {
			bb.events, bb.types0, bb.types1, bb.threads, bb.least, bb.greatest = events, types0, types1, threads, least, greatest
			bb.enter(cell, pos)
			types0, types1, threads, least, greatest = bb.types0, bb.types1, bb.threads, bb.least, bb.greatest
		}
		threads |= thread
		least, greatest = min(least, int64(ticks)), max(greatest, int64(ticks))
		types0 |= m.Types[0]
		types1 |= m.Types[1]
		of.Events++
		of.Bytes += uint64(size)
		if !of.many {
			of.addOffset(pos, bb.maxOffsets)
		}
		events++
		pos = next
	}
	s.next = pos
	bb.events, bb.types0, bb.types1, bb.threads, bb.least, bb.greatest = events, types0, types1, threads, least, greatest
}
