package index

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
		s.settle()
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
