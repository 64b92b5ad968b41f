package index

import (
	"math"
	"sort"
)

// hole is a part of a chunk in which frames cannot be found, see [Salvage]. Those
// before it end just where it begins, and a frame begins just where it ends. Chunks
// that were not salvaged have none.
type hole struct{ from, to uint64 }

// past returns the offset, or where the hole ends that it lies in.
//
//gccheck:inline
func (c *Chunk) past(offset uint64) uint64 {
	if len(c.holes) == 0 {
		return offset
	}
	return c.pastHole(offset)
}

func (c *Chunk) pastHole(offset uint64) uint64 {
	if i := c.holeBehind(offset); i < len(c.holes) && c.holes[i].from <= offset {
		return c.holes[i].to
	}
	return offset
}

// solid returns where the first hole behind an offset begins, which lies in none:
// so far frames follow one another.
//
//gccheck:inline
func (c *Chunk) solid(offset uint64) uint64 {
	if len(c.holes) == 0 {
		return math.MaxUint64
	}
	return c.solidTo(offset)
}

func (c *Chunk) solidTo(offset uint64) uint64 {
	if i := c.holeBehind(offset); i < len(c.holes) {
		return c.holes[i].from
	}
	return math.MaxUint64
}

// holeBehind returns the first hole that ends behind an offset.
func (c *Chunk) holeBehind(offset uint64) int {
	return sort.Search(len(c.holes), func(i int) bool { return c.holes[i].to > offset })
}
