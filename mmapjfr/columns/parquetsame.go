package columns

import (
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// samePages are the pages of columns that one constant makes, such as the name and the number of a thread. Where two
// constants differ in one column if and only if they do in another one, the positions in the dictionaries are the same,
// and so are the pages.
type samePages struct {
	refs []int32 // of the rows, to tell the constants of one field from those of another
	sets []pageSet
	n    int // how many of the sets are in use
}

// pageSet is the pages of a column.
type pageSet struct {
	ofConstant []int32
	pages      []writtenPage
	bytes      []byte
}

// writtenPage is a page with the numbers of bytes that it has: as it is in the file, and unpacked.
type writtenPage struct {
	page
	size, unpacked int
}

// forget begins another row group.
func (s *samePages) forget() { s.refs, s.n = nil, 0 }

// find returns the pages for constants that have these positions in the dictionary, nil if there are none yet: then
// note has them.
func (s *samePages) find(refs, ofConstant []int32) (known, note *pageSet) {
	if len(refs) == 0 {
		return nil, nil
	}
	if len(s.refs) != len(refs) || &s.refs[0] != &refs[0] {
		s.refs, s.n = refs, 0
	}
	for i := range s.sets[:s.n] {
		if set := &s.sets[i]; slices.Equal(set.ofConstant, ofConstant) {
			return set, nil
		}
	}
	if s.n == len(s.sets) {
		s.sets = append(s.sets, pageSet{})
	}
	note = &s.sets[s.n]
	s.n++
	note.ofConstant, note.pages, note.bytes = append(note.ofConstant[:0], ofConstant...), note.pages[:0], note.bytes[:0]
	return nil, note
}

// writeAgain writes pages that another column has, too.
func (c *columnWriter) writeAgain(set *pageSet) {
	bytes := set.bytes
	for i := range set.pages {
		p := &set.pages[i]
		c.meta.TotalUncompressedSize += int64(p.unpacked)
		c.meta.TotalCompressedSize += int64(p.size)
		at := c.offset
		c.write(bytes[:p.size])
		bytes = bytes[p.size:]
		c.written(&p.page, at)
	}
}

// written notes a page that is in the file from an offset on.
func (c *columnWriter) written(p *page, at int64) {
	if c.meta.DataPageOffset < 0 {
		c.meta.DataPageOffset = at
	}
	c.meta.NumValues += int64(p.levels)
	c.nulls += int64(p.levels - p.values)
	c.places.PageLocations = append(c.places.PageLocations, format.PageLocation{Offset: at, CompressedPageSize: int32(c.offset - at), FirstRowIndex: int64(p.row)})
	c.bound(p)
}
