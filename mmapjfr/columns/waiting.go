package columns

// waiting is the rows of a table that wait to be written. They stay in the blocks in which they have come.
type waiting struct {
	table  *Table
	blocks []*Rows
	// sorted are rows of the first blocks, before fresh, in order. All others of these have been written.
	sorted []position
	fresh  int
	n      int
	bytes  int64
	wide   int64
}

// position says where a row waits: its number in its block in the lower bits, and the block in the others.
type position uint32

// at returns the position of a row of a block.
func at(block, row int) position { return position(block<<blockBits | row) }

func (p position) block() int { return int(p >> blockBits) }
func (p position) row() int   { return int(p % blockRows) }

// add adds a block.
func (w *waiting) add(b *Rows) {
	w.blocks = append(w.blocks, b)
	w.n += b.N
	w.bytes += b.bytes
	w.wide += b.wide
}

// retain removes all rows but those of some positions, which are in order. It returns blocks that have no rows left.
func (w *waiting) retain(x *sorter, list []position) (done []*Rows) {
	part := float64(len(list)) / float64(max(1, w.n))
	w.n, w.bytes, w.wide = len(list), int64(float64(w.bytes)*part), int64(float64(w.wide)*part)
	left := make([]int, len(w.blocks)) // rows of each block, then its new number
	for _, p := range list {
		left[p.block()]++
	}
	rows := 0
	for i, n := range left {
		if n > 0 {
			rows += w.blocks[i].N
		}
	}
	if rows > 2*len(list)+groupRows/4 {
		return w.compact(x, list)
	}
	blocks := w.blocks[:0]
	for i, b := range w.blocks {
		if left[i] == 0 {
			done = append(done, b)
			continue
		}
		left[i] = len(blocks)
		blocks = append(blocks, b)
	}
	clear(w.blocks[len(blocks):])
	w.sorted = w.sorted[:0]
	for _, p := range list {
		w.sorted = append(w.sorted, at(left[p.block()], p.row()))
	}
	w.blocks, w.fresh = blocks, len(blocks)
	return done
}

// compact moves the rows of some positions into blocks of their own, and returns the others.
func (w *waiting) compact(x *sorter, list []position) (done []*Rows) {
	done, w.sorted = w.blocks, w.sorted[:0]
	var blocks []*Rows
	for n := 0; len(list) > 0; list = list[n:] {
		n = min(blockRows, len(list))
		b := newRows(w.table, done[0].slabs)
		b.large, b.of = true, done[0].of
		x.gather(b, w, list[:n])
		for row := range n {
			w.sorted = append(w.sorted, at(len(blocks), row))
		}
		blocks = append(blocks, b)
	}
	w.blocks, w.fresh = blocks, len(blocks)
	return done
}

// settle gives blocks the room that gather counts on, unless there is one alone.
func (w *waiting) settle() {
	if len(w.blocks) > 1 {
		for _, b := range w.blocks {
			b.settle()
		}
	}
}

// gather makes the rows those of some positions.
func (x *sorter) gather(r *Rows, w *waiting, list []position) {
	r.extend(w.table, len(list))
	x.used = append(x.used[:0], make([]bool, len(w.blocks))...)
	for _, p := range list {
		x.used[p.block()] = true
	}
	gather(r.start, w, list, func(b *Rows) []int64 { return b.start })
	for i := range r.slots {
		d := &r.slots[i]
		switch {
		case w.table.slots[i].start:
		case w.table.slots[i].same && w.isSame(i):
			d.place(w.blocks[0].slots[i].constants[0])
		case w.table.slots[i].constant:
			r.refsOf(i)
			x.gatherRefs(d, w, i, list)
		default:
			gather(d.ints, w, list, func(b *Rows) []int64 { return b.slots[i].ints })
			gather(d.texts, w, list, func(b *Rows) []string { return b.slots[i].texts })
			gather(d.lists, w, list, func(b *Rows) []*Elements { return b.slots[i].lists })
			gatherValid(r, w, i, list)
		}
	}
}

// isSame reports whether all rows have one constant in a slot. Otherwise all get references.
func (w *waiting) isSame(slot int) bool {
	first := w.blocks[0].slots[slot].constants[0]
	for _, b := range w.blocks {
		if d := &b.slots[slot]; len(d.refs) > 0 || d.constants[0] != first {
			for _, b := range w.blocks {
				b.refsOf(slot)
			}
			w.settle()
			return false
		}
	}
	return true
}

// gather copies values, by their positions.
func gather[T any](to []T, w *waiting, list []position, of func(*Rows) []T) {
	if len(to) == 0 {
		return
	}
	to = to[:len(list)]
	if len(w.blocks) == 1 {
		one := of(w.blocks[0])
		for i, p := range list {
			to[i] = one[p.row()]
		}
		return
	}
	var room [512]*[blockRows]T
	from := room[:0]
	for _, b := range w.blocks {
		from = append(from, (*[blockRows]T)(of(b)[:blockRows]))
	}
	for i, p := range list {
		to[i] = from[p.block()][p.row()]
	}
}

// gatherValid sets which rows have values, if some have none.
func gatherValid(r *Rows, w *waiting, slot int, list []position) {
	for _, b := range w.blocks {
		if !b.slots[slot].nulls {
			continue
		}
		valid := r.validOf(slot)
		for i, p := range list {
			d := &w.blocks[p.block()].slots[slot]
			valid[i] = !d.nulls || d.valid[p.row()]
		}
		return
	}
}

// origin is the references of a block, and where the places of its constants are.
type origin struct {
	refs   *[blockRows]int32
	places int32
}

// gatherRefs copies references, and leads them to constants of the new rows.
func (x *sorter) gatherRefs(d *data, w *waiting, slot int, list []position) {
	if len(w.blocks) == 1 {
		x.refs = x.refs[:0]
		for _, p := range list {
			x.refs = append(x.refs, w.blocks[0].slots[slot].refs[p.row()])
		}
		d.adopt(d.refs[:len(list)], x.refs, w.blocks[0].slots[slot].constants)
		return
	}
	x.origins, x.places = x.origins[:0], x.places[:0]
	var last []*Constant // of a reader, which has more and more of them
	for i, b := range w.blocks {
		f := &b.slots[slot]
		if n := len(f.constants); x.used[i] && n > 0 {
			if len(last) == 0 || &last[0] != &f.constants[0] {
				last = nil
			}
			if n > len(last) {
				x.places = append(x.places, make([]int32, n-len(last))...)
				last = f.constants
			}
		}
		x.origins = append(x.origins, origin{(*[blockRows]int32)(f.refs[:blockRows]), int32(len(x.places) - len(last))})
	}
	from, to, places := x.origins, d.refs[:len(list)], x.places
	for i, p := range list {
		o := &from[p.block()]
		ref := o.refs[p.row()]
		if ref >= 0 {
			place := &places[o.places+ref]
			if *place == 0 {
				*place = d.place(w.blocks[p.block()].slots[slot].constants[ref]) + 1
			}
			ref = *place - 1
		}
		to[i] = ref
	}
}
