package constants

import "sync/atomic"

// marks are places in a chunk that have been marked: a bit for each byte, in pages that
// are made when one of their bits is set. So they take an eighth of what the pools do,
// whose constants are marked, and next to nothing elsewhere. Several goroutines may mark
// at once.
type marks struct {
	pages []atomic.Pointer[page]
}

const pageBits = 16

type page [1 << pageBits / 64]atomic.Uint64

func newMarks(size int) *marks { return &marks{make([]atomic.Pointer[page], size>>pageBits+1)} }

// set marks a place, and tells whether it was not marked before.
func (m *marks) set(at uint64) bool {
	slot := &m.pages[at>>pageBits]
	p := slot.Load()
	if p == nil {
		slot.CompareAndSwap(nil, new(page))
		p = slot.Load()
	}
	word, bit := &p[at&(1<<pageBits-1)/64], uint64(1)<<(at%64)
	return word.Load()&bit == 0 && word.Or(bit)&bit == 0
}

// has tells whether a place is marked.
func (m *marks) has(at uint64) bool {
	p := m.pages[at>>pageBits].Load()
	return p != nil && p[at&(1<<pageBits-1)/64].Load()>>(at%64)&1 == 1
}
