package index

import (
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Constants is where the checkpoints, pools and constants of a chunk lie.
type Constants struct {
	checkpoints []Checkpoint
	pools       []Pool
	// tableOf is the number of each type's table plus one, by the ordinal of the type in
	// types; 0 for types without constants.
	tableOf []uint32
	tables  []table
	types   *schema.TypeSet
	newest  uint64
	err     error
	// saved reports whether the tables lie in a saved index.
	saved bool
	// index is that of the recording, unless that grows, and base where the chunk begins in it.
	index *Index
	base  uint64
}

// Constants returns where the constants of the chunk lie. The first call walks through the
// checkpoints. It fails if the chunk has no types; [Constants.Err] returns what is wrong with
// checkpoints.
//
// In a recording of very many chunks, a cache drops constants again, so that those of all
// chunks stay below 1 % of its size. They are found anew when they are asked for.
func (c *Chunk) Constants() (*Constants, error) {
	if k := c.constants.Load(); k != nil {
		return k, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.constants.Load(); k != nil {
		return k, nil
	}
	types, err := c.loadTypes()
	if err != nil {
		return nil, err
	}
	var k *Constants
	c.readConstants.run(func() {
		c.Need()
		if k = c.savedConstants(); k != nil {
			return
		}
		k = &Constants{index: c.index, base: c.offset}
		k.adopt(types)
		c.sweep(k)
		c.cacheConstants(k)
	})
	return k, nil
}

// CachedConstants returns the constants if they are in the cache, or nil.
func (c *Chunk) CachedConstants() *Constants { return c.constants.Load() }

// adopt makes room for the types that types has beyond those known so far, whose ordinals it keeps.
func (k *Constants) adopt(types *schema.TypeSet) {
	k.types = types
	k.tableOf = append(k.tableOf, make([]uint32, len(types.Types)-len(k.tableOf))...)
}

// table returns the table of the type's constants; nil if it has none.
//
//gccheck:inline
func (k *Constants) table(typ *schema.Type) *table {
	if typ.Ordinal() >= len(k.tableOf) || k.tableOf[typ.Ordinal()] == 0 {
		return nil
	}
	return &k.tables[k.tableOf[typ.Ordinal()]-1]
}

// Lookup returns where the constant of the type with that key lies, from the start of the
// chunk. It reports false if no checkpoint holds it. It allocates nothing.
func (k *Constants) Lookup(typ *schema.Type, key int64) (offset uint64, ok bool) {
	t := k.table(typ)
	if t == nil {
		return 0, false
	}
	if offset, ok = t.lookup(uint64(key)); ok {
		k.index.touch(k.base + offset)
	}
	return offset, ok
}

// All calls f with the key of every constant of the type and where it lies, until f returns
// false. The order is that of the table, not of the file.
func (k *Constants) All(typ *schema.Type, f func(key int64, offset uint64) bool) {
	if t := k.table(typ); t != nil {
		t.all(func(key, offset uint64) bool {
			k.index.touch(k.base + offset)
			return f(int64(key), offset)
		})
	}
}

// Len returns how many constants the type has.
func (k *Constants) Len(typ *schema.Type) int {
	if t := k.table(typ); t != nil {
		return t.n
	}
	return 0
}

// Type returns the type with that number, or nil.
func (k *Constants) Type(id schema.TypeID) *schema.Type { return k.types.ByID(id) }

// Named returns the type of that full name, or nil.
func (k *Constants) Named(name string) *schema.Type { return k.types.Named(name) }

// Checkpoints returns the checkpoints, oldest first. The slice is the index's own.
func (k *Constants) Checkpoints() []Checkpoint { return k.checkpoints }

// Pools returns the pools, in the order of their checkpoints. The slice is the index's own.
func (k *Constants) Pools() []Pool { return k.pools }

// Err returns the first error in the chunk's checkpoints, or nil. Constants that can be read are
// there all the same.
func (k *Constants) Err() error { return k.err }

// Saved reports whether the constants come from a saved index.
func (k *Constants) Saved() bool { return k.saved }

// Bytes returns how much memory the columns take.
func (k *Constants) Bytes() int {
	n := 32*cap(k.checkpoints) + 32*cap(k.pools) + 4*cap(k.tableOf)
	for i := range k.tables {
		n += k.tables[i].bytes()
	}
	return n
}

// String returns the numbers of checkpoints, pools and constants.
func (k *Constants) String() string {
	n := 0
	for i := range k.tables {
		n += k.tables[i].n
	}
	return fmt.Sprintf("%d checkpoints, %d pools, %d constants", len(k.checkpoints), len(k.pools), n)
}

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

// Flushes returns where the checkpoints that end a flush begin, from the start of the chunk and in
// this order. It only walks through the chain of checkpoints, as far as that can be
// followed, and reads no constants.
func (c *Chunk) Flushes() (offsets []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock() // reading a file that has been cut is a fault
	c.Need()
	for _, h := range c.newSweep(nil, 0).heads {
		if h.Mask&CheckpointFlush != 0 {
			offsets = append(offsets, h.Offset)
		}
	}
	slices.Sort(offsets)
	return offsets
}

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
	c.Need()
	cur := wire.NewCursor(c.data[:h.End()], int(h.Body()), c.encoding)
	head := wire.ReadCheckpointHead(&cur)
	return head.Start, head.Mask, cur.OK()
}
