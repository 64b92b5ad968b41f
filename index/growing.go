package index

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/wire"
)

// NewGrowing returns the index of a single chunk that is still being written, or
// that arrives piece by piece. Its header has been read by the caller, as the
// protocol of such chunks says (FORMAT.md, section 1.1), and is believed as it is;
// data are the chunk's bytes, the place of the header included, as far as they can
// be believed, and at is where they lie in their file. Bytes behind data are not
// looked at.
//
// Such a chunk grows by [Index.Grow]. It fails with [ErrUnsupported] if the chunk is
// of a version, or of a size, that this package does not read.
func NewGrowing(h wire.Header, data []byte, at uint64) (*Index, error) {
	c := &Chunk{header: h, form: h.Form()}
	if h.Major != 2 {
		return nil, c.fail("chunk header", at, fmt.Errorf("%w: format version %d.%d, only 2.x can be read", ErrUnsupported, h.Major, h.Minor))
	}
	if uint64(len(data)) > maxChunk {
		return nil, c.fail("chunk header", at, fmt.Errorf("%w: chunk of %d bytes", ErrUnsupported, len(data)))
	}
	x := &Index{chunks: []*Chunk{c}}
	c.index = x
	x.Grow(h, data, uint64(len(data)), at)
	return x, nil
}

// Grow takes note of what has been added to the chunk of [NewGrowing]: its header is
// now h and its bytes are data. What lies before the offset same, from the start of the
// chunk, is as it was; what lies behind may be anything, also less than before. at is
// where data lies in its file.
//
// Nothing that was read before is read again: the cost is in proportion to what is new.
// Classes keep their ordinals and constants their places. Nothing else may use the index
// meanwhile; see [Index.Fork].
func (x *Index) Grow(h wire.Header, data []byte, same, at uint64) {
	c := x.chunks[0]
	x.data = data
	c.header, c.base = h, at
	if same < uint64(len(c.data)) {
		// The walk over the frames begins anew where other ones lie now.
		c.blocks.Store(nil)
		c.completed = min(c.completed, same)
		maps.DeleteFunc(c.metadata, func(offset uint64, _ bool) bool { return offset >= same })
	}
	c.setEnd(uint64(len(data)))
	c.extended = true
	c.extend()
}

// Fork returns another index of the chunk of [NewGrowing], which can grow while this
// one is read and stays as it is. What is known of constants is copied, and nothing is
// read again.
func (x *Index) Fork() *Index {
	old := x.chunks[0]
	old.mu.Lock()
	defer old.mu.Unlock()
	y := &Index{data: x.data}
	c := &Chunk{
		index: y, base: old.base, header: old.header, form: old.form, data: old.data,
		typesErr: old.typesErr, metadata: maps.Clone(old.metadata), completed: old.completed, extended: true,
	}
	y.chunks = []*Chunk{c}
	c.types.Store(old.types.Load())
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
