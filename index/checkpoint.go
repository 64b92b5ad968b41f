package index

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The bits of a checkpoint's mask (FORMAT.md, section 6.1).
const (
	// CheckpointFlush ends a flush: all events before it can be read.
	CheckpointFlush uint8 = 1 << 0
	// CheckpointHeader carries the chunk header in its first pool.
	CheckpointHeader uint8 = 1 << 1
	// CheckpointStatics carries constants that are the same in all chunks.
	CheckpointStatics uint8 = 1 << 2
	// CheckpointThread carries threads.
	CheckpointThread uint8 = 1 << 3
)

// Checkpoint is an event that carries pools of constants (FORMAT.md, section 6).
type Checkpoint struct {
	// Offset is where the event begins, from the start of the chunk.
	Offset uint64
	// Size is the number of bytes of the event.
	Size uint32
	// FirstPool and Pools say which pools it carries.
	FirstPool, Pools uint32
	// Mask says what the checkpoint is for, see CheckpointFlush.
	Mask uint8
}

// End returns the position after the event, from the start of the chunk.
func (c Checkpoint) End() uint64 { return c.Offset + uint64(c.Size) }

// Pool is a run of constants of one type in a checkpoint.
type Pool struct {
	// Type is the number of the constants' type.
	Type schema.TypeID
	// Offset is where the first key lies, from the start of the chunk.
	Offset uint64
	// Count is how many constants there are.
	Count uint64
	// Size is how many bytes they take.
	Size uint64
}

// checkpointHead is the beginning of a checkpoint event.
type checkpointHead struct {
	Checkpoint
	delta int64
	cur   wire.Cursor
	left  int
}

func (c *Chunk) readCheckpointHead(offset uint64) (checkpointHead, error) {
	rec, err := c.readEventHeader(offset)
	if err != nil {
		return checkpointHead{}, err
	}
	if rec.Type != schema.CheckpointID {
		return checkpointHead{}, c.fail("checkpoint", offset, corrupt("event has type %d", rec.Type))
	}
	h := checkpointHead{cur: wire.NewCursor(c.data[:rec.End()], int(rec.Body()), c.encoding)}
	h.Offset, h.Size = offset, rec.Size
	head := wire.ReadCheckpointHead(&h.cur)
	h.delta, h.Mask, h.left = head.Delta, head.Mask, head.Pools
	if !h.cur.OK() {
		return h, c.fail("checkpoint", offset, corrupt("event ends inside its head"))
	}
	return h, nil
}

// chain returns the checkpoints from the one at offset back to the one at stop, newest first,
// without the latter; 0 stands for the end of the chain. If the chain is broken it returns the
// error with the checkpoints up to there.
func (c *Chunk) chain(offset, stop uint64) (heads []checkpointHead, err error) {
	seen := make(map[uint64]struct{})
	sum := uint64(0)
	for offset != stop {
		if _, again := seen[offset]; again {
			return heads, c.fail("checkpoint", offset, corrupt("the chain of checkpoints comes back to here"))
		}
		seen[offset] = struct{}{}
		h, err := c.readCheckpointHead(offset)
		if err != nil {
			return heads, err
		}
		if sum += uint64(h.Size); sum > uint64(len(c.data)) {
			return heads, c.fail("checkpoint", offset, corrupt("checkpoints lie inside one another"))
		}
		heads = append(heads, h)
		if h.delta == 0 {
			break
		}
		next := offset + uint64(h.delta)
		if next < wire.HeaderLen || next >= uint64(len(c.data)) {
			return heads, c.fail("checkpoint", offset, corrupt("delta %d leads out of the chunk", h.delta))
		}
		offset = next
	}
	return heads, nil
}

// CheckpointHead returns when the checkpoint with that header was written, in ticks, and its
// mask; false if the checkpoint ends too early.
func (c *Chunk) CheckpointHead(h EventHeader) (ticks int64, mask uint8, ok bool) {
	cur := wire.NewCursor(c.data[:h.End()], int(h.Body()), c.encoding)
	head := wire.ReadCheckpointHead(&cur)
	return head.Start, head.Mask, cur.OK()
}
