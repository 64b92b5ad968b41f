package index

import (
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/errtree"
)

// NewGrowing returns the index of a single chunk that is still being written, or that arrives piece
// by piece. The caller has read its header by the protocol of such chunks (FORMAT.md, section 7).
// data is the bytes of the chunk up to its last flush, the place of the header included; its length
// counts, not the size in the header. at is where data lies in its file, and what [Chunk.Offset]
// returns. It may wrap around, if its sums with the offsets of events are right.
//
// The chunk grows by [Index.Grow]. NewGrowing fails with [ErrUnsupported] if the chunk has a
// version or a size that this package does not read.
func NewGrowing(h Header, data []byte, at uint64) (*Index, error) {
	c := &Chunk{header: h, encoding: h.IntEncoding(), base: at}
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

// Grow gives the chunk of [NewGrowing] a new header and new bytes. The bytes before the offset
// same, from the start of the chunk, have not changed. After it there may be any bytes, also fewer
// than before; if there are any, an event begins at same. at is where data lies in its file.
//
// The cost is in proportion to the bytes after same, because nothing before it is read again.
// The one exception are checkpoints: all are read again if one of them had an error, or is no
// longer where it was. All types keep their ordinals, and constants before same their places.
// Nothing else may use the index while Grow runs; see [Index.Clone].
//
// Grow fails with [ErrUnsupported], and changes nothing, if the chunk has become larger than
// this package reads.
func (x *Index) Grow(h Header, data []byte, same, at uint64) error {
	c := x.chunks[0]
	if uint64(len(data)) > maxChunk {
		return c.fail("chunk header", 0, errtree.Detailf(ErrUnsupported, "chunk of %d bytes", len(data)))
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

// forget drops what has been read after an offset.
func (c *Chunk) forget(from uint64) {
	c.blocks.Store(nil)
	// The walk over the events goes on from here, where other events lie now.
	c.completed = min(c.completed, from)
	maps.DeleteFunc(c.metadata, func(offset uint64, _ bool) bool { return offset >= from })
	k := c.constants.Load()
	if k != nil && slices.ContainsFunc(k.checkpoints, func(cp Checkpoint) bool { return cp.Offset+uint64(cp.Size) > from }) {
		k = &Constants{}
		k.adopt(c.types.Load())
		c.constants.Store(k)
	}
}

// Clone returns another index of the chunk of [NewGrowing]. The clone can grow while any
// goroutine reads this index, which stays as it is. Clone copies the tables of constants. The
// clone reads nothing again, unless types refer to others that nothing describes.
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
		return y // such types are completed in place, but readers of the old index use them
	}
	c.types.Store(types)
	c.metadata, c.completed = maps.Clone(old.metadata), old.completed
	if k := old.constants.Load(); k != nil {
		c.constants.Store(k.clone())
	}
	return y
}

// clone returns a copy that can grow while the original is read.
func (k *Constants) clone() *Constants {
	d := *k
	d.index = nil // the original stays in memory no longer than its readers
	d.checkpoints, d.pools, d.tableOf = slices.Clip(k.checkpoints), slices.Clip(k.pools), slices.Clone(k.tableOf)
	d.tables = slices.Clone(k.tables)
	for i := range d.tables {
		t := &d.tables[i]
		t.keys, t.low, t.high = slices.Clone(t.keys), slices.Clone(t.low), slices.Clone(t.high)
	}
	return &d
}

// extend brings up to date what has been read before: the types first, because it takes them
// to read the rest.
func (c *Chunk) extend() {
	c.typesErr, c.older = nil, 0
	c.readTypes, c.readOthers, c.readConstants, c.readBlocks = pass{}, pass{}, pass{}, pass{}
	types := c.types.Load()
	if types != nil {
		// If the newest metadata event cannot be read, the types stay as they were. Events
		// that need it have unknown types then.
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
		// The checkpoint that had an error may be complete by now.
		k = &Constants{}
		c.constants.Store(k)
	}
	k.adopt(types)
	c.sweep(k)
}
