package index

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The functions that find constants, from the outside to the inside:
//
//	Sweep                finds those of many chunks; shares their checkpoints among workers
//	Chunk.Constants      (constants.go) finds those of one chunk when they are asked for
//	Chunk.newSweep       finds the checkpoints of a chunk
//	chunkSweep.walk      walks through one checkpoint, see pools and pool
//	chunkSweep.enter     enters what has been found into Constants, oldest checkpoint first

// Sweep finds the constants of some chunks of a recording, as [Chunk.Constants] does for one chunk,
// with that number of workers; 0 stands for the number of processors. Workers share the checkpoints
// of a chunk, too. The result does not depend on their number. Sweep takes 64 chunks at a time, and
// the constants of at least the last 32 of them are still in the cache when it returns.
//
// If progress is not nil, any worker calls it with numbers of bytes that have been walked
// through; in the end they add up to the bytes of all chunks. When the context is cancelled,
// Sweep ends early and returns the cause. The constants of chunks that are done by then stay.
func Sweep(ctx context.Context, chunks []*Chunk, workers int, progress func(bytes uint64)) error {
	if progress == nil {
		progress = func(uint64) {}
	}
	// While a chunk is walked through it takes more memory than its constants do afterwards.
	for some := range slices.Chunk(chunks, chunksAtOnce) {
		sweepChunks(ctx, some, workers, progress)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func sweepChunks(ctx context.Context, chunks []*Chunk, workers int, progress func(bytes uint64)) {
	sweeps := make([]*chunkSweep, len(chunks))
	parallel.ForEach(workers, len(chunks), func(_, i int) {
		sweeps[i] = chunks[i].beginSweep()
		left := uint64(len(chunks[i].data))
		for j := range sweeps[i].heads {
			left -= uint64(sweeps[i].heads[j].Size)
		}
		progress(left)
	})
	type task struct {
		sweep  *chunkSweep
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
			return // the sweep of the chunk is never published, for a checkpoint is left
		}
		s, number := tasks[i].sweep, tasks[i].number
		s.walk(number)
		progress(uint64(s.heads[number].Size))
		if s.left.Add(-1) == 0 {
			s.publish()
		}
	})
}

// chunkSweep walks through the checkpoints of a chunk, in any order or at the same time.
type chunkSweep struct {
	chunk *Chunk
	// types are the types that the sweep begins with. complete returns those of all metadata
	// events of the chunk.
	types    *schema.TypeSet
	complete func() *schema.TypeSet
	// heads are the checkpoints, newest first, and broken is the error of their chain.
	heads  []checkpointHead
	broken error
	// contents is what has been found in each checkpoint.
	contents []contents
	// left is how many checkpoints have not been walked through.
	left atomic.Int64
}

// contents is what a checkpoint holds.
type contents struct {
	pools []Pool
	// found has the constants of each pool, in the order of the file, and ordinals the
	// ordinals of the pools' types. Pools without constants are left out.
	found    [][]found
	ordinals []int
	// types are the types that it took to read the checkpoint.
	types *schema.TypeSet
	err   error
}

// newSweep returns a sweep of the checkpoints, from the newest back to the one at stop.
func (c *Chunk) newSweep(types *schema.TypeSet, stop uint64) *chunkSweep {
	s := &chunkSweep{chunk: c, types: types, complete: c.completeTypes}
	if c.checkpoints != nil {
		s.heads = slices.Clone(c.checkpoints)
	} else if newest := c.header.Checkpoint; newest != 0 {
		s.heads, s.broken = c.chain(newest, stop)
		if len(s.heads) == 0 && stop == 0 && c.endMissing() {
			// The chain begins in the part that is missing.
			for _, offset := range slices.Backward(c.offsetsOf(schema.CheckpointID)) {
				if h, err := c.readCheckpointHead(offset); err == nil {
					s.heads = append(s.heads, h)
				}
			}
		}
	}
	s.contents = make([]contents, len(s.heads))
	s.left.Store(int64(len(s.heads)))
	return s
}

// completeUnder makes workers complete the types one after the other.
func (s *chunkSweep) completeUnder(mu sync.Locker) {
	s.complete = func() *schema.TypeSet {
		mu.Lock()
		defer mu.Unlock()
		return s.chunk.completeTypes()
	}
}

// endMissing reports whether the chunk has fewer bytes than its header says.
func (c *Chunk) endMissing() bool { return c.trail != nil && c.header.Size > uint64(len(c.data)) }

const (
	// shareFrom is how many bytes of checkpoints are worth more than one worker.
	shareFrom = 1 << 20
	// walkedAtOnce is how many bytes of checkpoints are walked through before what has been found
	// in them is entered. That takes more memory than the constants do afterwards.
	walkedAtOnce = 16 << 20
)

// sweep enters the constants of the checkpoints that k does not have yet.
func (c *Chunk) sweep(k *Constants) {
	s := c.newSweep(k.types, k.newest)
	s.completeUnder(new(sync.Mutex)) // workers walk for this goroutine, which holds the lock of the chunk
	s.begin(k)
	for end := len(s.heads); end > 0; {
		size, workers, begin := 0, 1, end
		for ; begin > 0 && size < walkedAtOnce; begin-- {
			size += int(s.heads[begin-1].Size)
		}
		if size > shareFrom {
			workers = max(c.index.workers, 1)
		}
		parallel.ForEach(workers, end-begin, func(_, i int) { s.walk(begin + i) })
		s.enter(k, begin, end)
		end = begin
	}
}

// beginSweep returns a sweep of all checkpoints of the chunk, for workers that do not hold its
// lock. The sweep is empty if there is nothing to do.
func (c *Chunk) beginSweep() *chunkSweep {
	c.mu.Lock()
	defer c.mu.Unlock()
	types, err := c.loadTypes()
	if err != nil || c.constants.Load() != nil || c.savedConstants() != nil {
		return &chunkSweep{}
	}
	c.Need()
	s := c.newSweep(types, 0)
	s.completeUnder(&c.mu)
	if len(s.heads) == 0 {
		s.store()
	}
	return s
}

// publish stores the constants in the chunk, unless another goroutine has done so by now.
func (s *chunkSweep) publish() {
	s.chunk.mu.Lock()
	defer s.chunk.mu.Unlock()
	if s.chunk.constants.Load() == nil {
		s.store()
	}
	s.heads, s.contents = nil, nil
}

func (s *chunkSweep) store() {
	k := &Constants{index: s.chunk.index, base: s.chunk.offset}
	k.adopt(s.types)
	s.begin(k)
	s.enter(k, 0, len(s.heads))
	s.chunk.cacheConstants(k)
}

// walk walks through one checkpoint.
func (s *chunkSweep) walk(number int) {
	h := &s.contents[number]
	h.types = s.types
	h.err = s.pools(&s.heads[number], h)
}

func (s *chunkSweep) pools(head *checkpointHead, h *contents) error {
	for range head.left {
		at := uint64(head.cur.Pos())
		id := schema.TypeID(head.cur.Long())
		count := head.cur.Count()
		if !head.cur.OK() {
			return s.chunk.fail("pool", at, corrupt("the checkpoint ends inside the pool's head"))
		}
		typ := h.types.ByID(id)
		if typ == nil {
			// The newest metadata may leave it out.
			h.types = s.complete()
			typ = h.types.ByID(id)
		}
		if typ == nil {
			return s.chunk.fail("pool", at, corrupt("type %d is not described; the rest of the checkpoint cannot be read", id))
		}
		p := Pool{Type: id, Offset: uint64(head.cur.Pos())}
		list, err := s.pool(head, typ, &p, count)
		h.pools = append(h.pools, p)
		if len(list) > 0 {
			h.found, h.ordinals = append(h.found, list), append(h.ordinals, typ.Ordinal())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstRoom bounds the room that is made for the constants of a pool before any has been read:
// their count may be wrong.
const firstRoom = 1 << 16

// pool finds where each constant of a pool lies.
func (s *chunkSweep) pool(head *checkpointHead, typ *schema.Type, p *Pool, count int) (list []found, err error) {
	plan, err := typ.Plan()
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
			err = s.chunk.fail("constant", uint64(pos), corrupt("%s number %d of %d does not fit its checkpoint", typ.Name, len(list), count))
			break
		}
		s.chunk.index.touch(s.chunk.offset + uint64(pos))
		list = append(list, found{uint64(key), uint64(pos + n)})
		pos = end
	}
	p.Count, p.Size = uint64(len(list)), uint64(pos)-p.Offset
	head.cur.Seek(pos)
	return list, err
}

// begin enters what the chain of checkpoints says.
func (s *chunkSweep) begin(k *Constants) {
	if newest := s.chunk.header.Checkpoint; newest != 0 {
		k.newest = newest
	}
	k.err = cmp.Or(k.err, s.broken)
}

// enter adds the constants of the checkpoints from begin to end to k, those of older ones first. It
// takes the oldest checkpoint first: of constants with one key, that in the oldest checkpoint
// counts, and there the last one, as for the JDK.
func (s *chunkSweep) enter(k *Constants, begin, end int) {
	pools := 0
	for i := range s.contents[begin:end] {
		pools += len(s.contents[begin+i].pools)
	}
	k.checkpoints = slices.Grow(k.checkpoints, end-begin)
	k.pools = slices.Grow(k.pools, pools)
	var lists [][][]found // of each type, by ordinal
	for i := end - 1; i >= begin; i-- {
		cp, h := s.heads[i].Checkpoint, &s.contents[i]
		cp.FirstPool, cp.Pools = uint32(len(k.pools)), uint32(len(h.pools))
		k.checkpoints = append(k.checkpoints, cp)
		k.pools = append(k.pools, h.pools...)
		k.err = cmp.Or(k.err, h.err)
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

// fill enters constants into the table of their type.
func (k *Constants) fill(ordinal int, all []found) {
	if k.tableOf[ordinal] == 0 {
		k.tables = append(k.tables, table{})
		k.tableOf[ordinal] = uint32(len(k.tables))
	}
	k.tables[k.tableOf[ordinal]-1].add(all)
}
