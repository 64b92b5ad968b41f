package index

import "testing"

// Table is the table of one class's constants, for tests.
type Table struct{ t table }

// Add enters constants as one batch of the sweep does: keys with their offsets.
func (t *Table) Add(keys, offsets []uint64) {
	batch := make([]found, len(keys))
	for i := range keys {
		batch[i] = found{keys[i], offsets[i]}
	}
	t.t.add(batch)
}

// Lookup returns the offset of a key.
func (t *Table) Lookup(key uint64) (offset uint64, ok bool) { return t.t.lookup(key) }

// All calls f with all that is in the table.
func (t *Table) All(f func(key, offset uint64) bool) { t.t.all(f) }

// Len returns how many entries are in use.
func (t *Table) Len() int { return t.t.n }

// Room returns how many entries there is room for.
func (t *Table) Room() int { return len(t.t.low) }

// High reports whether the table has the column of the upper bytes.
func (t *Table) High() bool { return t.t.high != nil }

// Bytes returns the memory of the columns.
func (t *Table) Bytes() int { return t.t.bytes() }

// Colliding returns n keys that a table of up to 2^16 entries all wants to put
// into its first place.
func Colliding(n int) []uint64 {
	inverse := multiplier // Newton's method: each step doubles the bits that are right
	for range 6 {
		inverse *= 2 - multiplier*inverse
	}
	keys := make([]uint64, n)
	for i := range keys {
		key := uint64(i+1) * inverse // whose hash is i+1
		keys[i] = key ^ key>>32
	}
	return keys
}

// SetKept sets how many bytes an index may keep, and of how many chunks it keeps
// all, for the length of a test.
func SetKept(t testing.TB, bytes, chunks int) {
	least, share, cacheEntry := minCacheBytes, cacheShare, minCacheEntries
	minCacheBytes, cacheShare, minCacheEntries = bytes, 1<<30, chunks
	t.Cleanup(func() { minCacheBytes, cacheShare, minCacheEntries = least, share, cacheEntry })
}

// SetFoldAfter makes walks fold their tallies after fewer bytes, for the length of a test.
func SetFoldAfter(t testing.TB, bytes uint64) {
	before := foldAfter
	foldAfter = bytes
	t.Cleanup(func() { foldAfter = before })
}
