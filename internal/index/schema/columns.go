package schema

import (
	"encoding/binary"

	"github.com/mmapjfr/jfr/internal/wire"
)

// DecodeColumns decodes many values of the type at once, slot by slot. The i-th value begins at
// pos[i] in data; DecodeColumns moves pos[i] to the end of the value. Each slot fills one column
// with one number for each value: an integer or a constant's key as it is written, not yet
// narrowed to its width; the bits of a float; or, for texts and arrays, the position in data.
//
// That is several times faster than one value after the other. The way to decode a slot is chosen
// once for all values. Values do not wait for one another. And the processor predicts lengths
// well, because a field mostly has the same length in all values.
//
// DecodeColumns may read bytes after a value. A value that does not end inside data gets
// len(data)+1 in pos, and any numbers in the columns. The caller must check that a value does not
// end beyond its event, and that an array has no more empty elements than the event has bytes, see
// [Plan.HasZeroSizeElements].
func (p *Plan) DecodeColumns(data []byte, pos []int, columns [][]int64) {
	slot := 0
	for i := range p.ops {
		o := &p.ops[i]
		for range o.n {
			column := columns[slot][:len(pos)]
			switch o.code {
			case opVarints:
				varints(data, pos, column)
			case opFixed:
				fixed(data, pos, column, int(p.slots[slot].size))
			case opText:
				p.texts(data, pos, column)
			default:
				for j, at := range pos {
					column[j], pos[j] = int64(at), p.after(o, data, at)
				}
			}
			slot++
		}
	}
}

// varints decodes a column of compressed integers.
//
//gccheck:nobounds
func varints(data []byte, pos []int, column []int64) {
	last := len(data) - wire.MaxVarintLen
	column = column[:len(pos)]
	for i, at := range pos {
		if at > last {
			column[i], pos[i] = lastVarint(data, at)
			continue
		}
		w := wire.Word(data, at)
		if w&0x80 == 0 {
			column[i], pos[i] = int64(w&0x7f), at+1
			continue
		}
		v, n := wire.VarintWord(w)
		if n == 0 {
			v, n = wire.LongVarint(w, byte(wire.Word(data, at+1)>>56)), wire.MaxVarintLen
		}
		column[i], pos[i] = int64(v), at+n
	}
}

// lastVarint decodes an integer at the end of data.
func lastVarint(data []byte, at int) (v int64, next int) {
	if at < len(data) {
		if v, n := wire.Varint(data[at:]); n > 0 {
			return int64(v), at + n
		}
	}
	return 0, len(data) + 1
}

// fixed decodes a column of values that all have that many bytes.
func fixed(data []byte, pos []int, column []int64, size int) {
	for i, at := range pos {
		wire.Step()
		if at > len(data)-size {
			column[i], pos[i] = 0, len(data)+1
			continue
		}
		b := data[at : at+size]
		switch size {
		case 1:
			column[i] = int64(b[0])
		case wire.ShortLen:
			column[i] = int64(binary.BigEndian.Uint16(b))
		case wire.IntLen:
			column[i] = int64(binary.BigEndian.Uint32(b))
		default:
			column[i] = int64(binary.BigEndian.Uint64(b))
		}
		pos[i] = at + size
	}
}

// texts steps over a column of texts.
func (p *Plan) texts(data []byte, pos []int, column []int64) {
	o := op{code: opText, n: 1}
	last := len(data) - usualRoom
	for i, at := range pos {
		wire.Step()
		column[i] = int64(at)
		if at <= last && p.encoding == wire.Compressed {
			w := wire.Word(data, at)
			switch n := int(w >> 8 & 0xff); wire.Encoding(w) {
			case wire.Null, wire.Empty:
				pos[i] = at + 1
				continue
			case wire.UTF8, wire.Latin1:
				if n < 0x80 {
					pos[i] = at + 2 + n
					continue
				}
			case wire.Chars:
				if n <= maxShort && wire.ShortASCII(data, at+2, n) {
					pos[i] = at + 2 + n
					continue
				}
				if n <= maxShort && at <= last-maxShort*wire.MaxVarintLen {
					for at += 2; n > 0; n-- {
						at += wire.VarintWordLen(wire.Word(data, at))
					}
					pos[i] = at
					continue
				}
			}
		}
		pos[i] = p.after(&o, data, at)
	}
}

// after returns where an op of one slot ends that begins there.
func (p *Plan) after(o *op, data []byte, at int) int {
	if at <= len(data) {
		if end, ok := p.skipOp(o, data, at); ok {
			return end
		}
	}
	return len(data) + 1
}
