package index

import "github.com/mmapjfr/jfr/internal/wire"

// salvager is what is found out about a chunk by going through it.
type salvager struct {
	c *Chunk
	// raw is the header as it stands in the file; that of c is put right.
	raw wire.Header
	// limit is how many bytes there are, from the chunk on, that may belong to it.
	limit uint64
	// claimed is the size that the header says, 0 if there are not as many bytes.
	claimed uint64
	// believed tells that the size is right: another chunk begins there, or nothing.
	believed bool

	overview
	walk

	// broken is what is wrong with the chain of checkpoints.
	broken error

	// types is the number of the chunk that the metadata is of, classes that of the one
	// that some of the classes are of, and clockOf that of the clock; -1 for none.
	types, classes, clockOf int
	// copied tells that the clock is that of a copy of the header, and headless that
	// all of the header is.
	copied, headless bool
}

// explore goes through the chunk at the end of the index.
func (x *Index) explore(c *Chunk) *salvager {
	s := &salvager{c: c, raw: c.header, types: -1, classes: -1, clockOf: -1}
	_, ok := wire.ReadHeader(c.index.data[c.offset:])
	s.headless = !ok
	s.limit = min(uint64(len(x.data))-c.offset, maxChunk)
	s.claim()
	s.look()
	s.ownClock()
	s.follow()
	return s
}

// claim finds out what the size in the header is worth.
func (s *salvager) claim() {
	if s.raw.Size < wire.HeaderLen || s.raw.Size > s.limit {
		return
	}
	s.claimed = s.raw.Size
	_, another := wire.ReadHeader(s.c.index.data[s.c.offset+s.claimed:])
	if s.raw.Finished() && (another || s.claimed == s.limit) {
		s.believed, s.limit = true, s.claimed
	}
}

// unfinished tells whether the recorder never completed the header.
func (s *salvager) unfinished() bool { return !s.raw.Finished() || s.raw.Metadata == 0 }
