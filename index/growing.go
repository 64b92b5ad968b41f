package index

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/wire"
)

// NewGrowing returns the index of a single chunk that is still being written, or
// that arrives piece by piece. Its header has been read by the caller, as the
// protocol of such chunks says (FORMAT.md, section 7), and is believed as it is, but
// for the size, which is that of data: the chunk's bytes, the place of the header
// included, as far as they can be believed. at is where they lie in their file, and
// what [Chunk.Offset] returns; it may wrap around, as long as the sums with the offsets
// of events are right. Bytes behind data are not looked at.
//
// Such a chunk grows by [Index.Grow]. It fails with [ErrUnsupported] if the chunk is
// of a version, or of a size, that this package does not read.
func NewGrowing(h wire.Header, data []byte, at uint64) (*Index, error) {
	c := &Chunk{header: h, encoding: h.Form(), base: at}
	x := &Index{chunks: []*Chunk{c}}
	c.index = x
	if err := CheckVersion(h); err != nil {
		return nil, c.fail("chunk header", 0, err)
	}
	if err := x.Grow(h, data, 0, at); err != nil {
		return nil, err
	}
	return x, nil
}

// Grow takes note of what has been added to the chunk of [NewGrowing]: its header is
// now h and its bytes are data. What lies before the offset same, from the start of the
// chunk, is as it was; what lies behind may be anything, also less than before. A frame
// must begin at same, or nothing lie behind it. at is where data lies in its file.
//
// Nothing that was read before same is read again: the cost is in proportion to what is
// new. Only after checkpoints that could not be read, or that are no longer where they
// were, are all of them gone through again. Classes keep their ordinals, also those that
// only lay behind same, and constants before it their places. Nothing else may use the
// index meanwhile; see [Index.Clone].
//
// It fails with [ErrUnsupported], and changes nothing, if the chunk has become larger than
// this package reads.
func (x *Index) Grow(h wire.Header, data []byte, same, at uint64) error {
	c := x.chunks[0]
	if uint64(len(data)) > maxChunk {
		return c.fail("chunk header", 0, fmt.Errorf("%w: chunk of %d bytes", ErrUnsupported, len(data)))
	}
	x.data = data
	c.header, c.base = h, at
	if same < uint64(len(c.data)) {
		c.forget(same)
	}
	c.setEnd(uint64(len(data)))
	c.grown = true
	c.extend()
	return nil
}

// forget drops what is known of the bytes behind an offset.
func (c *Chunk) forget(from uint64) {
	c.blocks.Store(nil)
	// The walk over the frames begins anew where other ones lie now.
	c.completed = min(c.completed, from)
	maps.DeleteFunc(c.metadata, func(offset uint64, _ bool) bool { return offset >= from })
	k := c.constants.Load()
	if k != nil && slices.ContainsFunc(k.checkpoints, func(cp Checkpoint) bool { return cp.Offset+uint64(cp.Size) > from }) {
		k = &Constants{}
		k.adopt(c.types.Load())
		c.constants.Store(k)
	}
}

// Clone returns another index of the chunk of [NewGrowing], which can grow while this
// one is read, by any goroutine, and stays as it is. What is known of constants is copied,
// and nothing is read again, unless classes refer to others that nothing has described.
func (x *Index) Clone() *Index {
	old := x.chunks[0]
	old.mu.Lock()
	defer old.mu.Unlock()
	y := &Index{data: x.data}
	c := &Chunk{
		index: y, base: old.base, header: old.header, encoding: old.encoding, data: old.data,
		typesErr: old.typesErr, grown: true,
	}
	y.chunks = []*Chunk{c}
	types := old.types.Load()
	if types != nil && !types.Linked() {
		return y // such classes are completed in place, but readers of the old index have them
	}
	c.types.Store(types)
	c.metadata, c.completed = maps.Clone(old.metadata), old.completed
	if k := old.constants.Load(); k != nil {
		c.constants.Store(k.clone())
	}
	return y
}

// clone returns constants that can become more while these are read.
func (k *Constants) clone() *Constants {
	d := *k
	d.checkpoints, d.pools, d.tableOf = slices.Clip(k.checkpoints), slices.Clip(k.pools), slices.Clone(k.tableOf)
	d.tables = slices.Clone(k.tables)
	for i := range d.tables {
		d.tables[i].own()
	}
	return &d
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
		c.build(b, 1)
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
	k.adopt(types)
	c.sweep(k)
}
