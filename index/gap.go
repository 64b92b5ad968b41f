package index

import (
	"math"
	"sort"
)

// gap is a range of a chunk in which no event can be found, see [Salvage]. The event before a
// gap ends where the gap begins, and an event begins where it ends. Only chunks that were
// salvaged have gaps.
type gap struct{ from, to uint64 }

// afterGap returns the end of the gap that an offset lies in, or the offset if it lies in none.
//
//gccheck:inline
func (c *Chunk) afterGap(offset uint64) uint64 {
	if len(c.gaps) == 0 {
		return offset
	}
	return c.skipGap(offset)
}

func (c *Chunk) skipGap(offset uint64) uint64 {
	if i := c.gapAfter(offset); i < len(c.gaps) && c.gaps[i].from <= offset {
		return c.gaps[i].to
	}
	return offset
}

// nextGap returns where the first gap after an offset begins that lies in no gap. Up to there
// events follow one another.
//
//gccheck:inline
func (c *Chunk) nextGap(offset uint64) uint64 {
	if len(c.gaps) == 0 {
		return math.MaxUint64
	}
	return c.findGap(offset)
}

func (c *Chunk) findGap(offset uint64) uint64 {
	if i := c.gapAfter(offset); i < len(c.gaps) {
		return c.gaps[i].from
	}
	return math.MaxUint64
}

// gapAfter returns the number of the first gap that ends after an offset.
func (c *Chunk) gapAfter(offset uint64) int {
	return sort.Search(len(c.gaps), func(i int) bool { return c.gaps[i].to > offset })
}
