package columns

import (
	"math/bits"
	"slices"
	"sync"
)

// sorter sorts rows by time, with memory that it uses again.
type sorter struct {
	start       []int64
	keys, other []uint64
	at          []int32
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

const (
	digitBits = 12
	// fewRows are sorted by comparing.
	fewRows = 512
)

// order returns the positions of rows by start time, those of the same time in their order. They are valid until the
// next call.
func (x *sorter) order(w *waiting) []int32 {
	x.start = x.start[:0]
	for _, b := range w.blocks {
		x.start = append(x.start, b.start...)
	}
	return x.orderOf(x.start)
}

// orderOf is order for start times.
func (x *sorter) orderOf(start []int64) []int32 {
	x.at = slices.Grow(x.at[:0], len(start))[:len(start)]
	if len(start) == 0 {
		return x.at
	}
	least, most, sorted := start[0], start[0], true
	last := start[0]
	for i, s := range start {
		x.at[i] = int32(i)
		sorted = sorted && s >= last
		least, most, last = min(least, s), max(most, s), s
	}
	place := bits.Len(uint(len(start) - 1)) // bits of a position
	width := bits.Len64(uint64(most) - uint64(least))
	switch {
	case sorted:
	case place+width > 64: // some starts are not known, or lie hours apart
		slices.SortStableFunc(x.at, func(a, b int32) int {
			switch {
			case start[a] < start[b]:
				return -1
			case start[a] > start[b]:
				return 1
			}
			return 0
		})
	default:
		x.keys = slices.Grow(x.keys[:0], len(start))[:len(start)]
		for i, s := range start {
			x.keys[i] = uint64(s-least)<<place | uint64(i)
		}
		if len(start) <= fewRows {
			slices.Sort(x.keys)
		} else {
			x.sort(max(place, place+width-digits*digitBits), place+width)
			x.finish()
		}
		mask := uint64(1)<<place - 1
		for i, k := range x.keys {
			x.at[i] = int32(k & mask)
		}
	}
	return x.at
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
