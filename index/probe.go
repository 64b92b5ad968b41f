package index

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// BlockSize is how many bytes of a chunk a block covers.
const BlockSize = blockSize

// BlockFilter says which events are looked for. The zero Probe looks for all.
type BlockFilter struct {
	// types and threads are sets of bits, as blocks have them; empty for all.
	types   [2]uint64
	threads uint64
	// from and to are the first and the last tick.
	from, to int64
	timed    bool
}

// SetTypes looks for events of those classes alone, given by ordinal.
func (p *BlockFilter) SetTypes(t *schema.TypeSet, wanted []bool) {
	p.types = [2]uint64{}
	keys := t.BlockKeys()
	for ordinal, ok := range wanted {
		wire.Step()
		if ok && ordinal < len(keys) {
			p.types[0] |= keys[ordinal].Types[0]
			p.types[1] |= keys[ordinal].Types[1]
		}
	}
}

// SetTicks looks for events alone that begin at one of these ticks.
func (p *BlockFilter) SetTicks(from, to int64) { p.from, p.to, p.timed = from, to, true }

// AddThread looks for events of that thread, and of others it has been called with.
func (p *BlockFilter) AddThread(key int64) { p.threads |= threadBit(key) }

// Next returns the first block, from that one on, which may hold events that
// are looked for; [Blocks.Len] if none does.
func (b *Blocks) Next(p *BlockFilter, block int) int {
	for ; block < len(b.ordinals); block++ {
		wire.Step()
		types := [2]uint64{b.types[2*block], b.types[2*block+1]}
		if p.types != [2]uint64{} {
			types[0] &= p.types[0]
			types[1] &= p.types[1]
		}
		switch {
		case types == [2]uint64{}: // also where no event begins at all
		case p.threads != 0 && p.threads&b.threads[block] == 0:
		case p.timed && (b.least[block] > p.to || b.greatest[block] < p.from):
		default:
			return block
		}
	}
	return block
}

// Times returns the ticks at which the first and the last event of a block
// began; false if none of them says.
func (b *Blocks) Times(block int) (least, greatest int64, ok bool) {
	return b.least[block], b.greatest[block], b.least[block] <= b.greatest[block]
}

// Begin returns where the first frame of a block begins, and how many events of
// the chunk come before it. Where none begins, offset is the end of the block.
func (b *Blocks) Begin(block int) (offset, ordinal uint64) {
	for cell := block * blockCells; cell < (block+1)*blockCells; cell++ {
		if first := b.first[cell]; first != noFrame {
			return uint64(cell)*cellSize + uint64(first), b.ordinals[block]
		}
	}
	return uint64(block+1) * blockSize, b.ordinals[block]
}

// Offsets returns where each event of the class begins, in ascending order. It
// is false if there are too many of them, so that they are not kept one by one.
// The slice is the index's own.
func (b *Blocks) Offsets(class *schema.Type) (offsets []uint32, ok bool) {
	of := b.kept(class.Ordinal())
	if of == nil {
		return nil, true
	}
	return of.at, !of.many
}

// threadBit is the bit of a thread in a set of threads. Threads share bits.
//
//gccheck:inline
func threadBit(key int64) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }
