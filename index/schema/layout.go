package schema

import "github.com/mmapjfr/jfr/internal/wire"

// Layout finds where each slot of a value lies that begins at pos in b, and
// writes the positions to offs, which has room for all slots. It returns the
// position behind the value. It is false if that is behind end: then what offs
// holds means nothing. It allocates nothing.
//
// What b holds from end on does not count; but the more there is of it, the
// sooner the last slots are found, for bytes are looked at eight at a time.
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

// usualRoom is how many bytes usual needs from where it looks on: those before
// the characters of a string, and as many as it looks at for these.
const usualRoom = 2 + maxShort

// maxShort is how many code units a string has that is not long: virtual
// machines make a constant of one that has more.
const maxShort = 2 * wire.WordLen

// usual lays out the slots of ops, from that one on, up to the first op that
// has to be looked at with more care: because it is an array or a long string,
// or because of the end of b. It returns which one that is and where it begins,
// which may be behind b. It calls nothing, so that all it needs stays in
// registers.
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
					at++ // which the processor can guess, and go on
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

// layoutOp lays out the slots of one op. It looks at nothing behind b.
func (p *Plan) layoutOp(o *op, b []byte, pos int, offs []uint32) (end int, ok bool) {
	run := offs[o.first:][:o.n]
	if pos > len(b) {
		return 0, false
	}
	switch o.code {
	case opVarints:
		for k := range run {
			run[k] = uint32(pos)
			n := wire.SkipVarint(b[pos:])
			if n == 0 {
				return 0, false
			}
			pos += n
		}
		return pos, true
	case opFixed:
		for k := range run {
			wire.Step()
			run[k] = uint32(pos)
			pos += int(p.slots[int(o.first)+k].size)
		}
		return pos, pos <= len(b)
	}
	run[0] = uint32(pos)
	return p.skipOp(o, b, pos)
}
