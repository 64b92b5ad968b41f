package index

import (
	"math/rand/v2"

	"github.com/mmapjfr/jfr/internal/wire"
)

// table finds where the constants of one type lie: by position where keys are
// dense, by open addressing where they are not. Its columns hold no pointers.
type table struct {
	// base is the key of the first entry of a dense table.
	base uint64
	// keys are the keys of a hashed table; nil if the table is dense.
	keys []uint64
	// low holds the lower four bytes of each constant's offset in the chunk. A
	// constant never lies at 0, so 0 is no entry.
	low []uint32
	// high holds the fifth bytes; nil in chunks of less than 4 GiB.
	high []uint8
	// shift leaves as many bits of a hash as a hashed table has places.
	shift uint8
	n     int
}

// A dense table may have this many entries for each one in use, and some more.
const (
	denseWaste = 4
	denseSlack = 64
)

// found is the key of a constant, and where the sweep has found it.
type found struct {
	key, offset uint64
}

func (t *table) hashed() bool { return t.keys != nil }

// lookup returns where the constant with that key lies in the chunk.
func (t *table) lookup(key uint64) (offset uint64, ok bool) {
	var i uint64
	if t.keys == nil {
		i = key - t.base
		if i >= uint64(len(t.low)) {
			return 0, false
		}
	} else {
		i = t.slot(key)
	}
	offset = t.at(i)
	return offset, offset != 0
}

func (t *table) at(i uint64) uint64 {
	offset := uint64(t.low[i])
	if t.high != nil {
		offset |= uint64(t.high[i]) << 32
	}
	return offset
}

// slot returns the position of the key in a hashed table, or of the free place where it belongs.
func (t *table) slot(key uint64) uint64 {
	mask := uint64(len(t.keys) - 1)
	i := spread(key) >> t.shift
	for t.at(i) != 0 && t.keys[i] != key { // there is always a free place
		wire.Step()
		i = (i + 1) & mask
	}
	return i
}

func (t *table) put(i, offset uint64) {
	t.low[i] = uint32(offset)
	if high := uint8(offset >> 32); high != 0 {
		if t.high == nil {
			t.high = make([]uint8, len(t.low))
		}
		t.high[i] = high
	}
}

// add enters constants, except those whose key is in the table already: the first constant
// with a key counts.
func (t *table) add(batch []found) {
	if len(batch) == 0 {
		return
	}
	if t.n == 0 {
		t.make(batch)
	}
	for _, f := range batch {
		wire.Step()
		for !t.hashed() && !t.reach(f.key) || t.hashed() && 4*(t.n+1) > 3*len(t.keys) {
			t.rehash()
		}
		t.insert(f)
	}
}

// insert enters a constant for which there is room, unless its key is in the table.
func (t *table) insert(f found) {
	i := f.key - t.base
	if t.hashed() {
		i = t.slot(f.key)
	}
	if t.at(i) != 0 {
		return
	}
	if t.hashed() {
		t.keys[i] = f.key
	}
	t.put(i, f.offset)
	t.n++
}

// make makes a dense or a hashed table for the first constants.
func (t *table) make(batch []found) {
	if !t.makeDense(batch) {
		t.resize(len(batch))
	}
}

// makeDense makes a dense table, without entries, for constants. It reports false if too many
// places would stay free.
func (t *table) makeDense(batch []found) bool {
	least, greatest := batch[0].key, batch[0].key
	for _, f := range batch {
		least, greatest = min(least, f.key), max(greatest, f.key)
	}
	span := greatest - least
	if span >= denseRoom(len(batch)) {
		return false
	}
	t.base = least
	t.low = make([]uint32, span+1)
	return true
}

func denseRoom(n int) uint64 { return denseWaste*uint64(n) + denseSlack }

// reach makes a dense table long enough for key. It reports false if too many places would
// stay free.
func (t *table) reach(key uint64) bool {
	i := key - t.base
	if i < uint64(len(t.low)) {
		return true
	}
	if key < t.base || i >= denseRoom(t.n+1) {
		return false
	}
	for uint64(len(t.low)) <= i {
		wire.Step()
		t.low = append(t.low, 0)
		if t.high != nil {
			t.high = append(t.high, 0)
		}
	}
	return true
}

// rehash makes the table a hashed one with room for twice its entries, or a dense one if it was
// hashed and its keys are dense by now.
func (t *table) rehash() {
	old := *t
	*t = table{}
	list := make([]found, 0, old.n)
	for key, offset := range old.all {
		list = append(list, found{key, offset})
	}
	if !old.hashed() || !t.makeDense(list) {
		t.resize(2 * max(old.n, 8))
	}
	for _, f := range list {
		t.insert(f)
	}
}

// resize makes an empty hashed table for n entries.
func (t *table) resize(n int) {
	size, shift := 16, uint8(60)
	for 3*size < 4*(n+1) {
		size, shift = 2*size, shift-1
	}
	t.keys, t.low = make([]uint64, size), make([]uint32, size)
	t.shift = shift
}

// all calls f with every key and the offset of its constant.
func (t *table) all(f func(key, offset uint64) bool) {
	for i := range uint64(len(t.low)) {
		wire.Step()
		offset := t.at(i)
		if offset == 0 {
			continue
		}
		key := t.base + i
		if t.keys != nil {
			key = t.keys[i]
		}
		if !f(key, offset) {
			return
		}
	}
}

// bytes returns how much memory the columns take.
func (t *table) bytes() int {
	return 8*cap(t.keys) + 4*cap(t.low) + cap(t.high)
}

// multiplier spreads keys over tables. It differs from process to process, so that nobody can
// write a recording whose keys all belong in one place.
var multiplier = rand.Uint64() | 1

// spread returns a number whose upper bits depend on all bits of key.
func spread(key uint64) uint64 {
	key ^= key >> 32
	return key * multiplier
}
