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

// before tells whether a moment comes before another: of those at one time, what
// begins does.
func (m moment) before(n moment) bool {
	return m.nanos < n.nanos || m.nanos == n.nanos && m.what == begins && n.what != begins
}

// moments is a binary heap. Which of those that are equally early comes out first
// shows in what is written. So it must do as java.util.PriorityQueue does, which is
// the textbook's way: what is added rises while it is before its parent; and what
// was last goes to the root and sinks below the child that is before it, of both the
// left one unless the right one is before that.
type moments []moment

func (h *moments) add(m moment) {
	q := append(*h, m)
	*h = q
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !m.before(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = m
}

// remove takes the first one out; there must be one.
func (h *moments) remove() moment {
	q := *h
	first, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return first
	}
	i := 0
	for 2*i+1 < len(q) {
		down := 2*i + 1
		if down+1 < len(q) && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(last) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = last
	return first
}
