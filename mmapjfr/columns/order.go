package columns

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// sorter puts rows in order, with memory that it uses again.
type sorter struct {
	at          []position
	keys, other []uint64
	counts      []int32

	used    []bool // the blocks that have rows of a row group
	origins []origin
	refs    []int32
	places  []int32 // the references to constants, plus one; 0 if they are not known yet
}

// sorters are those of an export. As many sort at a time as may write.
type sorters struct {
	mu   sync.Mutex
	free []*sorter
}

func (s *sorters) take() *sorter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		x := s.free[n-1]
		s.free = s.free[:n-1]
		return x
	}
	return new(sorter)
}

func (s *sorters) put(x *sorter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(x.origins[:cap(x.origins)])
	s.free = append(s.free, x)
}

// fewRows are sorted by comparing.
const fewRows = 512

// order returns the positions of rows by start time, those of the same time as they have come. They are valid until
// the next call.
func (x *sorter) order(w *waiting) []position {
	x.at = slices.Grow(x.at[:0], w.n)[:w.n]
	if w.n == 0 {
		return x.at
	}
	least, most, last, sorted := int64(math.MaxInt64), int64(math.MinInt64), int64(math.MinInt64), true
	if n := len(w.sorted); n > 0 {
		least, last = w.start(w.sorted[0]), w.start(w.sorted[n-1])
		most = last
	}
	for _, b := range w.blocks[w.fresh:] {
		for _, s := range b.start {
			sorted = sorted && s >= last
			least, most, last = min(least, s), max(most, s), s
		}
	}
	place, width := blockBits+bits.Len(uint(len(w.blocks)-1)), bits.Len64(uint64(most)-uint64(least))
	switch {
	case sorted:
		x.list(w)
	case place+width > 64: // some starts are not known, or lie hours apart
		x.list(w)
		slices.SortStableFunc(x.at, func(a, b position) int { return cmp.Compare(w.start(a), w.start(b)) })
	default:
		x.sortKeys(w, least, place, width)
	}
	return x.at
}

// start returns the start of a row.
func (w *waiting) start(p position) int64 { return w.blocks[p.block()].start[p.row()] }

// list notes the positions of all rows.
func (x *sorter) list(w *waiting) {
	i := copy(x.at, w.sorted)
	for n, b := range w.blocks[w.fresh:] {
		for row := range b.N {
			x.at[i] = at(w.fresh+n, row)
			i++
		}
	}
}

// sortKeys sorts numbers that have the time in their upper bits and the position in the lower ones.
func (x *sorter) sortKeys(w *waiting, least int64, place, width int) {
	x.keys = slices.Grow(x.keys[:0], w.n)[:w.n]
	for i, p := range w.sorted {
		x.keys[i] = uint64(w.start(p)-least)<<place | uint64(p)
	}
	i := len(w.sorted)
	for n, b := range w.blocks[w.fresh:] {
		base, to := uint64(at(w.fresh+n, 0)), x.keys[i:][:len(b.start)]
		for j, s := range b.start {
			to[j] = uint64(s-least)<<place | base + uint64(j)
		}
		i += len(to)
	}
	digit := min(width, bits.Len(uint(w.n))-2)
	switch {
	case len(x.keys) <= fewRows:
		slices.Sort(x.keys)
	case x.isEven(place+width-digit, place+width):
		x.move(place+width-digit, place+width)
		x.finish()
	default:
		digit = min(width, 2*digitBits+1) / 2
		x.count(place+width-2*digit, place+width-digit)
		x.move(place+width-2*digit, place+width-digit)
		x.count(place+width-digit, place+width)
		x.move(place+width-digit, place+width)
		x.finish()
	}
	mask := uint64(1)<<place - 1
	for i, k := range x.keys {
		x.at[i] = position(k & mask)
	}
}

const (
	// digitBits is the width of each of two digits by which keys are sorted, which leaves rows within microseconds of
	// each other. If rows are spread evenly over time, one digit with some values for each row does: rows come nearly in
	// order, so that keys which are moved stay near each other.
	digitBits = 12
	// evenRows is how many rows there may be on average, for each row, that have the same digit.
	evenRows = 24
)

// isEven counts the digits from one bit to another, and reports whether few rows have each.
func (x *sorter) isEven(from, to int) bool {
	x.count(from, to)
	sum := uint64(0)
	for _, n := range x.counts {
		sum += uint64(n) * uint64(n)
	}
	return sum <= evenRows*uint64(len(x.keys))
}

// count counts how many keys have each value of the bits from one to another.
func (x *sorter) count(from, to int) {
	mask := uint64(1)<<(to-from) - 1
	x.counts = slices.Grow(x.counts[:0], 1<<(to-from))[:1<<(to-from)]
	clear(x.counts)
	for _, k := range x.keys {
		x.counts[k>>from&mask]++
	}
}

// move puts keys in the order of bits that have been counted.
func (x *sorter) move(from, to int) {
	x.other = slices.Grow(x.other[:0], len(x.keys))[:len(x.keys)]
	mask, sum := uint64(1)<<(to-from)-1, int32(0)
	for i, n := range x.counts {
		x.counts[i] = sum
		sum += n
	}
	for _, k := range x.keys {
		place := &x.counts[k>>from&mask]
		x.other[*place] = k
		*place++
	}
	x.keys, x.other = x.other, x.keys
}

// finish sorts keys that are nearly in order by moving each to its place.
func (x *sorter) finish() {
	moves := evenRows * len(x.keys)
	for i := 1; i < len(x.keys); i++ {
		k, j := x.keys[i], i
		for ; j > 0 && x.keys[j-1] > k; j-- {
			x.keys[j] = x.keys[j-1]
		}
		x.keys[j] = k
		if moves -= i - j; moves < 0 { // they are not
			slices.Sort(x.keys)
			return
		}
	}
}
