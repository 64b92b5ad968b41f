package index

import (
	"crypto/sha256"
	"slices"
)

// sealed returns the table as it is saved: its bytes depend on its entries alone, and not on the
// process or on the order in which the entries were added.
//
// So the multiplier of a hashed table cannot be that of the process. It is made from a digest of
// all keys. To make all keys of a recording belong in one place, an attacker would have to find
// keys whose own digest does so.
func (t *table) sealed() table {
	first, last, least, greatest := t.bounds()
	if greatest-least < denseRoom(t.n) && !t.hashed() {
		s := table{base: least, low: t.low[first : last+1], n: t.n}
		if t.high != nil {
			s.high = t.high[first : last+1]
		}
		return s
	}
	list := make([]found, 0, t.n)
	t.all(func(key, offset uint64) bool {
		list = append(list, found{key, offset})
		return true
	})
	slices.SortFunc(list, func(a, b found) int {
		if a.key < b.key {
			return -1
		}
		return 1 // all keys differ
	})
	var s table
	if greatest-least < denseRoom(t.n) {
		s.base, s.low = least, make([]uint32, greatest-least+1)
	} else {
		digest := sha256.New()
		var key [8]byte
		for _, f := range list {
			le.PutUint64(key[:], f.key)
			digest.Write(key[:])
		}
		s.resize(len(list), le.Uint64(digest.Sum(nil))|1)
	}
	for _, f := range list {
		i := f.key - s.base
		if s.hashed() {
			i = s.slot(f.key)
			s.keys[i] = f.key
		}
		s.put(i, f.offset)
	}
	s.n = len(list)
	return s
}

// bounds returns the first and the last place that is in use, and the least and
// the greatest key. There must be an entry.
func (t *table) bounds() (first, last int, least, greatest uint64) {
	first, least = -1, ^uint64(0)
	for i := range t.low {
		if t.at(uint64(i)) == 0 {
			continue
		}
		key := t.base + uint64(i)
		if t.hashed() {
			key = t.keys[i]
		}
		if first < 0 {
			first = i
		}
		last, least, greatest = i, min(least, key), max(greatest, key)
	}
	return first, last, least, greatest
}

// flags returns the flags of the saved table.
func (t *table) flags() (flags uint64) {
	if t.hashed() {
		flags |= flagHashed
	}
	if t.high != nil {
		flags |= flagHigh
	}
	return flags
}
