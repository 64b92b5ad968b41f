package columns

import "sync"

// slabs are slices for a number of rows that tables lend to each other: all that wait would take several times the
// memory if each table kept what it once needed.
type slabs struct {
	size  int
	mu    sync.Mutex
	ints  [][]int64
	refs  [][]int32
	texts [][]string
	lists [][]*Elements
	valid [][]bool
}

const (
	// blockRows is how many rows wait in a block.
	blockRows = 8192
	// ownRows is how many rows have memory of their own.
	ownRows = 1024
)

// lengthenedFrom returns a slice with n elements more, whose values do not matter. It takes a slab once there are
// many elements.
func lengthenedFrom[T any](x *slabs, free *[][]T, s []T, n int) []T {
	need := len(s) + n
	if need <= cap(s) || need <= ownRows || need > x.size {
		return lengthened(s, n)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var slab []T
	if last := len(*free) - 1; last >= 0 {
		slab, *free = (*free)[last], (*free)[:last]
	} else {
		slab = make([]T, 0, x.size)
	}
	return append(slab, s...)[:need]
}

// given puts a slab back, and returns what is left: a slice that is none, without elements.
func given[T any](x *slabs, free *[][]T, s []T) []T {
	if cap(s) != x.size {
		return s[:0]
	}
	*free = append(*free, s[:0])
	return nil
}

// give removes all rows, and gives the slabs back.
func (r *Rows) give() {
	r.reset()
	x := r.slabs
	x.mu.Lock()
	defer x.mu.Unlock()
	r.start = given(x, &x.ints, r.start)
	for i := range r.slots {
		d := &r.slots[i]
		d.refs, d.ints, d.texts = given(x, &x.refs, d.refs), given(x, &x.ints, d.ints), given(x, &x.texts, d.texts)
		d.lists, d.valid = given(x, &x.lists, d.lists), given(x, &x.valid, d.valid)
	}
}

// waiting is the rows of a table that wait to be written, in blocks.
type waiting struct {
	table  *Table
	slabs  *slabs
	blocks []*Rows
	slots  []data // the constants that the references of all blocks lead to
	n      int
	bytes  int64
	wide   int64
}

// add adds the rows of a part.
func (w *waiting) add(from *Rows) {
	if w.slots == nil {
		w.slots = make([]data, len(w.table.slots))
	}
	for first := 0; first < from.N; {
		last := len(w.blocks) - 1
		if last < 0 || w.blocks[last].N == blockRows {
			b := newRows(w.table)
			b.slabs = w.slabs
			w.blocks = append(w.blocks, b)
			last++
		}
		b := w.blocks[last]
		n := min(blockRows-b.N, from.N-first)
		b.add(from, first, n)
		for i := range w.slots {
			if refs := b.slots[i].refs; refs != nil {
				w.slots[i].adopt(refs[b.N-n:], from.slots[i].constants)
			}
		}
		first += n
	}
	w.n += from.N
	w.bytes += from.bytes
	w.wide += from.wide
}

// clear removes all rows.
func (w *waiting) clear() {
	for _, b := range w.blocks {
		b.give()
	}
	clear(w.blocks)
	w.blocks, w.n, w.bytes, w.wide = w.blocks[:0], 0, 0, 0
	for i := range w.slots {
		w.slots[i].forget()
	}
}

// reduce removes all rows but those of some positions, and puts these in order.
func (w *waiting) reduce(at []int32) {
	kept := waiting{table: w.table, slabs: w.slabs}
	if len(at) > 0 {
		kept.slots = make([]data, len(w.table.slots))
	}
	for n := 0; len(at) > 0; at = at[n:] {
		n = min(blockRows, len(at))
		b := newRows(w.table)
		b.slabs = w.slabs
		b.gather(w, at[:n])
		for i := range kept.slots {
			kept.slots[i].adopt(b.slots[i].refs, w.slots[i].constants)
		}
		kept.blocks = append(kept.blocks, b)
		kept.n, kept.bytes, kept.wide = kept.n+n, kept.bytes+b.bytes, kept.wide+b.wide
	}
	w.clear()
	*w = kept
}

// gather adds rows that wait, by their positions. References lead to constants of what waits.
func (r *Rows) gather(w *waiting, at []int32) {
	if w.n > 0 {
		part := float64(len(at)) / float64(w.n)
		r.bytes += int64(float64(w.bytes) * part)
		r.wide += int64(float64(w.wide) * part)
	}
	r.N += len(at)
	x := r.slabs
	r.start = gather(x, &x.ints, r.start, w, at, func(b *Rows) []int64 { return b.start })
	for i := range r.slots {
		d := &r.slots[i]
		d.refs = gather(x, &x.refs, d.refs, w, at, func(b *Rows) []int32 { return b.slots[i].refs })
		d.ints = gather(x, &x.ints, d.ints, w, at, func(b *Rows) []int64 { return b.slots[i].ints })
		d.texts = gather(x, &x.texts, d.texts, w, at, func(b *Rows) []string { return b.slots[i].texts })
		d.lists = gather(x, &x.lists, d.lists, w, at, func(b *Rows) []*Elements { return b.slots[i].lists })
		d.valid = gather(x, &x.valid, d.valid, w, at, func(b *Rows) []bool { return b.slots[i].valid })
	}
}

// adopt makes all references such to constants of the rows; before they lead to those of slots of the same table.
func (r *Rows) adopt(slots []data) {
	for i := range r.slots {
		r.slots[i].adopt(r.slots[i].refs, slots[i].constants)
	}
}

// gather adds values, by their positions.
func gather[T any](x *slabs, free *[][]T, dst []T, w *waiting, at []int32, of func(*Rows) []T) []T {
	if len(w.blocks) == 0 || of(w.blocks[0]) == nil {
		return dst
	}
	var room [64][]T
	from := room[:0]
	for _, b := range w.blocks {
		from = append(from, of(b))
	}
	n := len(dst)
	dst = lengthenedFrom(x, free, dst, len(at))
	to := dst[n:]
	for i, p := range at {
		to[i] = from[uint32(p)/blockRows][uint32(p)%blockRows]
	}
	return dst
}
