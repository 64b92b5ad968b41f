package mmapjfr

import "testing"

// SetSmallIndex sets up to which size saved indexes are read into memory, until
// the test ends.
func SetSmallIndex(t testing.TB, size int64) {
	before := smallIndex
	smallIndex = size
	t.Cleanup(func() { smallIndex = before })
}

// KeepAllIndexes makes the library keep indexes of recordings that are small or new, until the
// test ends.
func KeepAllIndexes(t testing.TB) {
	least, rest := leastKept, restTime
	leastKept, restTime = 0, 0
	t.Cleanup(func() { leastKept, restTime = least, rest })
}

// SetMostKept sets how large an index can get, until the test ends.
func SetMostKept(t testing.TB, size int64) {
	before := mostKept
	mostKept = size
	t.Cleanup(func() { mostKept = before })
}

// SavedMapped reports whether a saved index is mapped.
func (r *Recording) SavedMapped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved.IsMapped()
}

// SavedData returns the bytes of the saved index; none after Close.
func (r *Recording) SavedData() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved.Data()
}
