package mmapjfr

import (
	"errors"
	"testing"

	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/stringtable"
)

var IsStandard = isStandard

// Mapped reports whether the recording's bytes are a memory map.
func (r *Recording) Mapped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mapping.IsMapped()
}

// Traps reports whether accessors must be ready for faults.
func (r *Recording) Traps() bool { return r.chunks[0].mayFault() }

// Data returns the bytes of the recording; none after Close.
func (r *Recording) Data() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mapping.Data()
}

// Kept returns how many bytes are kept of the chunk for what is to come.
func (r *ChunkStream) Kept() int { return len(r.buffer.retained) }

// Layouts returns how many sets of types there are layouts of.
func (l *GrowingChunk) Layouts() int { return len(l.rec.pathCache) }

// Held returns how many bytes the chunk and what is kept of it may take.
func (r *ChunkStream) Held() int {
	return cap(r.buffer.retained) + cap(r.buffer.flush) + cap(r.events.Event)
}

// SetPartSize sets how many bytes workers take at a time, until the test ends.
func SetPartSize(t testing.TB, size uint64) {
	before := partSize
	partSize = size
	t.Cleanup(func() { partSize = before })
}

// GrowTo makes the chunk one of these bytes, with newer metadata in their middle, as another
// map would. It gives back what was mapped before.
func (f *ChunkFollower) GrowTo(data []byte) error {
	m := mapfile.New(data, func() error { return nil })
	h := f.header
	h.Metadata = uint64(len(data) / 2)
	err := f.grow(h, m, f.bytesRead, uint64(f.offset))
	return errors.Join(err, f.mapped.Close())
}

// SetMaxTexts sets how many bytes each half of a string table holds, until the test ends.
func SetMaxTexts(t testing.TB, bytes int) {
	before := stringtable.MaxBytes
	stringtable.MaxBytes = bytes
	t.Cleanup(func() { stringtable.MaxBytes = before })
}

// Kept returns how many bytes the texts take that are kept.
func (st *StringTable) Kept() int { return st.table.Size() }
