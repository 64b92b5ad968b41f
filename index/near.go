package index

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// nearRoom is how many bytes of an event, from its beginning on, are looked at to find its
// time and thread.
const nearRoom = 6 + schema.NearSlots*wire.MaxVarintLen + wire.WordLen

// near goes through events up to the first that has not one of the usual frames,
// or whose time and thread are not near its beginning. It does for them what walk
// does for others. All that counts is at hand at the same time, so that the
// processor is at the next event while it is not through with the last ones: that
// is twice as fast as reading frames first, and what is behind them then.
func (k *cutter) near() {
	if k.types == nil || k.types.IntEncoding != wire.Compressed {
		return
	}
	s, data, ordinals, keys, kept := k.sector, k.chunk.data, k.types.DenseOrdinals(), k.keys, k.of
	pos := s.next
	end := min(s.limit, uint64(max(len(data)-nearRoom, 0)), k.chunk.solid(pos))
	events, types0, types1, threads, least, greatest := k.events, k.types0, k.types1, k.threads, k.least, k.greatest
	for pos < end {
		w := wire.Word(data, int(pos))
		size, typ, head := uint32(w)&0x7f, uint32(w>>8)&0x7f|uint32(w>>9)&0x3f80, 3
		if w&0x808080 != 0x008000 {
			size, typ, head = wire.Frame(w)
		}
		next := pos + uint64(size)
		if head == 0 || next > uint64(len(data)) || typ <= uint32(schema.CheckpointID) || int(typ) >= len(ordinals) {
			break
		}
		ordinal := uint(ordinals[typ]) - 1
		if ordinal >= uint(len(keys)) || ordinal >= uint(len(kept)) || !keys[ordinal].Near {
			break
		}
		m, of := &keys[ordinal], &kept[ordinal]
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
		if cell := int(pos / cellSize); cell != k.cell {
			k.events, k.types0, k.types1, k.threads, k.least, k.greatest = events, types0, types1, threads, least, greatest
			k.enter(cell, pos)
			types0, types1, threads, least, greatest = k.types0, k.types1, k.threads, k.least, k.greatest
		}
		threads |= thread
		least, greatest = min(least, int64(ticks)), max(greatest, int64(ticks))
		types0 |= m.Types[0]
		types1 |= m.Types[1]
		of.Events++
		of.Bytes += uint64(size)
		if !of.many {
			of.keep(pos, k.rare)
		}
		events++
		pos = next
	}
	s.next = pos
	k.events, k.types0, k.types1, k.threads, k.least, k.greatest = events, types0, types1, threads, least, greatest
}
