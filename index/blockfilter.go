package index

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// BlockFilter selects blocks by the types, threads and times of their events. The zero
// BlockFilter selects all blocks with events.
type BlockFilter struct {
	// types and threads are sets of bits, as in Blocks; empty for all.
	types   [2]uint64
	threads uint64
	// from and to are the first and the last tick.
	from, to int64
	timed    bool
}

// SetTypes selects events of some types alone, given by ordinal.
func (f *BlockFilter) SetTypes(t *schema.TypeSet, wanted []bool) {
	f.types = [2]uint64{}
	keys := t.BlockKeys()
	for ordinal, ok := range wanted {
		wire.Step()
		if ok && ordinal < len(keys) {
			f.types[0] |= keys[ordinal].Types[0]
			f.types[1] |= keys[ordinal].Types[1]
		}
	}
}

// SetTicks selects events that began between two ticks, these included.
func (f *BlockFilter) SetTicks(from, to int64) { f.from, f.to, f.timed = from, to, true }

// AddThread selects events of that thread, besides those of threads added before.
func (f *BlockFilter) AddThread(key int64) { f.threads |= threadBit(key) }

// Next returns the first block, from a block on, that may hold events that the filter selects;
// [Blocks.Len] if there is no such block. Blocks without events are never selected.
func (b *Blocks) Next(f *BlockFilter, block int) int {
	for ; block < len(b.ordinals); block++ {
		wire.Step()
		types := [2]uint64{b.types[2*block], b.types[2*block+1]}
		if f.types != [2]uint64{} {
			types[0] &= f.types[0]
			types[1] &= f.types[1]
		}
		switch {
		case types == [2]uint64{}:
		case f.threads != 0 && f.threads&b.threads[block] == 0:
		case f.timed && (b.least[block] > f.to || b.greatest[block] < f.from):
		default:
			return block
		}
	}
	return block
}

// threadBit returns the bit of a thread in a set of threads. Threads share bits.
//
//gccheck:inline
func threadBit(key int64) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }
