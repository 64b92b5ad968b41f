package columns

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// sorter sorts rows by time, with memory that it uses again.
type sorter struct {
	starts      [][]int64
	keys, other []uint64
	at          []int32
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
	s.free = append(s.free, x)
}

const (
	digitBits = 12
	// fewRows are sorted by comparing.
	fewRows = 512
)

// order returns the positions of rows by start time, those of the same time in their order. They are valid until the
// next call.
func (x *sorter) order(w *waiting) []int32 {
	x.starts = x.starts[:0]
	for _, b := range w.blocks {
		x.starts = append(x.starts, b.start)
	}
	defer clear(x.starts)
	return x.orderOf(x.starts)
}

// orderOf is order for start times, which lie in some slices.
func (x *sorter) orderOf(starts [][]int64) []int32 {
	n, least, most, last, sorted := 0, int64(math.MaxInt64), int64(math.MinInt64), int64(math.MinInt64), true
	for _, list := range starts {
		for _, s := range list {
			sorted = sorted && s >= last
			least, most, last = min(least, s), max(most, s), s
		}
		n += len(list)
	}
	x.at = slices.Grow(x.at[:0], n)[:n]
	if n == 0 {
		return x.at
	}
	place := bits.Len(uint(n - 1)) // bits of a position
	width := bits.Len64(uint64(most) - uint64(least))
	switch {
	case sorted:
		x.count()
	case place+width > 64: // some starts are not known, or lie hours apart
		all := slices.Concat(starts...)
		x.count()
		slices.SortStableFunc(x.at, func(a, b int32) int { return cmp.Compare(all[a], all[b]) })
	default:
		x.orderKeys(starts, n, least, place, width)
	}
	return x.at
}

// count makes the positions those of rows in order.
func (x *sorter) count() {
	for i := range x.at {
		x.at[i] = int32(i)
	}
}

// orderKeys orders numbers that have the time in their upper bits and the position in the lower ones.
func (x *sorter) orderKeys(starts [][]int64, n int, least int64, place, width int) {
	x.keys = slices.Grow(x.keys[:0], n)[:n]
	i := 0
	for _, list := range starts {
		to := x.keys[i:][:len(list)]
		for j, s := range list {
			to[j] = uint64(s-least)<<place | uint64(i+j)
		}
		i += len(list)
	}
	if n <= fewRows {
		slices.Sort(x.keys)
	} else {
		x.sort(max(place, place+width-digits*digitBits), place+width)
		x.finish()
	}
	mask := uint64(1)<<place - 1
	at := x.at[:len(x.keys)]
	for i, k := range x.keys {
		at[i] = int32(k & mask)
	}
}

// digits is how many digits are sorted by counting. They leave rows within microseconds of each other.
const digits = 2

// finish sorts keys that are nearly in order by moving each to its place.
func (x *sorter) finish() {
	moves := 8 * len(x.keys)
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

// sort sorts keys by their bits from one to another.
func (x *sorter) sort(from, to int) {
	x.other = slices.Grow(x.other[:0], len(x.keys))[:len(x.keys)]
	width := min(digitBits, (to-from+digits-1)/digits)
	mask := uint64(1)<<width - 1
	var counts [1 << digitBits]int32
	for ; from < to; from += width {
		clear(counts[:])
		for _, k := range x.keys {
			counts[k>>from&mask]++
		}
		sum := int32(0)
		for i, n := range counts[:mask+1] {
			counts[i] = sum
			sum += n
		}
		for _, k := range x.keys {
			digit := k >> from & mask
			x.other[counts[digit]] = k
			counts[digit]++
		}
		x.keys, x.other = x.other, x.keys
	}
}
