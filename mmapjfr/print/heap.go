package print

// heap is a binary heap of values of any type.
//
// Text shows in which order equal values leave it, so it must do exactly what
// java.util.PriorityQueue does. A new value rises while it is before its parent. When the
// first value leaves, the last one takes its place at the root and sinks below the child
// that is before it; of both children it is the left one, unless the right one is before
// that.
type heap[T any] struct {
	list   []T
	before func(a, b T) bool
}

// add adds a value.
func (h *heap[T]) add(x T) {
	q := append(h.list, x)
	h.list = q
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h.before(x, q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = x
}

// remove removes the first value and returns it. The heap must not be empty.
func (h *heap[T]) remove() T {
	var none T
	end := len(h.list) - 1
	first, last := h.list[0], h.list[end]
	h.list[end] = none
	h.list = h.list[:end]
	if end > 0 {
		h.replace(last)
	}
	return first
}

// replace puts a value in the place of the first one.
func (h *heap[T]) replace(x T) {
	q, i := h.list, 0
	for 2*i+1 < len(q) {
		down := 2*i + 1
		if down+1 < len(q) && h.before(q[down+1], q[down]) {
			down++
		}
		if !h.before(q[down], x) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = x
}
