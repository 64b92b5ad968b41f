package mmapjfr

import (
	"slices"

	"github.com/mmapjfr/jfr/index"
)

// CloneAt returns another cursor over the same selection that stands before an event: its
// first [Cursor.Next] comes to it, and those that follow to the events behind it in
// its chunk and the chunks that come then. The event must be one of the selection's, in
// the chunk where this cursor stands now, or at whose end it is. Both cursors belong to
// the same goroutine.
//
// It costs some kilobytes, and nothing that was found out about the chunk is found
// out again. [Event.Ordinal] of its events is counted anew where it is asked for.
func (c *Cursor) CloneAt(ev Event) *Cursor {
	d := *c
	// Both have what is wanted of the types, until one of them wants something else.
	c.shared, d.shared = true, true
	d.scratch, d.window = scratch{}, window{}
	d.event = Event{c: d.c, s: &d.scratch}
	d.n, d.i, d.err, d.broken = 0, 0, nil, nil
	d.phase, d.number = phaseEvents, d.c.ix.Number()-d.sel.chunks[0].ix.Number()
	d.told, d.late = slices.Clone(c.told), d.number
	d.places = d.wish.places(d.rec.workers)
	d.places.from(uint64(ev.pos))
	return &d
}

// from goes on at an event that begins at an offset.
func (p *places) from(offset uint64) {
	p.uncounted, p.ord = true, noOrdinal
	if p.known {
		for len(p.exact) > 0 && uint64(p.exact[0]) < offset {
			p.exact = p.exact[1:]
		}
		return
	}
	p.offset = offset
	if p.blocks != nil {
		p.block = int(offset/index.BlockSize) + 1
		p.limit = uint64(p.block) * index.BlockSize
	}
}
