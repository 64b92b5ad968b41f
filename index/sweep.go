package index

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Sweep finds the constants of all chunks, as [Chunk.Constants] does it for one
// that is asked for them, on so many goroutines at once, 0 standing for as many
// as there are processors. They share the checkpoints of a chunk, too; what comes
// out does not depend on how many there are. If it is not nil, progress is called,
// by any of the goroutines, with numbers of bytes that have been gone through:
// all bytes of the recording's chunks in the end.
func (x *Index) Sweep(workers int, progress func(bytes uint64)) {
	_ = x.SweepContext(context.Background(), workers, progress) // which never ends
}

// SweepContext is [Index.Sweep] that ends early when the context is cancelled,
// and then returns the cause. What had been found by then of whole chunks is kept.
func (x *Index) SweepContext(ctx context.Context, workers int, progress func(bytes uint64)) error {
	if progress == nil {
		progress = func(uint64) {}
	}
	// What a chunk takes while it is gone through is more than what is kept of it.
	for chunks := range slices.Chunk(x.chunks, chunksAtOnce) {
		sweepChunks(ctx, chunks, workers, progress)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func sweepChunks(ctx context.Context, chunks []*Chunk, workers int, progress func(bytes uint64)) {
	sweeps := make([]*sweep, len(chunks))
	parallel.ForEach(workers, len(chunks), func(_, i int) {
		sweeps[i] = chunks[i].beginSweep()
		progress(uint64(len(chunks[i].data)) - sweeps[i].bytes())
	})
	type task struct {
		sweep  *sweep
		number int
	}
	var tasks []task
	for _, s := range sweeps {
		for i := range s.heads {
			tasks = append(tasks, task{s, i})
		}
	}
	parallel.ForEach(workers, len(tasks), func(_, i int) {
		if ctx.Err() != nil {
			return // the chunk is not published then, for something is left
		}
		s, number := tasks[i].sweep, tasks[i].number
		s.walk(number)
		progress(uint64(s.heads[number].Size))
		if s.left.Add(-1) == 0 {
			s.publish()
		}
	})
}

// sweep goes through checkpoints of a chunk, in any order or at the same time.
type sweep struct {
	chunk *Chunk
	// types are those that it begins with; complete returns those of all metadata
	// events of the chunk.
	types    *schema.TypeSet
	complete func() *schema.TypeSet
	// heads are the checkpoints, newest first, and broken is what is wrong with
	// their chain.
	heads  []checkpointHead
	broken error
	// held is what has been found in each checkpoint.
	held []held
	// left is how many checkpoints have not been gone through.
	left atomic.Int64
}

// held is what a checkpoint holds.
type held struct {
	pools []Pool
	// found is what each pool holds, in the order of the file, and ordinals are
	// those of its classes; pools without constants are left out.
	found    [][]found
	ordinals []int
	// types are those it took to read the checkpoint.
	types *schema.TypeSet
	err   error
}

// newSweep returns a sweep of the checkpoints down to the one at stop.
func (c *Chunk) newSweep(types *schema.TypeSet, stop uint64) *sweep {
	s := &sweep{chunk: c, types: types, complete: c.completeTypes}
	if c.checkpoints != nil {
		s.heads = slices.Clone(c.checkpoints)
	} else if newest := c.header.Checkpoint; newest != 0 {
		s.heads, s.broken = c.chain(newest, stop)
		if len(s.heads) == 0 && stop == 0 && c.endMissing() {
			s.heads = c.walkedCheckpoints()
		}
	}
	s.held = make([]held, len(s.heads))
	s.left.Store(int64(len(s.heads)))
	return s
}

// endMissing reports whether the chunk ends before it says.
func (c *Chunk) endMissing() bool { return c.trail != nil && c.header.Size > uint64(len(c.data)) }

// walkedCheckpoints returns the checkpoints to which the frames lead, newest first. It is
// for chunks whose chain begins where nothing is left.
func (c *Chunk) walkedCheckpoints() (heads []checkpointHead) {
	for _, offset := range slices.Backward(c.headersOf(schema.CheckpointID)) {
		if h, err := c.readCheckpointHead(offset); err == nil {
			heads = append(heads, h)
		}
	}
	return heads
}

// sweep enters the checkpoints that k does not hold yet.
func (c *Chunk) sweep(k *Constants) {
	s := c.newSweep(k.types, k.newest)
	for i := range s.heads {
		s.walk(i)
	}
	s.enter(k)
}

// beginSweep returns a sweep of all checkpoints of the chunk, for goroutines that
// do not hold its lock; of none if there is nothing to do.
func (c *Chunk) beginSweep() *sweep {
	c.mu.Lock()
	defer c.mu.Unlock()
	types, err := c.loadTypes()
	if err != nil || c.constants.Load() != nil || c.savedConstants() != nil {
		return &sweep{}
	}
	s := c.newSweep(types, 0)
	s.complete = func() *schema.TypeSet {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.completeTypes()
	}
	if len(s.heads) == 0 {
		s.store()
	}
	return s
}

// bytes returns how many bytes are gone through.
func (s *sweep) bytes() (n uint64) {
	for i := range s.heads {
		n += uint64(s.heads[i].Size)
	}
	return n
}

// publish makes what has been found the constants of the chunk, unless somebody
// else has found them by now.
func (s *sweep) publish() {
	s.chunk.mu.Lock()
	defer s.chunk.mu.Unlock()
	if s.chunk.constants.Load() == nil {
		s.store()
	}
	s.heads, s.held = nil, nil
}

func (s *sweep) store() {
	k := &Constants{}
	k.adopt(s.types)
	s.enter(k)
	s.chunk.cacheConstants(k)
}

// walk goes through one checkpoint.
func (s *sweep) walk(number int) {
	h := &s.held[number]
	h.types = s.types
	h.err = s.pools(&s.heads[number], h)
}

func (s *sweep) pools(head *checkpointHead, h *held) error {
	for range head.left {
		at := uint64(head.cur.Pos())
		id := schema.TypeID(head.cur.Long())
		count := head.cur.Count()
		if !head.cur.OK() {
			return s.chunk.fail("pool", at, corrupt("the checkpoint ends inside the pool's head"))
		}
		class := h.types.ByID(id)
		if class == nil {
			// The newest metadata may have forgotten it.
			h.types = s.complete()
			class = h.types.ByID(id)
		}
		if class == nil {
			return s.chunk.fail("pool", at, corrupt("class %d is not described; the rest of the checkpoint cannot be read", id))
		}
		p := Pool{Type: id, Offset: uint64(head.cur.Pos())}
		list, err := s.pool(head, class, &p, count)
		h.pools = append(h.pools, p)
		if len(list) > 0 {
			h.found, h.ordinals = append(h.found, list), append(h.ordinals, class.Ordinal())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstRoom is for how many constants of a pool there is room at most before any
// has been read: their number may be a lie.
const firstRoom = 1 << 16

// pool notes where each constant of a pool lies.
func (s *sweep) pool(head *checkpointHead, class *schema.Type, p *Pool, count int) (list []found, err error) {
	plan, err := class.Plan()
	if err != nil {
		return nil, s.chunk.fail("pool", p.Offset, err)
	}
	encoding := s.chunk.encoding
	b := s.chunk.data[:head.Offset+uint64(head.Size)]
	pos := head.cur.Pos()
	list = make([]found, 0, min(count, (len(b)-pos)/2, firstRoom))
	for range count {
		key, n := encoding.Long(b[pos:])
		end, ok := plan.Skip(b, pos+n)
		if n == 0 || !ok {
			err = s.chunk.fail("constant", uint64(pos), corrupt("%s number %d of %d does not fit its checkpoint", class.Name, len(list), count))
			break
		}
		list = append(list, found{uint64(key), uint64(pos + n)})
		pos = end
	}
	p.Count, p.Size = uint64(len(list)), uint64(pos)-p.Offset
	head.cur.Seek(pos)
	return list, err
}

// enter adds to k what has been found. Oldest first: where a key comes twice in a
// chunk, the one in the oldest checkpoint counts, and there the last, as it is for
// the JDK.
func (s *sweep) enter(k *Constants) {
	if newest := s.chunk.header.Checkpoint; newest != 0 {
		k.newest = newest
	}
	k.keep(s.broken)
	pools := 0
	for i := range s.held {
		pools += len(s.held[i].pools)
	}
	k.checkpoints = slices.Grow(k.checkpoints, len(s.heads))
	k.pools = slices.Grow(k.pools, pools)
	var lists [][][]found // of each class, by ordinal
	for i := len(s.heads) - 1; i >= 0; i-- {
		cp, h := s.heads[i].Checkpoint, &s.held[i]
		cp.FirstPool, cp.Pools = uint32(len(k.pools)), uint32(len(h.pools))
		k.checkpoints = append(k.checkpoints, cp)
		k.pools = append(k.pools, h.pools...)
		k.keep(h.err)
		if len(h.types.Types) > len(k.types.Types) {
			k.adopt(h.types)
		}
		lists = append(lists, make([][][]found, len(k.types.Types)-len(lists))...)
		for j, ordinal := range slices.Backward(h.ordinals) {
			slices.Reverse(h.found[j])
			lists[ordinal] = append(lists[ordinal], h.found[j])
		}
		h.found = nil
	}
	var all []found
	for ordinal := range lists {
		wire.Step()
		all = all[:0]
		for _, list := range lists[ordinal] {
			all = append(all, list...)
		}
		if len(all) > 0 {
			k.fill(ordinal, all)
		}
	}
}

// fill enters constants into the table of their class.
func (k *Constants) fill(ordinal int, all []found) {
	if k.tableOf[ordinal] == 0 {
		k.tables = append(k.tables, table{})
		k.tableOf[ordinal] = uint32(len(k.tables))
	}
	k.tables[k.tableOf[ordinal]-1].add(all)
}
