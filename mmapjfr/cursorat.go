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
	c.sharesTypes, d.sharesTypes = true, true
	d.scratch, d.window = scratch{}, window{}
	d.event = Event{c: d.c, s: &d.scratch}
	d.n, d.i, d.err, d.chunkErr = 0, 0, nil, nil
	d.phase, d.number = phaseEvents, d.c.ix.Number()-d.sel.chunks[0].ix.Number()
	d.damageReported, d.damageChecked = slices.Clone(c.damageReported), d.number
	d.headers = d.filter.headers(d.rec.workers)
	d.headers.seek(uint64(ev.pos))
	return &d
}

// seek goes on at an event that begins at an offset.
func (hs *headerScanner) seek(offset uint64) {
	hs.noOrdinals, hs.ord = true, noOrdinal
	if hs.hasOffsets {
		for len(hs.offsets) > 0 && uint64(hs.offsets[0]) < offset {
			hs.offsets = hs.offsets[1:]
		}
		return
	}
	hs.offset = offset
	if hs.blocks != nil {
		hs.block = int(offset/index.BlockSize) + 1
		hs.limit = uint64(hs.block) * index.BlockSize
	}
}
