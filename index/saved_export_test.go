package index

import "testing"

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

// Sections returns where the sections of a chunk lie in a saved index.
func Sections(saved []byte, chunk int) (blocks, constants []byte) {
	f, err := readSaved(saved)
	if err != nil {
		panic(err)
	}
	e := f.entry(chunk)
	blocks, _ = f.section(e.Blocks)
	constants, _ = f.section(e.Constants)
	return blocks, constants
}

// Pending reports whether the chunk has parts of a saved index that have not been
// looked at.
func (c *Chunk) Pending() bool {
	return c.saved != nil && (c.saved.blocks != nil || c.saved.constants != nil)
}

// Sealed returns the table as it is saved.
func (t *Table) Sealed() *Table { return &Table{t.t.sealed()} }

// Longest returns how many places are looked at, at most, for a key that is there.
func (t *Table) Longest() (longest uint64) {
	t.t.all(func(key, _ uint64) bool {
		from := spread(key, t.t.multiplier) >> t.t.shift
		longest = max(longest, (t.t.slot(key)-from)&uint64(len(t.t.keys)-1)+1)
		return true
	})
	return longest
}

// Columns returns the first byte of each column, to see where it lies.
func (b *Blocks) Columns() (list []any) {
	return []any{&b.first[0], &b.nth[0], &b.ordinals[0], &b.least[0], &b.greatest[0], &b.types[0], &b.threads[0]}
}
