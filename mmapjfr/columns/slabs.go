package columns

import "sync"

// slabs are slices for a number of rows that all rows lend to each other: rows that wait would take several times the
// memory if each table kept what it once needed.
type slabs struct {
	size  int // 0 if none are lent
	mu    sync.Mutex
	ints  [][]int64
	refs  [][]int32
	texts [][]string
	lists [][]*Elements
	valid [][]bool
}

const (
	// blockRows is how many rows wait in a block, at most.
	blockRows = 1 << blockBits
	blockBits = 10
	// ownRows is how many rows have memory of their own, if no more are expected.
	ownRows = 256
)

// lengthened returns a slice of rows with n elements more, whose values do not matter. It takes a slab once there are
// many elements.
func lengthened[T any](r *Rows, free *[][]T, s []T, n int) []T {
	need := len(s) + n
	if need <= cap(s) {
		return s[:need]
	}
	x := r.slabs
	if need <= max(ownRows, x.size/16) && !r.large || need > x.size {
		return append(make([]T, 0, need*3/2), s...)[:need]
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

// given puts a slab back, and returns what is left: few elements stay where they are.
func given[T any](x *slabs, free *[][]T, s []T) []T {
	if x.size == 0 || cap(s) <= 2*ownRows {
		return s[:0]
	}
	if cap(s) == x.size {
		*free = append(*free, s[:0])
	}
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

// settle gives each slice the room of a slab.
func (r *Rows) settle() {
	large := r.large
	r.large = true
	r.start = settled(r, &r.slabs.ints, r.start)
	for i := range r.slots {
		d, x := &r.slots[i], r.slabs
		d.refs, d.ints, d.texts = settled(r, &x.refs, d.refs), settled(r, &x.ints, d.ints), settled(r, &x.texts, d.texts)
		d.lists = settled(r, &x.lists, d.lists)
	}
	r.large = large
}

func settled[T any](r *Rows, free *[][]T, s []T) []T {
	if len(s) == 0 {
		return s
	}
	return lengthened(r, free, s, blockRows-len(s))[:len(s)]
}
