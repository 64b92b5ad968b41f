package index

import (
	"io"
	"math"
	"testing"
)

// What tests know of the layout of a saved index.
const (
	SavedHeaderLen  = savedHeaderLen
	SavedEntryLen   = savedEntryLen
	SavedTrailerLen = savedTrailerLen
	SampleAll       = sampleAll
	SampleSize      = sampleSize
)

// SetMultiplier makes tables as another process would, until the test ends.
func SetMultiplier(t testing.TB, m uint64) {
	before := multiplier
	multiplier = m | 1
	t.Cleanup(func() { multiplier = before })
}

// FixSums makes all checksums of a saved index right, as far as it has any.
func FixSums(saved []byte) {
	size := uint64(len(saved))
	if size < savedHeaderLen+savedTrailerLen {
		return
	}
	tail := saved[size-savedTrailerLen:]
	trailer, header := fixed[savedTrailer](tail), fixed[savedHeader](saved)
	end, chunks := trailer.Directory, uint64(header.Chunks)
	if end > size-savedTrailerLen || chunks > (size-savedTrailerLen-end)/savedEntryLen {
		return
	}
	f := savedFile{data: saved, directory: saved[end : size-savedTrailerLen], end: end}
	for i := range int(chunks) {
		e := f.entry(i)
		if b, ok := f.section(e.Blocks); ok {
			e.BlocksSum = checksum(b)
		}
		if b, ok := f.section(e.Constants); ok {
			e.ConstantsSum = checksum(b)
		}
		copy(f.directory[i*savedEntryLen:], appendFixed(nil, e))
	}
	le.PutUint32(tail[16:], checksum(saved[:savedHeaderLen], f.directory, tail[:16]))
}

// Save writes an index of all chunks that are whole, found anew.
func (x *Index) Save(w io.Writer, s FileStamp) error {
	fresh, err := New(x.data)
	if err != nil {
		return err
	}
	whole, err := New(x.data)
	if err != nil {
		return err
	}
	if err := fresh.Keep(s, 0, func() (io.Writer, error) { return w, nil }); err != nil {
		return err
	}
	for i, c := range whole.chunks {
		if k, err := c.Constants(); err == nil && k.err == nil && c.Blocks().err == nil {
			fresh.chunks[i].Blocks()
			_, _ = fresh.chunks[i].Constants()
		}
	}
	if k := fresh.indexWriter; k.create != nil { // no chunk is whole
		k.create, k.w = nil, w
		_, k.err = w.Write(k.held)
	}
	_, err = fresh.Finish()
	return err
}

// CheckSaved returns why the chunk's part of a saved index cannot be used; nil if it can, or if
// there is no such part. It checks what has not been used yet, as its use would.
func (c *Chunk) CheckSaved() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.saved
	if s == nil {
		return nil
	}
	err := s.err
	if err == nil && s.blocks != nil {
		_, err = c.loadBlocks()
	}
	if err == nil && s.constants != nil {
		_, err = c.loadConstants()
	}
	return err
}

// Pending reports whether the chunk has parts of a saved index that have not been looked at.
func (c *Chunk) Pending() bool {
	return c.saved != nil && (c.saved.blocks != nil || c.saved.constants != nil)
}

// Sealed returns the bytes of the table as it is saved, and the table that they are loaded as.
func (t *Table) Sealed() ([]byte, *Table) {
	b, loaded := t.t.appendColumns(nil), new(Table)
	if !loaded.t.load(t.t.row(0), &section{b: b}, math.MaxUint64) {
		panic("a saved table cannot be loaded")
	}
	return b, loaded
}

// Columns returns the first byte of each column, to see where it lies.
func (b *Blocks) Columns() (list []any) {
	return []any{&b.first[0], &b.nth[0], &b.ordinals[0], &b.least[0], &b.greatest[0], &b.types[0], &b.threads[0]}
}

// Longest returns how many places are looked at, at most, for a key of that type that is there.
func (k *Constants) Longest(name string) (longest uint64) {
	t := k.table(k.Named(name))
	for key := range t.all {
		from := spread(key) >> t.shift
		longest = max(longest, (t.slot(key)-from)&uint64(len(t.keys)-1)+1)
	}
	return longest
}
