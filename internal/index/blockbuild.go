package index

import (
	"math"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The functions that build blocks, from the outside to the inside:
//
//	Chunk.BuildBlocks     builds the blocks of a chunk, or finds them in a saved index
//	Chunk.build           goes on where blocks end; shares the chunk's sectors among workers
//	joiner.done           (sector.go) adds the sectors in their order, see blockBuilder.join
//	blockBuilder.walk     walks through the events of one sector
//	blockBuilder.addUsual adds nearly all events, with one loop
//	blockBuilder.add      adds one event of any form
//	blockBuilder.enter    begins a cell, and a block where the cell is in another one
//
// While a block is open, the builder holds its keys in fields of its own. openBlock reads them
// from the columns of the blocks, and closeBlock writes them back.

// Blocks returns the blocks of the chunk. The first call walks through all events. Like
// [Chunk.Constants], blocks may be dropped from the cache, and are then built again.
func (c *Chunk) Blocks() *Blocks { return c.BuildBlocks(1) }

// CachedBlocks returns the blocks if they are in the cache or in a saved index; nil if not.
func (c *Chunk) CachedBlocks() *Blocks {
	if b := c.blocks.Load(); b != nil || c.saved == nil {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.savedBlocks()
}

// BuildBlocks is [Chunk.Blocks] with that number of workers; 0 stands for the number of processors.
func (c *Chunk) BuildBlocks(workers int) *Blocks {
	if b := c.blocks.Load(); b != nil {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var b *Blocks
	c.readBlocks.run(func() {
		c.Need()
		if b = c.savedBlocks(); b == nil {
			b = &Blocks{end: c.FirstEvent()}
			c.build(b, workers)
			c.cacheBlocks(b)
		}
	})
	return b
}

// build adds the events from the end of b on.
func (c *Chunk) build(b *Blocks, workers int) {
	types, _ := c.loadTypes() // without types, all events are undescribed
	b.err = nil
	b.grow(uint64(len(c.data)), types)
	list := c.sectors(b.end, types)
	builders := make([]*blockBuilder, len(list))
	j := joiner{list: list, walked: make([]bool, len(list))}
	j.walk = func(i int) {
		b.clear(list[i-1].limit, list[i].limit, 0)
		builders[i].reset()
		builders[i].walk()
	}
	j.add = func(i int) {
		b.join(builders[i], i > 0)
		builders[i] = nil
	}
	first := b.events
	parallel.ForEach(workers, len(list), func(_, i int) {
		of, failed := j.before(b, types)
		if failed {
			return
		}
		bb := &blockBuilder{chunk: c, blocks: b, sector: &list[i], types: types, maxOffsets: maxOffsets(uint64(len(c.data)))}
		if i == 0 {
			bb.events = first
		}
		if types != nil {
			bb.keys, bb.of = types.BlockKeys(), of
		}
		bb.walk()
		builders[i] = bb
		j.done(i)
	})
	if b.err != nil {
		// The sectors after the error began nowhere.
		b.clear(list[j.joined-1].limit, uint64(len(c.data)), b.events)
	}
}

// before returns what a builder begins with: of each type whether the offsets of its events
// have been given up already. It reports true if a sector that has been joined met an error.
func (j *joiner) before(b *Blocks, types *schema.TypeSet) (of []typeEvents, failed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if types != nil {
		of = make([]typeEvents, len(types.Types))
		for ordinal, so := range b.of {
			wire.Step()
			of[ordinal].many = so != nil && so.many
		}
	}
	return of, j.err != nil
}

// blockBuilder walks through a sector and fills in the blocks that it covers.
type blockBuilder struct {
	chunk  *Chunk
	blocks *Blocks
	sector *sector
	types  *schema.TypeSet    // nil if the chunk has none
	keys   []schema.BlockKeys // by ordinal
	of     []typeEvents       // by ordinal
	others map[schema.TypeID]EventCount
	// maxOffsets bounds how many offsets are stored of a type.
	maxOffsets int
	// events is how many events come before the next one: of the chunk in the first sector,
	// of the sector in all others.
	events uint64

	// The open block, and the cell in it that the last event began in; -1 for none.
	block, cell int
	// since is the number of events before the open block, counted as events is.
	since uint64
	// The keys of the open block.
	types0, types1, threads uint64
	least, greatest         int64

	passed uint64 // see [Chunk.Pass]
}

// reset makes the builder ready for another walk through a sector that is not the first.
func (bb *blockBuilder) reset() {
	bb.events, bb.others = 0, nil
	for ordinal := range bb.of {
		wire.Step()
		bb.of[ordinal] = typeEvents{}
	}
}

// walk walks through the sector, from event to event.
func (bb *blockBuilder) walk() {
	s := bb.sector
	end := min(s.limit, uint64(len(bb.chunk.data)))
	bb.block, bb.cell = -1, -1
	s.next, s.err = s.from, nil
	bb.passed = s.from
	for bb.addNearby(); s.next < end; bb.addNearby() {
		rec, err := bb.chunk.readEventHeader(s.next)
		if err != nil {
			s.err = err
			break
		}
		bb.enter(int(rec.Offset/cellSize), rec.Offset)
		if rec.IsEvent() {
			bb.add(&rec)
			bb.events++
		}
		s.next = rec.End()
	}
	bb.chunk.passAll(bb.passed, s.next)
	if bb.block >= 0 {
		bb.closeBlock()
	}
	first := bb.block + 1
	if bb.block < 0 {
		first = blocksIn(s.start)
	}
	bb.addEmpty(first, blocksIn(s.limit))
}

// addNearby steps over a gap and adds the usual events after it.
func (bb *blockBuilder) addNearby() {
	bb.sector.next = bb.chunk.afterGap(bb.sector.next)
	bb.addUsual()
	bb.sector.next = bb.chunk.afterGap(bb.sector.next)
}

// enter takes note of where the first event of a cell begins.
func (bb *blockBuilder) enter(cell int, offset uint64) {
	if cell == bb.cell {
		return
	}
	bb.cell = cell
	if block := cell / blockCells; block != bb.block {
		if bb.block >= 0 {
			bb.closeBlock()
			bb.addEmpty(bb.block+1, block)
		} else {
			bb.addEmpty(blocksIn(bb.sector.start), block)
		}
		bb.openBlock(block)
	}
	if b := bb.blocks; b.first[cell] == emptyCell {
		b.first[cell] = uint16(offset % cellSize)
		b.nth[cell] = uint16(bb.events - bb.since)
	}
}

// openBlock begins a block, or goes on with a block that has events already.
func (bb *blockBuilder) openBlock(block int) {
	b := bb.blocks
	bb.passed = bb.chunk.Pass(bb.passed, uint64(block)*BlockSize)
	bb.block, bb.since = block, bb.events
	if offset, _ := b.Begin(block); offset < uint64(block+1)*BlockSize {
		bb.since = b.ordinals[block]
	}
	b.ordinals[block] = bb.since
	bb.types0, bb.types1, bb.threads = b.types[2*block], b.types[2*block+1], b.threads[block]
	bb.least, bb.greatest = b.least[block], b.greatest[block]
}

func (bb *blockBuilder) closeBlock() {
	b := bb.blocks
	b.types[2*bb.block], b.types[2*bb.block+1], b.threads[bb.block] = bb.types0, bb.types1, bb.threads
	b.least[bb.block], b.greatest[bb.block] = bb.least, bb.greatest
}

// addEmpty takes note that no event begins in the blocks from first up to end.
func (bb *blockBuilder) addEmpty(first, end int) {
	for block := first; block < end; block++ {
		wire.Step()
		bb.blocks.ordinals[block] = bb.events
	}
}

// add adds an event to the open block. Fields that do not lie inside the event are ignored
// here: the reader of the event reports them.
func (bb *blockBuilder) add(rec *EventHeader) {
	var ordinal int
	ok := false
	if bb.types != nil {
		ordinal, ok = bb.types.Ordinal(rec.Type)
	}
	if !ok || !bb.types.Types[ordinal].IsEvent() {
		// No filter can select it. All bits of the block are set, so that the block is always
		// read: older metadata may describe the type, and if not, the reader reports an error.
		bb.types0, bb.types1, bb.threads = math.MaxUint64, math.MaxUint64, math.MaxUint64
		bb.least, bb.greatest = math.MinInt64, math.MaxInt64
		addCount(&bb.others, rec.Type, EventCount{1, uint64(rec.Size)})
		return
	}
	bb.of[ordinal].add(rec.Offset, uint64(rec.Size), bb.maxOffsets)
	keys := &bb.keys[ordinal]
	bb.types0 |= keys.Types[0]
	bb.types1 |= keys.Types[1]
	plan, err := keys.Type.Plan()
	if err != nil {
		return
	}
	if ticks, ok := bb.chunk.longAt(plan, rec, keys.Time); ok {
		bb.least, bb.greatest = min(bb.least, ticks), max(bb.greatest, ticks)
	}
	if thread, ok := bb.chunk.longAt(plan, rec, keys.Thread); ok {
		bb.threads |= threadBit(thread)
	}
}

// join adds what a builder has found, in the order of the sectors. The numbers of events of a
// relative builder begin with 0.
func (b *Blocks) join(bb *blockBuilder, relative bool) {
	if relative {
		for block := int(bb.sector.start / BlockSize); block < blocksIn(bb.sector.limit); block++ {
			b.ordinals[block] += b.events
		}
		bb.events += b.events
	}
	b.events, b.end, b.err = bb.events, bb.sector.next, bb.sector.err
	for ordinal := range bb.of {
		wire.Step()
		more := &bb.of[ordinal]
		if more.Events == 0 {
			continue
		}
		if b.of[ordinal] == nil {
			b.of[ordinal] = &typeEvents{}
		}
		of := b.of[ordinal]
		of.Add(more.EventCount)
		if of.many = of.many || more.many || len(of.at)+len(more.at) > bb.maxOffsets; of.many {
			of.at = nil
			continue
		}
		of.at = append(of.at, more.at...)
	}
	for id, n := range bb.others {
		addCount(&b.others, id, n)
	}
}

// clear empties the blocks between two offsets of the chunk. events is the number of events
// before them.
func (b *Blocks) clear(from, to, events uint64) {
	for block := blocksIn(from); block < blocksIn(to); block++ {
		for cell := block * blockCells; cell < (block+1)*blockCells; cell++ {
			wire.Step()
			b.first[cell], b.nth[cell] = emptyCell, 0
		}
		b.ordinals[block], b.threads[block] = events, 0
		b.types[2*block], b.types[2*block+1] = 0, 0
		b.least[block], b.greatest[block] = math.MaxInt64, math.MinInt64
	}
}

// usualRoom is how many bytes of an event, from its beginning on, are looked at to find its
// time and thread.
const usualRoom = 6 + schema.NearSlots*wire.MaxVarintLen + wire.WordLen

// addUsual adds events, up to the first one whose header has not one of the usual forms, or whose
// time and thread are not near its beginning. It has the same effect as enter and add. All values
// that matter are at hand in one loop, so the processor begins with the next event before the last
// ones are done. That is twice as fast as reading headers first and the fields after them.
func (bb *blockBuilder) addUsual() {
	if bb.types == nil || bb.types.IntEncoding != wire.Compressed {
		return
	}
	s, data, ordinals, keys, typeEvents := bb.sector, bb.chunk.data, bb.types.DenseOrdinals(), bb.keys, bb.of
	pos := s.next
	end := min(s.limit, uint64(max(len(data)-usualRoom, 0)), bb.chunk.nextGap(pos))
	events, types0, types1, threads, least, greatest := bb.events, bb.types0, bb.types1, bb.threads, bb.least, bb.greatest
	for pos < end {
		w := wire.Word(data, int(pos))
		size, typ, head := wire.ShortEventHeader(w)
		if size == 0 {
			size, typ, head = wire.EventHeader(w)
		}
		next := pos + uint64(size)
		if head == 0 || next > uint64(len(data)) || typ <= uint32(schema.CheckpointID) || int(typ) >= len(ordinals) {
			break
		}
		ordinal := uint(ordinals[typ]) - 1
		if ordinal >= uint(len(keys)) || ordinal >= uint(len(typeEvents)) || !keys[ordinal].Near {
			break
		}
		m, of := &keys[ordinal], &typeEvents[ordinal]
		at := int(pos) + head
		for range m.Time {
			at += wire.VarintWordLen(wire.Word(data, at))
		}
		ticks, n := wire.VarintWord(wire.Word(data, at))
		if n == 0 {
			break
		}
		at += n
		thread := uint64(0)
		if m.Thread >= 0 {
			for range m.Thread - m.Time - 1 {
				at += wire.VarintWordLen(wire.Word(data, at))
			}
			w := wire.Word(data, at)
			key, n := w&0x7f, 1
			if w&0x80 != 0 {
				if key, n = wire.VarintWord(w); n == 0 {
					break
				}
			}
			at += n
			thread = threadBit(int64(key))
		}
		if uint64(at) > next {
			break
		}
		if cell := int(pos / cellSize); cell != bb.cell {
			bb.events, bb.types0, bb.types1, bb.threads, bb.least, bb.greatest = events, types0, types1, threads, least, greatest
			bb.enter(cell, pos)
			types0, types1, threads, least, greatest = bb.types0, bb.types1, bb.threads, bb.least, bb.greatest
		}
		threads |= thread
		least, greatest = min(least, int64(ticks)), max(greatest, int64(ticks))
		types0 |= m.Types[0]
		types1 |= m.Types[1]
		of.Events++
		of.Bytes += uint64(size)
		if !of.many {
			of.addOffset(pos, bb.maxOffsets)
		}
		events++
		pos = next
	}
	s.next = pos
	bb.events, bb.types0, bb.types1, bb.threads, bb.least, bb.greatest = events, types0, types1, threads, least, greatest
}
