package index

import (
	"math"
	"sync"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Blocks returns the blocks of the chunk, going through all its events on first
// use. They may be forgotten, and cut again, as [Chunk.Constants] may.
func (c *Chunk) Blocks() *Blocks { return c.BuildBlocks(1) }

// CachedBlocks returns the blocks if they have been asked for before and are still kept, or
// are in a saved index; nil if not.
func (c *Chunk) CachedBlocks() *Blocks {
	if b := c.blocks.Load(); b != nil || c.saved == nil {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.savedBlocks()
}

// BuildBlocks is [Chunk.Blocks] on so many goroutines at once, 0 standing for as
// many as there are processors.
func (c *Chunk) BuildBlocks(workers int) *Blocks {
	if b := c.blocks.Load(); b != nil {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var b *Blocks
	c.readBlocks.run(func() { b = c.makeBlocks(workers) })
	return b
}

func (c *Chunk) makeBlocks(workers int) *Blocks {
	if b := c.savedBlocks(); b != nil {
		return b
	}
	b := &Blocks{end: c.FirstEvent()}
	c.cut(b, workers)
	c.keepBlocks(b)
	return b
}

// cut goes on where b ends.
func (c *Chunk) cut(b *Blocks, workers int) {
	types, _ := c.loadTypes() // without, all events are undescribed
	b.err = nil
	b.grow(uint64(len(c.data)), types)
	j := &joiner{chunk: c, blocks: b, types: types, list: c.sectors(b.end, types)}
	j.done = make([]*cutter, len(j.list))
	parallel.ForEach(workers, len(j.list), func(_, i int) {
		if cut := j.cutter(i); cut != nil {
			cut.walk()
			j.join(i, cut)
		}
	})
	if b.err != nil {
		// What lies behind was found by walks that began nowhere.
		b.wipe(j.list[j.joined-1].limit, uint64(len(c.data)), b.events)
	}
}

// joiner puts sectors together, in their order, as soon as they have been cut.
type joiner struct {
	chunk  *Chunk
	blocks *Blocks
	types  *schema.TypeSet
	list   []sector

	mu     sync.Mutex
	done   []*cutter // those that wait for a sector before them
	joined int
}

// cutter returns what cuts a sector; nil if the walk has ended before it.
func (j *joiner) cutter(i int) *cutter {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.blocks.err != nil {
		return nil
	}
	cut := &cutter{chunk: j.chunk, blocks: j.blocks, sector: &j.list[i], rare: rare(uint64(len(j.chunk.data)))}
	if i == 0 {
		cut.events = j.blocks.events
	}
	if j.types != nil {
		cut.types, cut.keys = j.types, j.types.BlockKeys()
		cut.of = make([]kept, len(cut.keys))
		for ordinal, of := range j.blocks.of {
			wire.Step()
			cut.of[ordinal].many = of != nil && of.many
		}
	}
	return cut
}

func (j *joiner) join(i int, cut *cutter) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.done[i] = cut; j.joined < len(j.list) && j.done[j.joined] != nil && j.blocks.err == nil; j.joined++ {
		i, cut := j.joined, j.done[j.joined]
		j.done[i] = nil
		if begin := j.list[max(i-1, 0)].next; i > 0 && j.list[i].from != begin {
			j.blocks.wipe(j.list[i-1].limit, j.list[i].limit, 0)
			j.list[i].from = begin
			cut.reset()
			cut.walk()
		}
		j.blocks.take(cut, i > 0)
	}
}

// cutter walks through a sector and fills in the blocks that it covers.
type cutter struct {
	chunk  *Chunk
	blocks *Blocks
	sector *sector
	types  *schema.TypeSet // nil if the chunk has none
	keys   []schema.BlockKeys
	rare   int

	of     []kept
	others map[schema.TypeID]EventCount
	// events is how many there are before the next one: in the sector, or, in the
	// first, in the chunk.
	events uint64

	// Of the block at hand, and of its cell:
	block, cell    int
	since          uint64 // events before it
	types0, types1 uint64
	threads        uint64
	least          int64
	greatest       int64
}

// reset makes ready for another walk through a sector that is not the first.
func (k *cutter) reset() {
	k.events, k.others = 0, nil
	for ordinal := range k.of {
		wire.Step()
		k.of[ordinal] = kept{}
	}
}

func (k *cutter) walk() {
	s := k.sector
	end := min(s.limit, uint64(len(k.chunk.data)))
	k.block, k.cell = -1, -1
	s.next, s.err = s.from, nil
	for k.step(); s.next < end; k.step() {
		rec, err := k.chunk.record(s.next)
		if err != nil {
			s.err = err
			break
		}
		k.enter(int(rec.Offset/cellSize), rec.Offset)
		if rec.IsEvent() {
			k.event(&rec)
			k.events++
		}
		s.next = rec.End()
	}
	if k.block >= 0 {
		k.leave()
	}
	first := k.block + 1
	if k.block < 0 {
		first = int((s.start + blockSize - 1) / blockSize)
	}
	k.fill(first, int((s.limit+blockSize-1)/blockSize))
}

// step goes over a hole, and through the events behind it that are near.
func (k *cutter) step() {
	k.sector.next = k.chunk.past(k.sector.next)
	k.near()
	k.sector.next = k.chunk.past(k.sector.next)
}

// enter notes where the first frame of a cell begins.
func (k *cutter) enter(cell int, offset uint64) {
	if cell == k.cell {
		return
	}
	k.cell = cell
	if block := cell / blockCells; block != k.block {
		if k.block >= 0 {
			k.leave()
			k.fill(k.block+1, block)
		} else {
			k.fill(int((k.sector.start+blockSize-1)/blockSize), block)
		}
		k.open(block)
	}
	if b := k.blocks; b.first[cell] == noFrame {
		b.first[cell] = uint16(offset % cellSize)
		b.nth[cell] = uint16(k.events - k.since)
	}
}

// open begins a block, or goes on with one that has been begun before.
func (k *cutter) open(block int) {
	b := k.blocks
	k.block, k.since = block, k.events
	if b.begun(block) {
		k.since = b.ordinals[block]
	}
	b.ordinals[block] = k.since
	k.types0, k.types1, k.threads = b.types[2*block], b.types[2*block+1], b.threads[block]
	k.least, k.greatest = b.least[block], b.greatest[block]
}

// begun tells whether a frame has been found in the block.
func (b *Blocks) begun(block int) bool {
	for _, first := range b.first[block*blockCells : (block+1)*blockCells] {
		if first != noFrame {
			return true
		}
	}
	return false
}

func (k *cutter) leave() {
	b := k.blocks
	b.types[2*k.block], b.types[2*k.block+1], b.threads[k.block] = k.types0, k.types1, k.threads
	b.least[k.block], b.greatest[k.block] = k.least, k.greatest
}

// fill notes that in the blocks from first up to end no frame begins.
func (k *cutter) fill(first, end int) {
	for block := first; block < end; block++ {
		wire.Step()
		k.blocks.ordinals[block] = k.events
	}
}

// event notes what blocks tell of an event, wherever in the event that is. Fields
// that do not lie inside it are no one's business here: whoever reads the event
// tells of it.
func (k *cutter) event(rec *EventHeader) {
	var ordinal int
	ok := false
	if k.types != nil {
		ordinal, ok = k.types.Ordinal(rec.Type)
	}
	if !ok || !k.types.Types[ordinal].IsEvent() {
		k.undescribed(rec)
		return
	}
	of := &k.of[ordinal]
	of.Events++
	of.Bytes += uint64(rec.Size)
	if !of.many {
		of.keep(rec.Offset, k.rare)
	}
	m := &k.keys[ordinal]
	k.types0 |= m.Types[0]
	k.types1 |= m.Types[1]
	plan, err := m.Type.Plan()
	if err != nil {
		return
	}
	if v, ok := k.long(plan, rec, m.Time); ok {
		k.time(v)
	}
	if v, ok := k.long(plan, rec, m.Thread); ok {
		k.threads |= threadBit(v)
	}
}

// keep notes where an event begins, unless there are too many for that.
func (of *kept) keep(offset uint64, limit int) {
	if len(of.at) == limit || offset > math.MaxUint32 {
		of.at, of.many = nil, true
		return
	}
	of.at = append(of.at, uint32(offset))
}

func (k *cutter) long(plan *schema.Plan, rec *EventHeader, slot int32) (v int64, ok bool) {
	if slot < 0 {
		return 0, false
	}
	b := k.chunk.data[:rec.End()]
	pos, ok := plan.SlotOffset(b, int(rec.Body()), int(slot))
	if !ok {
		return 0, false
	}
	v, n := k.chunk.form.Long(b[pos:])
	return v, n > 0
}

func (k *cutter) time(ticks int64) {
	k.least = min(k.least, ticks)
	k.greatest = max(k.greatest, ticks)
}

// undescribed makes sure that the block of an event that nobody can select, because its
// class is not described or no event type, is always looked at: older metadata may
// describe it, or it is an error to tell.
func (k *cutter) undescribed(rec *EventHeader) {
	k.types0, k.types1, k.threads = math.MaxUint64, math.MaxUint64, math.MaxUint64
	k.least, k.greatest = math.MinInt64, math.MaxInt64
	if k.others == nil {
		k.others = make(map[schema.TypeID]EventCount)
	}
	n := k.others[rec.Type]
	n.Add(EventCount{1, uint64(rec.Size)})
	k.others[rec.Type] = n
}

// take adds what a cutter has found, in the order of the sectors. What it says
// of ordinals begins with 0 if it is relative.
func (b *Blocks) take(k *cutter, relative bool) {
	if relative {
		for block := int(k.sector.start / blockSize); block < int((k.sector.limit+blockSize-1)/blockSize); block++ {
			b.ordinals[block] += b.events
		}
		k.events += b.events
	}
	b.events, b.end, b.err = k.events, k.sector.next, k.sector.err
	for ordinal := range k.of {
		wire.Step()
		more := &k.of[ordinal]
		if more.Events == 0 {
			continue
		}
		if b.of[ordinal] == nil {
			b.of[ordinal] = &kept{}
		}
		of := b.of[ordinal]
		of.Add(more.EventCount)
		if of.many = of.many || more.many || len(of.at)+len(more.at) > k.rare; of.many {
			of.at = nil
			continue
		}
		of.at = append(of.at, more.at...)
	}
	for id, n := range k.others {
		b.add(id, n)
	}
}

// add counts events whose class is not described or no event type.
func (b *Blocks) add(id schema.TypeID, n EventCount) {
	if b.others == nil {
		b.others = make(map[schema.TypeID]EventCount)
	}
	sum := b.others[id]
	sum.Add(n)
	b.others[id] = sum
}

// wipe forgets what the blocks between two places of the chunk tell. events is
// how many come before them.
func (b *Blocks) wipe(from, to, events uint64) {
	for block := int((from + blockSize - 1) / blockSize); block < int((to+blockSize-1)/blockSize); block++ {
		for cell := block * blockCells; cell < (block+1)*blockCells; cell++ {
			wire.Step()
			b.first[cell], b.nth[cell] = noFrame, 0
		}
		b.ordinals[block], b.threads[block] = events, 0
		b.types[2*block], b.types[2*block+1] = 0, 0
		b.least[block], b.greatest[block] = math.MaxInt64, math.MinInt64
	}
}
