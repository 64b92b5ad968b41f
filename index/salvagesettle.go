package index

import (
	"cmp"
	"fmt"
	"slices"
)

// settle makes the chunk what has been found out about it.
func (s *salvager) settle() {
	c := s.c
	told := &SalvageReport{Chunk: c.number, MetadataFrom: s.types, TypesFrom: s.classes,
		ClockFrom: s.clockOf, ClockCopied: s.copied, HeaderCopied: s.headless,
		RateLost: s.clockOf < 0 && !saneRate(s.c.header)}
	s.settleEnd(told)
	s.settleCheckpoints(told)
	s.tell(told)
	if c.trail != nil || len(told.errs) > 0 {
		c.salvaged = told
		c.header.Size = uint64(len(c.data))
	}
	c.completed = 0 // what was gone through was not all, and not with the holes
}

// settleEnd finds out where what can be read of the chunk ends.
func (s *salvager) settleEnd(told *SalvageReport) {
	c := s.c
	end := s.next
	if s.unfinished() && s.flushed > 0 {
		// Behind the last flush nothing is believed that does not follow on it.
		for i, h := range s.holes {
			if h.from >= s.flushed {
				end, s.holes, s.behind = h.from, s.holes[:i], s.unbroken
				break
			}
		}
	}
	if n := len(s.holes); n > 0 && s.holes[n-1].to == end && (s.unfinished() || s.claimed != end) {
		end, s.holes = s.holes[n-1].from, s.holes[:n-1]
	}
	c.setEnd(end)
	c.holes = s.holes
	s.lost = slices.DeleteFunc(s.lost, func(h hole) bool { return h.from >= end })
	for _, h := range s.lost {
		told.Lost = append(told.Lost, ByteRange{c.Offset() + h.from, c.Offset() + min(h.to, end)})
	}
	if end < s.next {
		told.Lost = append(told.Lost, ByteRange{c.Offset() + end, c.Offset() + s.next})
	}
	if s.unfinished() {
		told.BehindFlush = s.behind
		if s.flushed > 0 {
			told.Flushed = c.Offset() + s.flushed
		}
	}
	c.trail = s.trail(end)
}

// trail tells what is wrong with the end of the chunk.
func (s *salvager) trail(end uint64) error {
	c, lost := s.c, s.next-end
	last := c.offset+s.next == uint64(len(c.index.data))
	switch {
	case s.unfinished():
		return c.fail("chunk header", 0, fmt.Errorf("%w: %d events from behind its last flush have been read, and %d bytes behind them have not",
			ErrUnfinished, s.behind, lost))
	case s.raw.Size == s.next:
		return nil
	case s.raw.Size > s.limit && last:
		return c.fail("chunk header", 0, truncated(s.raw.Size, s.next))
	}
	return c.fail("chunk header", 0, corrupt("chunk size %d, but it ends after %d bytes", s.raw.Size, s.next))
}

// settleCheckpoints finds out which checkpoints the chunk has: those that its frames lead
// to, and those that the chain does.
func (s *salvager) settleCheckpoints(told *SalvageReport) {
	c := s.c
	byPlace := func(a, b checkpointHead) int { return cmp.Compare(a.Offset, b.Offset) }
	if s.raw.Checkpoint != 0 {
		s.chain, s.broken = c.chain(s.raw.Checkpoint, 0)
	}
	all := append(slices.Clone(s.heads), s.chain...)
	all = slices.DeleteFunc(all, func(h checkpointHead) bool { return h.Offset+uint64(h.Size) > uint64(len(c.data)) })
	slices.SortStableFunc(all, byPlace)
	all = slices.CompactFunc(all, func(a, b checkpointHead) bool { return a.Offset == b.Offset })
	told.Checkpoints = len(all) - len(s.chain)
	if told.Checkpoints <= 0 && s.broken == nil {
		return // the chain is all there is
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

// tell makes the errors that say what is lost and what had to be borrowed.
func (s *salvager) tell(told *SalvageReport) {
	c := s.c
	if s.headless {
		told.errs = append(told.errs, c.fail("chunk header", 0, corrupt("there is none; a copy in a checkpoint is used")))
	}
	if s.classes >= 0 {
		told.errs = append(told.errs, c.fail(metadataSection, s.raw.Metadata,
			corrupt("it does not describe all events; classes of chunk %d are used", s.classes)))
	}
	if s.types != c.number {
		told.errs = append(told.errs, c.fail(metadataSection, s.raw.Metadata, s.lent("metadata", s.types)))
	} else if s.raw.Metadata != c.header.Metadata && s.raw.Metadata != 0 {
		told.errs = append(told.errs, c.fail(metadataSection, s.raw.Metadata,
			corrupt("it cannot be read; the one at offset %#x is used", c.Offset()+c.header.Metadata)))
	}
	switch {
	case s.copied:
		told.errs = append(told.errs, c.fail("chunk header", clockAt, corrupt("its clock cannot be right; that of a copy in a checkpoint is used")))
	case s.clockOf != c.number:
		told.errs = append(told.errs, c.fail("chunk header", clockAt, s.lent("clock", s.clockOf)))
	}
	if s.broken != nil && (c.trail == nil || s.raw.Checkpoint < uint64(len(c.data))) {
		// Otherwise it is the end of the chunk that is missing.
		told.errs = append(told.errs, s.broken)
	} else if c.trail == nil && told.Checkpoints > 0 {
		told.errs = append(told.errs, c.fail("chunk header", checkpointAt,
			corrupt("the chain of checkpoints leads to %d of %d", len(s.chain), len(s.chain)+told.Checkpoints)))
	}
	for _, h := range s.lost {
		told.errs = append(told.errs, c.fail("event", h.from, corrupt("%d bytes cannot be read", h.to-h.from)))
	}
}

// Where in a header things are.
const (
	checkpointAt = 16
	clockAt      = 32
)

// lent tells whose thing is used in the place of one that was lost.
func (s *salvager) lent(what string, from int) error {
	if from < 0 {
		return corrupt("the chunk has no %s that can be read, and there is none that it could borrow", what)
	}
	return corrupt("the chunk has no %s that can be read; that of chunk %d is used", what, from)
}
