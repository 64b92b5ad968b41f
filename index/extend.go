package index

import (
	"fmt"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Extend takes note of what has been added to a recording that is still being
// written: data is all of its bytes, the old ones with the new. The last chunk
// gains what its header now vouches for, events, metadata and checkpoints, and
// the chunks behind it are added. Nothing that was read before is read again:
// the cost is in proportion to what is new.
//
// Classes keep their ordinals and constants their places, so views of earlier
// events stay right. Nothing else may use the index while it is extended.
//
// It fails, and changes nothing, if data cannot be the same recording grown.
func (x *Index) Extend(data []byte) error {
	last := x.chunks[len(x.chunks)-1]
	h, ok := wire.ReadHeader(data[min(last.offset, uint64(len(data))):])
	if uint64(len(data)) < last.offset+uint64(len(last.data)) {
		return last.fail("chunk header", 0, fmt.Errorf("%w: the file is shorter than it was", ErrTruncated))
	}
	if !ok {
		return last.fail("chunk header", 0, corrupt("the header of the last chunk has gone"))
	}
	if h.StartNanos != last.header.StartNanos || h.StartTicks != last.header.StartTicks {
		return last.fail("chunk header", 0, corrupt("another chunk has taken the place of this one"))
	}
	x.data = data
	for _, c := range x.chunks {
		c.setEnd(uint64(len(c.data)))
	}
	if h.State == wire.StateUpdating {
		return nil // the old header still holds; the new one comes in a moment
	}
	header, size := last.header, len(last.data)
	last.header = h
	next := x.endChunk(last)
	if h != header || len(last.data) != size {
		last.saved, last.extended = nil, true
	}
	last.extend()
	x.scan(next, nil)
	return nil
}

// extend brings up to date what has been asked for before: types first, which
// tell what the rest is.
func (c *Chunk) extend() {
	c.typesErr, c.older = nil, 0
	c.readTypes, c.readOthers, c.readConstants, c.readBlocks = pass{}, pass{}, pass{}, pass{}
	types := c.types.Load()
	if types != nil {
		// A newest metadata event that cannot be read leaves the types as they were;
		// the events that need it say that their type is unknown.
		types = c.withMetadata(types, c.metadataOffset())
		if !types.Linked() {
			types = c.withOthers(types)
		}
		c.types.Store(types)
	}
	if b := c.blocks.Load(); b != nil {
		b.own()
		c.cut(b, 1)
	}
	k := c.constants.Load()
	if k == nil {
		return
	}
	if k.err != nil {
		// What could not be read may be complete by now.
		k = &Constants{}
		c.constants.Store(k)
	}
	k.own()
	k.adopt(types)
	c.sweep(k)
}
