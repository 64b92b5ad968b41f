package schema

import (
	"math/bits"

	"github.com/mmapjfr/jfr/internal/wire"
)

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

// Skip returns the position after a value that begins at pos in b. It reports false if the value
// does not end inside b. It allocates nothing.
func (p *Plan) Skip(b []byte, pos int) (end int, ok bool) {
	wire.Step()
	if uint(pos) > uint(len(b)) {
		return 0, false
	}
	if p.size >= 0 {
		return pos + p.size, p.size <= len(b)-pos
	}
	for i := range p.ops {
		if pos, ok = p.skipOp(&p.ops[i], b, pos); !ok {
			return 0, false
		}
	}
	return pos, true
}

// SlotOffset returns the position of a slot of the value that begins at pos in b. It reports false
// if the slots before it do not end inside b. It allocates nothing.
func (p *Plan) SlotOffset(b []byte, pos, slot int) (at int, ok bool) {
	wire.Step()
	if uint(pos) > uint(len(b)) {
		return 0, false
	}
	for i := range p.ops {
		o := &p.ops[i]
		left := slot - int(o.first)
		if left >= int(o.n) {
			if pos, ok = p.skipOp(o, b, pos); !ok {
				return 0, false
			}
			continue
		}
		switch o.code {
		case opVarints:
			return skipVarints(b, pos, left)
		case opFixed:
			for k := range left {
				wire.Step()
				pos += int(p.slots[int(o.first)+k].size)
			}
			return pos, pos <= len(b)
		}
		return pos, true
	}
	return pos, true
}

func (p *Plan) skipOp(o *op, b []byte, pos int) (end int, ok bool) {
	wire.Step()
	switch o.code {
	case opVarints:
		return skipVarints(b, pos, int(o.n))
	case opFixed:
		return pos + int(o.size), int(o.size) <= len(b)-pos
	case opText:
		n := wire.SkipText(b[pos:], p.encoding)
		return pos + n, n > 0
	}
	return p.skipArray(o.elem, b, pos)
}

// ArrayHeader returns how many elements the array at pos has, and where the first one begins. It
// reports false if there cannot be as many elements.
func (p *Plan) ArrayHeader(b []byte, pos int) (n, first int, ok bool) {
	count, size := p.encoding.Count(b[min(pos, len(b)):])
	first = pos + size
	// Elements without bytes are possible. A count beyond the bytes is refused for them,
	// too, because a reader visits all of them.
	if size == 0 || count > uint64(len(b)-first) {
		return 0, 0, false
	}
	return int(count), first, true
}

func (p *Plan) skipArray(elem *Plan, b []byte, pos int) (end int, ok bool) {
	n, first, ok := p.ArrayHeader(b, pos)
	if !ok {
		return 0, false
	}
	left := uint64(len(b) - first)
	if elem.size >= 0 {
		size := uint64(n) * uint64(elem.size)
		return first + int(size), size <= left
	}
	if len(elem.ops) == 1 && elem.ops[0].code == opVarints {
		varints := uint64(n) * uint64(elem.ops[0].n)
		if varints > left {
			return 0, false
		}
		return skipVarints(b, first, int(varints))
	}
	end = first
	for range n {
		if end, ok = elem.Skip(b, end); !ok {
			return 0, false
		}
	}
	return end, true
}

// skipVarints steps over n compressed integers.
func skipVarints(b []byte, pos, n int) (end int, ok bool) {
	for last := len(b) - wire.WordLen; n > 0 && pos <= last; n-- {
		if n >= wire.WordLen {
			if pos, n = skipShort(b, pos, n); n == 0 || pos > last {
				break
			}
		}
		pos += wire.VarintWordLen(wire.Word(b, pos))
	}
	for ; n > 0; n-- {
		if pos >= len(b) {
			return 0, false
		}
		size := wire.SkipVarint(b[pos:])
		if size == 0 {
			return 0, false
		}
		pos += size
	}
	return pos, pos <= len(b)
}

// skipShort steps over at most n compressed integers, eight bytes at a time, while it is enough to
// count the bytes that end one: until eight bytes in a row end none, and the ninth may look like
// any other. It returns where the next integer begins and how many are left.
func skipShort(b []byte, pos, n int) (next, left int) {
	begin := pos
	before := uint64(wire.VarintEnds)
	for last := len(b) - wire.WordLen; n >= wire.WordLen && pos <= last; pos += wire.WordLen {
		ends := ^wire.Word(b, pos) & wire.VarintEnds
		if ^ends&(ends-1) >= before {
			break // the first that ends one comes eight bytes or more after the last one
		}
		before = ends
		n -= bits.OnesCount64(ends)
	}
	for pos > begin && b[pos-1] >= 0x80 {
		pos-- // the last one has not ended
	}
	return pos, n
}
