package schema

import "github.com/mmapjfr/jfr/internal/wire"

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

// skipShort steps over at most n compressed integers, eight bytes at a time, while they are so
// short that it is enough to count those that end. It returns where the next one begins and how
// many are left.
func skipShort(b []byte, pos, n int) (next, left int) {
	begin := pos
	for last := len(b) - wire.WordLen; n >= wire.WordLen && pos <= last; pos += wire.WordLen {
		ended, ok := wire.ShortVarints(wire.Word(b, pos))
		if !ok {
			break
		}
		n -= ended
	}
	for pos > begin && b[pos-1] >= 0x80 {
		pos-- // the last one has not ended
	}
	return pos, n
}
