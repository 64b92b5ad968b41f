package index

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Salvage is [New] for recordings that are not whole: it reads all that can be read. It walks
// through all events and all fields once, in time and memory in proportion to the bytes. New does
// none of the following:
//
//   - Chunks are looked for everywhere: before the first header, and where the events of a chunk
//     break off. A header between events that are whole is part of an event. A chunk whose header
//     is lost gets the copy of it in a checkpoint, as chunks of JDK 14 and later have.
//   - A chunk without readable metadata gets that of another chunk of the same virtual machine: of
//     the nearest one with the same clock whose types fit the events of the chunk.
//   - A chunk whose header was never finished is read to the end of its last flush, and after that
//     up to the first event that is not whole.
//   - Checkpoints are found by a walk over all events, not by their chain alone.
//   - Where a header leads nowhere, the walk goes on at the next sure place: a checkpoint or
//     metadata event that the chunk header leads to, another chunk, or the end that the chunk
//     header claims. It goes on before that at four sound events in a row, or at fewer that lead to
//     a sure place. Sound events end where their fields do, and began while the chunk was written.
//     A multiple of the chunk's size bounds how many bytes are looked at in vain.
//   - Events whose constants are lost are there; their values are missing.
//   - A clock that cannot be right is replaced by that of the copy of the header in a checkpoint,
//     or by that of the chunk before or after.
//
// [Chunk.Salvaged] returns what was done. Salvage fails as New does, if it finds no chunk. The
// index cannot grow.
func Salvage(data []byte) (*Index, error) {
	x := &Index{data: data}
	start := x.checkStart()
	var found []*salvager
	// A chunk's events must be followed to know where the next chunk begins.
	x.scan(func(c *Chunk) uint64 {
		s := x.explore(c)
		found = append(found, s)
		return c.offset + s.next
	}, x.headless)
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
		s.borrowMissing(found)
		s.borrowTypes(found)
	}
	for _, s := range found {
		s.finish()
	}
	return x, nil
}

// SalvageReport says what it took to read a chunk that is not whole, and what is lost.
type SalvageReport struct {
	// Chunk is the number of the chunk.
	Chunk int
	// Lost are the parts that could not be read, in their order, in bytes from the start of the
	// recording.
	Lost []ByteRange
	// MetadataFrom is the number of the chunk whose metadata was borrowed; the chunk's own
	// number if it has metadata; -1 if no metadata was found.
	MetadataFrom int
	// TypesFrom is the number of the chunk from which types were borrowed that the chunk's own
	// metadata lacks; -1 if none were.
	TypesFrom int
	// ClockFrom is the number of the chunk whose clock was borrowed; the chunk's own number if
	// it has a clock, in its header or in a checkpoint; -1 if no clock was found.
	ClockFrom int
	// RateLost reports whether there is no clock, and the number of ticks per second cannot be
	// right either.
	RateLost bool
	// ClockCopied reports whether the clock is that of a copy of the header.
	ClockCopied bool
	// HeaderCopied reports whether the header is missing and a copy of it is used.
	HeaderCopied bool
	// Checkpoints is how many checkpoints were found that the header does not lead to.
	Checkpoints int
	// Flushed is where the last flush ends that is complete, in bytes from the start of
	// the recording; 0 if the chunk was finished, or never flushed.
	Flushed uint64
	// AfterFlush is how many events come from after the last flush. Their constants may be
	// missing: the next flush would have written them.
	AfterFlush uint64

	errs []error
}

// ByteRange is a range of bytes: it begins at From and ends before To.
type ByteRange struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Errors returns the errors of the chunk besides [Chunk.LeadingErr] and [Chunk.TrailingErr]: a
// [FormatError] for each part that is lost, and for each thing that was borrowed. The slice is the
// index's own.
func (s *SalvageReport) Errors() []error {
	if s == nil {
		return nil
	}
	return s.errs
}

// Salvaged returns what it took to read the chunk; nil if the chunk is whole, or if the index was
// not made by [Salvage].
func (c *Chunk) Salvaged() *SalvageReport { return c.salvaged }

// salvager reads one chunk. Its fields are what has been found out about the chunk.
type salvager struct {
	c *Chunk
	// raw is the header in the file; the header of c is repaired.
	raw wire.Header
	// limit is how many bytes there are, from the chunk on, that may belong to it.
	limit uint64
	// claimed is the size in the header; 0 if there are fewer bytes.
	claimed uint64
	// believed reports whether the size is right: another chunk begins there, or the recording
	// ends.
	believed bool

	chunkOverview
	salvageWalk

	// broken is the error of the chain of checkpoints.
	broken error

	// types is the number of the chunk that the metadata is of, classes that of the chunk that some
	// of the types are of, and clockOf that of the chunk that the clock is of; -1 for none.
	types, classes, clockOf int
	// copied reports whether the clock is that of a copy of the header, and headless whether
	// all of the header is.
	copied, headless bool
}

// explore reads the last chunk of the index.
func (x *Index) explore(c *Chunk) *salvager {
	s := &salvager{c: c, raw: c.header, types: -1, classes: -1, clockOf: -1}
	_, ok := wire.ReadHeader(x.data[c.offset:])
	s.headless = !ok
	s.limit = min(uint64(len(x.data))-c.offset, maxChunk)
	// The size in the header can be right if there are as many bytes.
	if s.raw.Size >= wire.HeaderLen && s.raw.Size <= s.limit {
		s.claimed = s.raw.Size
		_, chunkBegins := wire.ReadHeader(x.data[c.offset+s.claimed:])
		if s.raw.Finished() && (chunkBegins || s.claimed == s.limit) {
			s.believed, s.limit = true, s.claimed
		}
	}
	s.scan()
	s.ownClock()
	s.follow()
	return s
}

// unfinished reports whether the recorder never completed the header.
func (s *salvager) unfinished() bool { return !s.raw.Finished() || s.raw.Metadata == 0 }

// headless returns the chunk between two offsets whose header is lost, if a checkpoint has a copy
// of the header; nil if none has. The last copy is the newest.
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
		c = &Chunk{index: x, number: len(x.chunks), offset: end - h.Size, header: h, encoding: h.IntEncoding()}
	}
	return c
}

// finish writes what has been found out into the chunk.
func (s *salvager) finish() {
	c := s.c
	report := &SalvageReport{Chunk: c.number, MetadataFrom: s.types, TypesFrom: s.classes,
		ClockFrom: s.clockOf, ClockCopied: s.copied, HeaderCopied: s.headless,
		RateLost: s.clockOf < 0 && !s.c.header.SaneRate()}
	s.finishEnd(report)
	s.finishCheckpoints(report)
	s.listErrors(report)
	if c.trail != nil || len(report.errs) > 0 {
		c.salvaged = report
		c.header.Size = uint64(len(c.data))
	}
	c.completed = 0 // the walk did not know the gaps
}

// finishEnd decides where the readable part of the chunk ends.
func (s *salvager) finishEnd(report *SalvageReport) {
	c := s.c
	end := s.next
	if s.unfinished() && s.flushed > 0 {
		// After the last flush only events that follow it without a gap are believed.
		for i, h := range s.gaps {
			if h.from >= s.flushed {
				end, s.gaps, s.afterFlush = h.from, s.gaps[:i], s.unbroken
				break
			}
		}
	}
	if n := len(s.gaps); n > 0 && s.gaps[n-1].to == end && (s.unfinished() || s.claimed != end) {
		end, s.gaps = s.gaps[n-1].from, s.gaps[:n-1]
	}
	c.setEnd(end)
	c.gaps = s.gaps
	s.lost = slices.DeleteFunc(s.lost, func(h gap) bool { return h.from >= end })
	for _, h := range s.lost {
		report.Lost = append(report.Lost, ByteRange{c.Offset() + h.from, c.Offset() + min(h.to, end)})
	}
	if end < s.next {
		report.Lost = append(report.Lost, ByteRange{c.Offset() + end, c.Offset() + s.next})
	}
	if s.unfinished() {
		report.AfterFlush = s.afterFlush
		if s.flushed > 0 {
			report.Flushed = c.Offset() + s.flushed
		}
	}
	c.trail = s.trail(end)
}

// trail returns the error of the end of the chunk, or nil.
func (s *salvager) trail(end uint64) error {
	c, lost := s.c, s.next-end
	last := c.offset+s.next == uint64(len(c.index.data))
	switch {
	case s.unfinished():
		return c.fail("chunk header", 0, errtree.Detailf(ErrUnfinished, "%d events from after its last flush have been read, and %d bytes after them have not", s.afterFlush, lost))
	case s.raw.Size == s.next:
		return nil
	case s.raw.Size > s.limit && last:
		return c.fail("chunk header", 0, truncated(s.raw.Size, s.next))
	}
	return c.fail("chunk header", 0, corrupt("chunk size %d, but it ends after %d bytes", s.raw.Size, s.next))
}

// finishCheckpoints joins the checkpoints that the walk has found with those of the chain.
func (s *salvager) finishCheckpoints(report *SalvageReport) {
	c := s.c
	byPlace := func(a, b checkpointHead) int { return cmp.Compare(a.Offset, b.Offset) }
	if s.raw.Checkpoint != 0 {
		s.chain, s.broken = c.chain(s.raw.Checkpoint, 0)
	}
	all := append(slices.Clone(s.heads), s.chain...)
	all = slices.DeleteFunc(all, func(h checkpointHead) bool { return h.Offset+uint64(h.Size) > uint64(len(c.data)) })
	slices.SortStableFunc(all, byPlace)
	all = slices.CompactFunc(all, func(a, b checkpointHead) bool { return a.Offset == b.Offset })
	report.Checkpoints = len(all) - len(s.chain)
	if report.Checkpoints <= 0 && s.broken == nil {
		return // the chain has all
	}
	slices.Reverse(all)
	c.checkpoints = all
	if s.broken != nil || c.header.Checkpoint == 0 {
		c.header.Checkpoint = 0
		if len(all) > 0 {
			c.header.Checkpoint = all[0].Offset
		}
	}
}

// listErrors makes the errors that say what is lost and what was borrowed.
func (s *salvager) listErrors(report *SalvageReport) {
	c := s.c
	if s.headless {
		report.errs = append(report.errs, c.fail("chunk header", 0, corrupt("it is missing; a copy in a checkpoint is used")))
	}
	if s.classes >= 0 {
		report.errs = append(report.errs, c.fail(metadataSection, s.raw.Metadata,
			corrupt("it does not describe all events; types of chunk %d are used", s.classes)))
	}
	if s.types != c.number {
		report.errs = append(report.errs, c.fail(metadataSection, s.raw.Metadata, s.lentError("metadata", s.types)))
	} else if s.raw.Metadata != c.header.Metadata && s.raw.Metadata != 0 {
		report.errs = append(report.errs, c.fail(metadataSection, s.raw.Metadata,
			corrupt("it cannot be read; the one at offset %#x is used", c.Offset()+c.header.Metadata)))
	}
	switch {
	case s.copied:
		report.errs = append(report.errs, c.fail("chunk header", clockAt, corrupt("its clock cannot be right; that of a copy in a checkpoint is used")))
	case s.clockOf != c.number:
		report.errs = append(report.errs, c.fail("chunk header", clockAt, s.lentError("clock", s.clockOf)))
	}
	if s.broken != nil && (c.trail == nil || s.raw.Checkpoint < uint64(len(c.data))) {
		// Otherwise it is the end of the chunk that is missing.
		report.errs = append(report.errs, s.broken)
	} else if c.trail == nil && report.Checkpoints > 0 {
		report.errs = append(report.errs, c.fail("chunk header", checkpointAt,
			corrupt("the chain of checkpoints leads to %d of %d", len(s.chain), len(s.chain)+report.Checkpoints)))
	}
	for _, h := range s.lost {
		report.errs = append(report.errs, c.fail("event", h.from, corrupt("%d bytes cannot be read", h.to-h.from)))
	}
}

// Offsets in a chunk header.
const (
	checkpointAt = 16
	clockAt      = 32
)

// lentError says from which chunk a lost thing was borrowed.
func (s *salvager) lentError(what string, from int) error {
	if from < 0 {
		return corrupt("the chunk has no %s that can be read, and no chunk could lend one", what)
	}
	return corrupt("the chunk has no %s that can be read; that of chunk %d is used", what, from)
}
