package index

import "github.com/mmapjfr/jfr/internal/wire"

// nearSlots is how many slots time and thread are looked for among, and nearRoom
// how many bytes are looked at for that, from the beginning of the event on.
const (
	nearSlots = 8
	nearRoom  = 6 + nearSlots*wire.MaxVarintLen + wire.WordLen
)

// varintsFirst tells whether the first n slots are compressed integers, and few.
func (p *Plan) varintsFirst(n int) bool {
	return n <= nearSlots && len(p.ops) > 0 && p.ops[0].code == opVarints && n <= int(p.ops[0].n)
}

// near goes through events up to the first that has not one of the usual frames,
// or whose time and thread are not near its beginning. It does for them what walk
// does for others. All that counts is at hand at the same time, so that the
// processor is at the next event while it is not through with the last ones: that
// is twice as fast as reading frames first, and what is behind them then.
func (k *cutter) near() {
	if k.types == nil || k.types.IntEncoding != wire.Compressed {
		return
	}
	s, data, ordinals, marks, kept := k.sector, k.chunk.data, k.types.byID.dense, k.marks, k.of
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
		if head == 0 || next > uint64(len(data)) || typ <= uint32(CheckpointID) || int(typ) >= len(ordinals) {
			break
		}
		ordinal := uint(ordinals[typ]) - 1
		if ordinal >= uint(len(marks)) || ordinal >= uint(len(kept)) || !marks[ordinal].near {
			break
		}
		m, of := &marks[ordinal], &kept[ordinal]
		at := int(pos) + head
		for range m.time {
			at += wire.VarintWordLen(wire.Word(data, at))
		}
		ticks, n := wire.VarintWord(wire.Word(data, at))
		if n == 0 {
			break
		}
		at += n
		thread := uint64(0)
		if m.thread >= 0 {
			for range m.thread - m.time - 1 {
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
		types0 |= m.types[0]
		types1 |= m.types[1]
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
