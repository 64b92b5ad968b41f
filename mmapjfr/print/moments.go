package print

// moment is when something happens to an event that waits in a window.
type moment struct {
	nanos int64 // since 1970
	slot  uint32
	what  happening
}

// happening is what happens at a moment.
type happening uint8

const (
	begins  happening = iota // a contextual event encloses others from now on
	ends                     // it does so no more
	isShown                  // the event is handed on
)

// moments is a binary heap. Where nothing else decides, it shows in what is written
// which of those that are equally early comes out first. So it must do as
// java.util.PriorityQueue does, which is the textbook's way: what is added rises while
// it is before its parent; and what was last goes to the root and sinks below the child
// that is before it, of both the left one unless the right one is before that.
type moments struct {
	heap []moment
	// first, if it is not nil, reports which of two that are equally early comes first:
	// their slots are given. Without it, what begins does, and the heap decides the rest.
	first func(a, b uint32) bool
}

// before reports whether a moment comes before another.
func (h *moments) before(m, n moment) bool {
	switch {
	case m.nanos != n.nanos:
		return m.nanos < n.nanos
	case h.first != nil:
		return h.first(m.slot, n.slot)
	}
	return m.what == begins && n.what != begins
}

func (h *moments) add(m moment) {
	q := append(h.heap, m)
	h.heap = q
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h.before(m, q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = m
}

// remove takes the first one out; there must be one.
func (h *moments) remove() moment {
	q := h.heap
	first, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	h.heap = q
	if len(q) == 0 {
		return first
	}
	i := 0
	for 2*i+1 < len(q) {
		down := 2*i + 1
		if down+1 < len(q) && h.before(q[down+1], q[down]) {
			down++
		}
		if !h.before(q[down], last) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = last
	return first
}
