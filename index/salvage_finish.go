package index

import (
	"cmp"
	"fmt"
	"slices"
)

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
		return c.fail("chunk header", 0, fmt.Errorf("%w: %d events from after its last flush have been read, and %d bytes after them have not",
			ErrUnfinished, s.afterFlush, lost))
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
