package mmapjfr

import (
	"io"
	"testing"
)

// SetSmallIndex sets up to which size saved indexes are read into memory, until
// the test ends.
func SetSmallIndex(t testing.TB, size int64) {
	before := smallIndex
	smallIndex = size
	t.Cleanup(func() { smallIndex = before })
}

// SavedMapped reports whether a saved index is mapped.
func (r *Recording) SavedMapped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved.IsMapped()
}

// WriteIndex writes a file as saved indexes are written.
func (r *Recording) WriteIndex(path string, fill func(io.Writer) error) error {
	return r.writeIndex(path, fill)
}

// SavedData returns the bytes of the saved index; none after Close.
func (r *Recording) SavedData() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved.Data()
}
