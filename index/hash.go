package index

import "math/rand/v2"

// multiplier spreads keys over tables. It differs from process to process, so
// that nobody can write a recording whose keys all meet in one place. Tables that
// are saved have one of their own, see [table.sealed].
var multiplier = rand.Uint64() | 1

// hash returns a number whose upper bits depend on all bits of key.
func hash(key uint64) uint64 { return spread(key, multiplier) }

// spread is hash with another multiplier, which must be odd.
func spread(key, multiplier uint64) uint64 {
	key ^= key >> 32
	return key * multiplier
}
