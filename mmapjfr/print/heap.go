package print

import (
	"math/bits"
	"slices"
)

// heap is a binary heap of entries.
//
// Text shows in which order equal entries leave it, so it must do exactly what
// java.util.PriorityQueue does. A new entry rises while it is before its parent. When the
// first entry leaves, the last one takes its place at the root and sinks below the child
// that is before it; of both children it is the left one, unless the right one is before
// that.
//
// A window has a million entries, far more than the nearest caches hold. The children of entry i are 2i and 2i+1, so that
// both are in one cache line, and so are their four children.
type heap struct {
	list   []entry // from 1 on; nil if it is empty
	looked uint64  // keeps the compiler from leaving out looks at entries that are needed soon
}

// entry is something that has a time.
type entry struct {
	time   uint64 // see timeOf
	rank   uint32 // of two entries at the same time, the lower one is before
	number uint32 // which of those that wait it is
}

// timeOf returns a number as an unsigned one that has the same order.
func timeOf(n int64) uint64 { return uint64(n) ^ 1<<63 }

// before returns 1 if the entry is before another one, and else 0. It does so without a branch: no processor can
// predict which of two children is first.
func (e *entry) before(o *entry) int {
	_, less := bits.Sub64(uint64(e.rank), uint64(o.rank), 0)
	_, less = bits.Sub64(e.time, o.time, less)
	return int(less)
}

// len returns the number of entries.
func (h *heap) len() int { return max(len(h.list)-1, 0) }

// first returns the first entry. The heap must not be empty.
func (h *heap) first() *entry { return &h.list[1] }

// grow makes room for that number of entries more.
func (h *heap) grow(n int) { h.list = slices.Grow(h.list, n) }

// add adds an entry.
func (h *heap) add(x entry) {
	if h.list == nil {
		h.list = make([]entry, 1)
	}
	q := append(h.list, x)
	h.list = q
	i := len(q) - 1
	for i > 1 && x.before(&q[i/2]) > 0 {
		q[i] = q[i/2]
		i /= 2
	}
	q[i] = x
}

// remove removes the first entry and returns it. The heap must not be empty.
func (h *heap) remove() entry {
	end := len(h.list) - 1
	first, last := h.list[1], h.list[end]
	if h.list = h.list[:end]; end > 1 {
		h.replace(last)
	}
	return first
}

// replace puts an entry in the place of the first one.
func (h *heap) replace(x entry) {
	q, i, looked := h.list, 1, uint64(0)
	for 2*i+1 < len(q) {
		if 4*i < len(q) {
			looked += q[4*i].time
		}
		down := 2 * i
		down += q[down+1].before(&q[down])
		if q[down].before(&x) == 0 {
			break
		}
		q[i] = q[down]
		i = down
	}
	if down := 2 * i; down == len(q)-1 && q[down].before(&x) > 0 {
		q[i] = q[down]
		i = down
	}
	q[i] = x
	h.looked = looked
}
