package repair

import (
	"cmp"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// checkpoint is a checkpoint as it is written. It has the pools that can be read, without empty
// pools, at which the JDK fails.
type checkpoint struct {
	index.Checkpoint
	start, duration int64
	delta           int64 // in the damaged recording
	pools           []index.Pool
	// made has pools that are added, and madePools is their number.
	made      []byte
	madePools int
	// size is the size of the new checkpoint.
	size uint64
	// unchanged means that it can stay as it is. shortened means that some of its constants cannot
	// be read.
	unchanged, shortened bool
	// to is its offset in the new chunk; 0 before that is known.
	to uint64
}

// readCheckpoints collects the checkpoints that are written, the oldest first.
func (c *chunk) readCheckpoints() {
	pools := c.constants.Pools()
	for _, from := range c.constants.Checkpoints() {
		cp := c.readCheckpoint(from, pools[from.FirstPool:][:from.Pools])
		cp.size = uint64(len(c.head(&cp, 0)))
		for _, p := range cp.pools {
			cp.size += uint64(len(c.poolHead(&p))) + c.patchedSize(p.Offset, p.Offset+p.Size)
		}
		if cp.size > math.MaxUint32 { // its size would not fit what readers take
			c.report.Dropped++
			continue
		}
		c.at[cp.Offset] = len(c.checkpoints)
		c.checkpoints = append(c.checkpoints, cp)
	}
}

func (c *chunk) readCheckpoint(from index.Checkpoint, pools []index.Pool) checkpoint {
	cp := checkpoint{Checkpoint: from}
	cur := wire.NewCursor(c.data[:from.Offset+uint64(from.Size)], int(from.Offset), c.form)
	cur.Int()  // size
	cur.Long() // type
	head := wire.ReadCheckpointHead(&cur)
	cp.start, cp.duration, cp.delta = head.Start, head.Duration, head.Delta
	end := cur.Pos()
	copies := 0
	for _, p := range pools {
		end = int(p.Offset + p.Size)
		typ := c.constants.Type(p.Type)
		switch {
		case typ != nil && typ.CurrentName() == jdktypes.ChunkHeader: // a copy of the old header
			copies++
		case p.Count > 0 && c.described.Pools(typ):
			cp.pools = append(cp.pools, p)
		}
	}
	cp.shortened = head.Pools != len(pools) || end != int(from.Offset)+int(from.Size)
	cp.unchanged = !cp.shortened && len(cp.pools)+copies == len(pools)
	return cp
}

// isChained reports whether the chain in the damaged recording leads to all checkpoints.
func (c *chunk) isChained() bool {
	next := c.header.Checkpoint
	for i := range slices.Backward(c.checkpoints) {
		cp := &c.checkpoints[i]
		if cp.Offset != next || cp.delta == 0 && i > 0 {
			return false
		}
		next += uint64(cp.delta)
	}
	return len(c.checkpoints) > 0 && c.checkpoints[0].delta == 0
}

// head returns a checkpoint up to its pools. prev is the offset of the next older checkpoint in the
// new chunk; 0 for the oldest.
func (c *chunk) head(cp *checkpoint, prev uint64) []byte {
	e := wire.Appender{Encoding: c.form, Bytes: c.buf[:0]}
	e.Integer(cp.size, wire.IntLen, wire.SizeLen)
	e.Long(int64(schema.CheckpointID))
	delta := int64(0)
	if prev != 0 {
		delta = int64(prev - cp.to)
	}
	e.CheckpointHead(wire.CheckpointHead{Start: cp.start, Duration: cp.duration, Delta: delta, Mask: cp.Mask &^ index.CheckpointHeader, Pools: len(cp.pools) + cp.madePools})
	c.buf = e.Bytes
	return e.Bytes
}

func (c *chunk) poolHead(p *index.Pool) []byte {
	e := wire.Appender{Encoding: c.form, Bytes: c.buf[:0]}
	e.Long(int64(c.jvm.ID(p.Type)))
	e.Int(int32(p.Count))
	c.buf = e.Bytes
	return e.Bytes
}

// writeCheckpoint writes the checkpoint with an index.
func (c *chunk) writeCheckpoint(n int) {
	cp := &c.checkpoints[n]
	prev := uint64(0)
	if n > 0 {
		prev = c.checkpoints[n-1].to
	}
	c.out.write(c.head(cp, prev))
	for i := range cp.pools {
		p := &cp.pools[i]
		c.out.write(c.poolHead(p))
		c.writePatched(p.Offset, p.Offset+p.Size)
	}
	c.out.write(cp.made)
}

// noCheckpoint returns an empty checkpoint, for a chunk without checkpoints. The JDK's reader needs
// one.
func (c *chunk) noCheckpoint() checkpoint {
	cp := checkpoint{Checkpoint: index.Checkpoint{Mask: index.CheckpointFlush}, start: c.header.StartTicks}
	cp.size = uint64(len(c.head(&cp, 0)))
	return cp
}

// visitConstants visits the references of all constants that are kept.
func (c *chunk) visitConstants() {
	r := c.references
	for _, p := range c.constants.Pools() {
		typ := c.constants.Type(p.Type)
		if typ == nil || typ.CurrentName() == jdktypes.ChunkHeader || !c.described.Pools(typ) {
			continue
		}
		if c.form == wire.Compressed { // the JDK does not read chunks with raw integers
			r.enter(typ)
		}
		pos, end, ok := int(p.Offset), int(p.Offset+p.Size), true
		for i := uint64(0); i < p.Count && ok; i++ {
			_, n := c.form.Long(c.data[pos:end])
			pos, ok = r.Value(typ, pos+n, end, r.visit)
		}
	}
	r.enter(nil)
	slices.SortFunc(r.patches, func(a, b patch) int { return cmp.Compare(a.at, b.at) })
	r.patches = slices.Compact(r.patches)
}
