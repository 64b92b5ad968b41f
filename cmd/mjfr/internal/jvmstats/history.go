package jvmstats

// historyLen is how many points a history keeps.
const historyLen = 240

// history is the last points of something, at most one for each second.
type history[T any] struct {
	points []T
	next   int   // where the next one goes when all places are taken
	second int64 // of the newest point
}

// add adds a point. If there is one of the same second it becomes what join makes of
// both.
func (h *history[T]) add(second int64, p T, join func(old, p T) T) {
	if len(h.points) > 0 && second == h.second {
		last := h.last()
		*last = join(*last, p)
		return
	}
	h.second = second
	if h.points == nil {
		h.points = make([]T, 0, historyLen)
	}
	if len(h.points) < historyLen {
		h.points = append(h.points, p)
		return
	}
	h.points[h.next] = p
	h.next = (h.next + 1) % historyLen
}

// last returns the newest point, or nil if there is none.
func (h *history[T]) last() *T {
	if len(h.points) == 0 {
		return nil
	}
	return &h.points[(h.next+len(h.points)-1)%len(h.points)]
}

// forget drops all points.
func (h *history[T]) forget() { h.points, h.next = h.points[:0], 0 }

// list returns the points, the oldest first.
func (h *history[T]) list() []T {
	if len(h.points) == 0 {
		return nil
	}
	list := make([]T, 0, len(h.points))
	return append(append(list, h.points[h.next:]...), h.points[:h.next]...)
}

// newest returns the newest of two points.
func newest[T any](_, p T) T { return p }
