package index

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/mmapjfr/jfr/internal/index/schema"
)

// Measures of blocks and guesses, for tests.
const (
	BlockCells = blockCells
	CellSize   = cellSize
	GuessRun   = guessRun
	GuessRange = guessRange
)

// SetSectorSize sets the size of sectors until the test ends. Tests that do so
// must not run beside others.
func SetSectorSize(t testing.TB, size uint64) {
	before := sectorSize
	sectorSize = size
	t.Cleanup(func() { sectorSize = before })
}

// WithSectorSize sets the size of sectors while do runs.
func WithSectorSize(size uint64, do func()) {
	before := sectorSize
	sectorSize = size
	do()
	sectorSize = before
}

// DefaultSectorSize is the size that sectors have.
var DefaultSectorSize = sectorSize

// BlockFacts is all that the columns say of a block.
type BlockFacts struct {
	Ordinal         uint64
	Least, Greatest int64
	Types           [2]uint64
	Threads         uint64
	// First is how far after the beginning of each cell the first frame begins,
	// -1 if none does, and Nth how many events of the block come before that.
	First, Nth [blockCells]int
}

// Facts returns all that the columns say of a block.
func (b *Blocks) Facts(block int) BlockFacts {
	f := BlockFacts{
		Ordinal: b.ordinals[block],
		Least:   b.least[block], Greatest: b.greatest[block],
		Types:   [2]uint64{b.types[2*block], b.types[2*block+1]},
		Threads: b.threads[block],
	}
	for i := range blockCells {
		cell := block*blockCells + i
		f.First[i], f.Nth[i] = int(b.first[cell]), int(b.nth[cell])
		if b.first[cell] == emptyCell {
			f.First[i] = -1
		}
	}
	return f
}

// Kept returns where the events of a class begin, if they have been kept, and
// whether there have been too many of them.
func (b *Blocks) Kept(class *schema.Type) (at []uint32, many bool) {
	if of := b.ofType(class.Ordinal()); of != nil {
		return of.at, of.many
	}
	return nil, false
}

// Diff tells in what blocks differ from others; "" if in nothing.
func (b *Blocks) Diff(other *Blocks) string {
	switch {
	case b.events != other.events:
		return fmt.Sprintf("%d events and %d", b.events, other.events)
	case b.end != other.end:
		return fmt.Sprintf("they end at %d and %d", b.end, other.end)
	case !reflect.DeepEqual(b.err, other.err):
		return fmt.Sprintf("%v and %v", b.err, other.err)
	case b.Len() != other.Len():
		return fmt.Sprintf("%d blocks and %d", b.Len(), other.Len())
	}
	for block := range b.ordinals {
		if one, two := b.Facts(block), other.Facts(block); one != two {
			return fmt.Sprintf("block %d of %d:\n%+v\n%+v", block, b.Len(), one, two)
		}
	}
	for ordinal := range max(len(b.of), len(other.of)) {
		one, two := b.ofType(ordinal), other.ofType(ordinal)
		if one == nil || two == nil {
			if one != two {
				return fmt.Sprintf("class %d: %+v and %+v", ordinal, one, two)
			}
			continue
		}
		if one.EventCount != two.EventCount || one.many != two.many || !slices.Equal(one.at, two.at) {
			return fmt.Sprintf("class %d: %+v and %+v", ordinal, *one, *two)
		}
	}
	if !reflect.DeepEqual(b.others, other.others) {
		return fmt.Sprintf("not described: %v and %v", b.others, other.others)
	}
	return ""
}

// Recut cuts the chunk as if it had not been cut before.
func (c *Chunk) Recut(workers int) *Blocks {
	c.blocks.Store(nil)
	return c.BuildBlocks(workers)
}

// Guess guesses where the first event from there on begins.
func (c *Chunk) Guess(at uint64) (begin uint64, ok bool) {
	types, _ := c.Types()
	return c.guess(types, at)
}

// Sector is where a sector begins and ends, before anybody walks through it.
type Sector struct{ From, Limit uint64 }

// Sectors returns the sectors of the chunk's events from there on.
func (c *Chunk) Sectors(from uint64) (list []Sector) {
	types, _ := c.Types()
	for _, s := range c.sectors(from, types) {
		list = append(list, Sector{s.from, s.limit})
	}
	return list
}

// ThreadBit is the bit of a thread.
func ThreadBit(key int64) uint64 { return threadBit(key) }
