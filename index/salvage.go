package index

import (
	"bytes"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Salvage is [New] for recordings that are not whole: it reads whatever can be read.
// It goes through all frames and all fields once, in time and memory in proportion to
// the bytes, and does what New does not:
//
//   - Chunks are looked for everywhere: before the first header, and where the frames
//     of a chunk break off. What looks like a header while the frames around it are
//     whole is part of an event. A header that is lost is found again if a checkpoint
//     has a copy of it, as those of JDK 14 and later do.
//   - A chunk without metadata that can be read gets that of another chunk of the same
//     virtual machine: of the nearest one whose clock is the same, and whose classes
//     fit what is in the chunk.
//   - A chunk whose header was never finished is read to the end of its last flush, and
//     behind that up to the first event that is not whole.
//   - Checkpoints are found by going through the frames, not by their chain alone.
//   - Where frames cannot be followed any further, the walk goes on at the next sure
//     place: a checkpoint or metadata event that the header leads to, another chunk, or
//     the end that the header claims. It goes on before that where four frames in a row
//     are sound, or fewer that lead to such a place: of events whose fields end where
//     they do, and that began while the chunk was written. How many bytes are looked at
//     in vain for that is bounded by a multiple of the chunk.
//   - Events whose constants are lost are there; their values are missing.
//   - A clock that cannot be right is taken from the copy of the header in a
//     checkpoint, or from the chunk before or behind.
//
// What was done is told by [Chunk.Salvaged]. It fails as New does, if there is no chunk
// at all. An index made so must not be extended.
func Salvage(data []byte) (*Index, error) {
	x := &Index{data: data}
	start := x.checkStart()
	found := x.findChunks()
	if len(x.chunks) == 0 {
		if start == nil {
			start = x.trail
		}
		return nil, start
	}
	if first := x.chunks[0]; first.offset > 0 && start != nil {
		first.lead = start
	}
	for _, s := range found {
		s.borrowClock(found)
	}
	for _, s := range found {
		s.borrowClasses(found)
		s.borrowTypes(found)
	}
	for _, s := range found {
		s.finish()
	}
	return x, nil
}

// SalvageReport tells what it took to read a chunk that is not whole, and what is lost.
type SalvageReport struct {
	// Chunk is the number of the chunk.
	Chunk int
	// Lost are the parts that could not be read, in their order.
	Lost []ByteRange
	// MetadataFrom is the number of the chunk whose metadata was borrowed; its own if
	// the chunk has metadata, -1 if it has none and there is none to be borrowed.
	MetadataFrom int
	// TypesFrom is the number of the chunk from which classes were borrowed that the
	// chunk's own metadata lacks; -1 if none were.
	TypesFrom int
	// ClockFrom is the number of the chunk whose clock was borrowed; its own if the
	// header's clock, or the copy of it in a checkpoint, is used, and -1 if it cannot be
	// right and there is none to be borrowed.
	ClockFrom int
	// RateLost tells that there is no clock, and that not even how many ticks it makes in
	// a second can be right.
	RateLost bool
	// ClockCopied tells that the clock is that of a copy of the header.
	ClockCopied bool
	// HeaderCopied tells that all of the header is: where it should be there is none.
	HeaderCopied bool
	// Checkpoints is how many checkpoints were found that the header does not lead to.
	Checkpoints int
	// Flushed is where the last flush ends that is complete, in bytes from the start of
	// the recording; 0 if the chunk was finished, or never flushed.
	Flushed uint64
	// BehindFlush is how many events come from behind the last flush. Their constants
	// may be missing: they were to be written with the next one.
	BehindFlush uint64

	errs []error
}

// ByteRange is a part of a recording that could not be read: where it begins and ends, in
// bytes from the start of the recording.
type ByteRange struct{ From, To uint64 }

// Errors returns what is wrong with the chunk, besides [Chunk.LeadingErr] and [Chunk.TrailingErr]:
// a [FormatError] for each part that is lost, and for what had to be borrowed. The
// slice is the index's own.
func (s *SalvageReport) Errors() []error {
	if s == nil {
		return nil
	}
	return s.errs
}

// Salvaged tells what it took to read the chunk; nil if it is whole, or if the index was
// not made by [Salvage].
func (c *Chunk) Salvaged() *SalvageReport { return c.salvaged }

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

	chunkOverview
	salvageWalk

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
	s.scan()
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
	_, chunkBegins := wire.ReadHeader(s.c.index.data[s.c.offset+s.claimed:])
	if s.raw.Finished() && (chunkBegins || s.claimed == s.limit) {
		s.believed, s.limit = true, s.claimed
	}
}

// unfinished tells whether the recorder never completed the header.
func (s *salvager) unfinished() bool { return !s.raw.Finished() || s.raw.Metadata == 0 }

// findChunks adds the chunks that there are, and goes through each of them: where the
// next one begins is known only when it is known where the frames of one end.
func (x *Index) findChunks() (found []*salvager) {
	end := uint64(len(x.data))
	var lead error
	for offset := uint64(0); offset < end; {
		c, err := x.newChunk(offset)
		if err != nil {
			next := x.nextChunk(offset + 1)
			if c = x.headless(offset, next); c == nil {
				if lead == nil {
					lead = err
				}
				offset = next
				continue
			}
			if c.offset > offset && lead == nil {
				lead = err
			}
		}
		c.lead, lead = lead, nil
		x.chunks = append(x.chunks, c)
		s := x.explore(c)
		found = append(found, s)
		offset = c.offset + s.next
	}
	x.trail = lead
	return found
}

// headless returns the chunk, between two places, whose header is lost, if a checkpoint
// has a copy of it; nil if none has. The last copy is the one that says most.
func (x *Index) headless(from, to uint64) (c *Chunk) {
	for at := from; at < to; at++ {
		i := bytes.Index(x.data[at:to], []byte(wire.Magic))
		if i < 0 {
			break
		}
		at += uint64(i)
		h, ok := wire.ReadHeader(x.data[at:to])
		if !ok || !h.Plausible() || h.Size < wire.HeaderLen || !x.inCheckpoint(at, h) {
			continue
		}
		end := at + wire.HeaderLen
		if h.Size > end-from || c != nil && end-h.Size != c.offset {
			continue
		}
		c = &Chunk{index: x, number: len(x.chunks), offset: end - h.Size, header: h, encoding: h.Form()}
	}
	return c
}
