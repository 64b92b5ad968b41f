package page

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// CellLength is the length of time that a cell of a heat map stands for.
const CellLength = 20 * time.Millisecond

const (
	mostCells  = 1 << 23 // two days: a page has an array of them
	longLength = time.Second
)

// cells are lengths of time in which samples lie.
type cells struct {
	length int64 // in nanoseconds
	first  int64 // the time of cell 0, in cells since 1970
	last   uint32
}

// newCells returns the cells of a heat map. Those of a profile of days are longer. Samples outside
// of the time of the recordings are in the first cell or the last.
func newCells(p *profile.Profile) *cells {
	from, to := int64(0), int64(0)
	if start, end := p.Span(); !start.IsZero() && !end.Before(start) {
		from, to = start.UnixNano(), end.UnixNano()
	} else {
		first := true
		for s := range p.Samples() {
			if first {
				from, to, first = s.Time, s.Time, false
			}
			from, to = min(from, s.Time), max(to, s.Time)
		}
	}
	c := &cells{length: int64(CellLength)}
	if c.number(to)-c.number(from) >= mostCells {
		c.length = int64(longLength)
	}
	c.first = c.number(from)
	c.last = uint32(min(c.number(to)-c.first, mostCells-1))
	return c
}

// number returns how many cells after the beginning of 1970 a time is.
func (c *cells) number(at int64) int64 { return (at - (at%c.length+c.length)%c.length) / c.length }

// of returns the cell of a time.
func (c *cells) of(at int64) uint32 {
	if c == nil {
		return 0
	}
	return uint32(min(max(c.number(at)-c.first, 0), int64(c.last)))
}
