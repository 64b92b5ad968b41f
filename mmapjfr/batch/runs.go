package batch

import "slices"

// runs is a list in order that grows by lists in order. It holds several of these, each at least twice as long as the
// next, so that n elements cost n log n comparisons, however many lists they were in.
type runs[T comparable] struct{ lists [][]T }

// add adds a list in order, which belongs to the runs from now on.
func (r *runs[T]) add(list []T, compare func(a, b T) int) {
	if len(list) == 0 {
		return
	}
	r.lists = append(r.lists, list)
	for n := len(r.lists); n > 1 && len(r.lists[n-2]) < 2*len(r.lists[n-1]); n = len(r.lists) {
		r.join(compare)
	}
}

// addAll adds another list, which must not be used afterwards.
func (r *runs[T]) addAll(o runs[T], compare func(a, b T) int) {
	for _, list := range o.lists {
		r.add(list, compare)
	}
}

// all returns all elements in order; equal ones once.
func (r *runs[T]) all(compare func(a, b T) int) []T {
	for len(r.lists) > 1 {
		r.join(compare)
	}
	if len(r.lists) == 0 {
		return nil
	}
	return r.lists[0]
}

// len returns how many elements there are; equal ones may count several times.
func (r *runs[T]) len() (n int) {
	for _, list := range r.lists {
		n += len(list)
	}
	return n
}

// join makes one list of the last two.
func (r *runs[T]) join(compare func(a, b T) int) {
	n := len(r.lists)
	a, b := r.lists[n-2], r.lists[n-1]
	both := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0], b[0]); {
		case c <= 0:
			if c == 0 && a[0] == b[0] {
				b = b[1:]
			}
			both, a = append(both, a[0]), a[1:]
		default:
			both, b = append(both, b[0]), b[1:]
		}
	}
	r.lists = append(r.lists[:n-2], append(append(both, a...), b...))
}

// ordered returns a list as runs, in order and each element once.
func ordered[T comparable](list []T, compare func(a, b T) int) (r runs[T]) {
	if !slices.IsSortedFunc(list, compare) {
		slices.SortFunc(list, compare)
	}
	r.add(slices.Compact(list), compare)
	return r
}
