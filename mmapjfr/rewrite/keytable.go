package rewrite

import "math/bits"

// keyTable maps the keys of constants in a chunk to those in its copy. The zero keyTable is empty. It is an open
// hash table: there is a lookup for each reference of each event.
type keyTable struct {
	keys, values []int64
	used         int
	hasZero      bool // key 0, which marks empty places, is kept apart
	zero         int64
}

// get returns the new key.
func (t *keyTable) get(key int64) (value int64, ok bool) {
	if key == 0 {
		return t.zero, t.hasZero
	}
	if len(t.keys) == 0 {
		return 0, false
	}
	for i := t.place(key); ; i = (i + 1) & (len(t.keys) - 1) {
		switch t.keys[i] {
		case key:
			return t.values[i], true
		case 0:
			return 0, false
		}
	}
}

// set sets the new key.
func (t *keyTable) set(key, value int64) {
	if key == 0 {
		t.zero, t.hasZero = value, true
		return
	}
	if 2*(t.used+1) > len(t.keys) {
		t.grow()
	}
	i := t.place(key)
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	if t.keys[i] == 0 {
		t.used++
	}
	t.keys[i], t.values[i] = key, value
}

func (t *keyTable) grow() {
	keys, values := t.keys, t.values
	n := max(16, 2*len(keys))
	t.keys, t.values, t.used = make([]int64, n), make([]int64, n), 0
	for i, key := range keys {
		if key != 0 {
			t.set(key, values[i])
		}
	}
}

// reset empties the table and keeps its memory.
func (t *keyTable) reset() {
	clear(t.keys)
	t.used, t.hasZero = 0, false
}

// place returns where a key is looked for first.
func (t *keyTable) place(key int64) int {
	return int(uint64(key) * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(t.keys)))))
}
