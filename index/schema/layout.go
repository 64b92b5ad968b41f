package schema

import "github.com/mmapjfr/jfr/internal/wire"

// Layout finds where each slot of a value lies that begins at pos in b, and writes the positions
// to offs, which has room for all slots. It returns the position after the value. It reports false
// if that is beyond end; then the positions mean nothing. It allocates nothing.
//
// Bytes of b from end on do not count. But the more of them there are, the sooner the last slots
// are found, because eight bytes are read at a time.
func (p *Plan) Layout(b []byte, pos, end int, offs []uint32) (next int, ok bool) {
	if uint(end) > uint(len(b)) || uint(pos) > uint(end) {
		return 0, false
	}
	for i := 0; ; i++ {
		i, pos = p.usual(b, pos, offs, i)
		if i == len(p.ops) {
			return pos, pos <= end
		}
		if pos, ok = p.layoutOp(&p.ops[i], b[:end], pos, offs); !ok {
			return 0, false
		}
	}
}

// usualRoom is how many bytes usual needs from its position on: those before the characters of a
// string, and those that it reads of the characters.
const usualRoom = 2 + maxShort

// maxShort is how many code units a short string has: virtual machines write longer ones as
// constants.
const maxShort = 2 * wire.WordLen

// usual lays out the slots of ops, from op i on, up to the first op that needs more care: an
// array, a long string, or the end of b. It returns that op and where it begins, which may be
// beyond b. It calls nothing, so all its values stay in registers.
func (p *Plan) usual(b []byte, pos int, offs []uint32, i int) (op, at int) {
	last := len(b) - usualRoom
	for ; i < len(p.ops) && pos <= last; i++ {
		o := &p.ops[i]
		slot := uint(o.first)
		switch o.code {
		case opVarints:
			at := pos
			for end := slot + uint(o.n); slot < end; slot++ {
				if at > last {
					return i, pos
				}
				offs[slot] = uint32(at)
				w := wire.Word(b, at)
				if w&0x80 == 0 {
					at++ // the processor predicts this branch and goes on
					continue
				}
				at += wire.VarintWordLen(w)
			}
			pos = at
		case opFixed:
			for end := slot + uint(o.n); slot < end; slot++ {
				wire.Step()
				offs[slot] = uint32(pos)
				pos += int(p.slots[slot].size)
			}
		case opText:
			if p.encoding != wire.Compressed {
				return i, pos
			}
			offs[slot] = uint32(pos)
			w := wire.Word(b, pos)
			n := int(w>>8) & 0xff
			switch wire.Encoding(w) {
			case wire.Null, wire.Empty:
				pos++
			case wire.Constant:
				pos += 1 + wire.VarintWordLen(wire.Word(b, pos+1))
			case wire.UTF8, wire.Latin1:
				if n >= 0x80 {
					return i, pos
				}
				pos += 2 + n
			case wire.Chars:
				if n > maxShort {
					return i, pos
				}
				at := pos + 2
				if wire.ShortASCII(b, at, n) {
					pos = at + n
					continue
				}
				for range n {
					if at > last {
						return i, pos
					}
					at += wire.VarintWordLen(wire.Word(b, at))
				}
				pos = at
			default:
				return i, pos
			}
		default:
			return i, pos
		}
	}
	return i, pos
}

// layoutOp lays out the slots of one op. It reads nothing beyond b.
func (p *Plan) layoutOp(o *op, b []byte, pos int, offs []uint32) (end int, ok bool) {
	if pos > len(b) {
		return 0, false
	}
	run := offs[o.first:][:o.n]
	for k := range run {
		run[k] = uint32(pos)
		slot := op{elem: o.elem, n: 1, size: uint32(p.slots[int(o.first)+k].size), code: o.code}
		if pos, ok = p.skipOp(&slot, b, pos); !ok {
			return 0, false
		}
	}
	return pos, true
}
