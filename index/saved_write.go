package index

import (
	"cmp"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
)

// Save writes an index of the recording's blocks and constants, which [Index.Load] can read the
// next time. The stamp names the file and its state. Save finds what has not been read before, one
// chunk after the other; [Chunk.BuildBlocks] before it makes that faster.
//
// Save leaves out chunks that are not finished, and chunks with an error in events or checkpoints:
// they are read at every use, so that the errors are reported. Types are never saved.
//
// The same recording and stamp give the same bytes, whatever was done with the index before. Save
// needs memory for the largest chunk's part. Other goroutines may use the index meanwhile, but may
// not let it grow.
func (x *Index) Save(w io.Writer, s FileStamp) error {
	if s.Size != uint64(len(x.data)) {
		return unfit("the stamp says %d bytes, but the recording has %d", s.Size, len(x.data))
	}
	out := saver{w: w}
	header := savedHeader{Version: savedVersion, Chunks: uint32(len(x.chunks)), Stamp: s, BlockSize: BlockSize, CellSize: cellSize}
	copy(header.Magic[:], savedMagic)
	out.write(appendFixed(nil, header))
	headerSum := out.sum
	var directory, section []byte
	for _, c := range x.chunks {
		if out.err != nil {
			return out.err // the rest need not be read
		}
		e := savedEntry{Offset: c.offset, Size: uint64(len(c.data))}
		copy(e.Header[:], c.data)
		if types, b, k := c.savedContents(); b != nil {
			section = appendBlocks(section[:0], types, b)
			e.Blocks, e.BlocksSum = out.section(section)
			section = appendConstants(section[:0], k)
			e.Constants, e.ConstantsSum = out.section(section)
			e.Sample = c.sample()
		}
		directory = appendFixed(directory, e)
	}
	trailer := savedTrailer{Directory: out.at, Size: out.at + uint64(len(directory)) + savedTrailerLen}
	copy(trailer.End[:], savedEnd)
	out.sum = headerSum // the last checksum leaves out the sections
	out.write(directory)
	trailer.Sum = crc32.Update(out.sum, castagnoli, appendFixed(nil, trailer)[:16])
	out.write(appendFixed(nil, trailer))
	return out.err
}

// saver counts the bytes that it writes, computes their checksum, and stores the first error.
type saver struct {
	w   io.Writer
	at  uint64
	sum uint32
	err error
}

func (s *saver) write(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
	s.at += uint64(len(b))
	s.sum = crc32.Update(s.sum, castagnoli, b)
}

// section writes a section of a chunk, and returns where it lies and its checksum.
func (s *saver) section(b []byte) (savedRange, uint32) {
	at := savedRange{s.at, uint64(len(b))}
	s.write(b)
	return at, checksum(b)
}

// savedContents returns the blocks, the types that they were built with, and the constants, as
// they are saved. It returns nil if the chunk cannot be saved or has an error.
func (c *Chunk) savedContents() (*schema.TypeSet, *Blocks, *Constants) {
	if !c.savable() {
		return nil, nil, nil
	}
	b := c.Blocks()
	types, err := c.Types()
	if err != nil {
		return nil, nil, nil
	}
	c.mu.Lock()
	older := len(c.metadata) > 1
	c.mu.Unlock()
	if older {
		// Blocks that were built when older types were known say the same in other words.
		// The saved ones are those that a fresh index of the file would build.
		fresh := &Chunk{index: c.index, number: c.number, offset: c.offset, header: c.header, encoding: c.encoding, data: c.data}
		first, err := fresh.Types()
		if err != nil {
			return nil, nil, nil
		}
		if len(b.of) != len(first.Types) {
			types, b = first, fresh.Blocks()
		}
	}
	k, err := c.Constants()
	if err != nil || k.err != nil || b.err != nil {
		return nil, nil, nil
	}
	return types, b, k
}

// align adds zeros until the length is a multiple of eight.
func align(b []byte) []byte { return append(b, make([]byte, -len(b)&7)...) }

// appendBlocks writes the section of a chunk's blocks (SAVED.md, section 3).
func appendBlocks(dst []byte, types *schema.TypeSet, b *Blocks) []byte {
	// By the numbers of the types: ordinals mean nothing to another process.
	var ids []schema.TypeID
	of := make(map[schema.TypeID]*typeEvents)
	head := blocksHead{Events: b.events, Blocks: uint64(b.Len()), Others: uint64(len(b.others))}
	for ordinal, events := range b.of {
		if events != nil {
			id := types.Types[ordinal].ID
			ids, of[id] = append(ids, id), events
			head.Offsets += uint64(len(events.at))
		}
	}
	slices.Sort(ids)
	head.Types = uint64(len(ids))
	dst = appendFixed(dst, head)
	dst = appendFixed(dst, b.ordinals)
	dst = appendFixed(dst, b.least)
	dst = appendFixed(dst, b.greatest)
	dst = appendFixed(dst, b.types)
	dst = appendFixed(dst, b.threads)
	for _, id := range ids {
		t := savedType{ID: id, EventCount: of[id].EventCount, Offsets: uint32(len(of[id].at))}
		if of[id].many {
			t.Flags |= flagMany
		}
		dst = appendFixed(dst, t)
	}
	for _, id := range slices.Sorted(maps.Keys(b.others)) {
		dst = appendFixed(dst, savedOther{id, b.others[id]})
	}
	dst = appendFixed(dst, b.first)
	dst = appendFixed(dst, b.nth)
	for _, id := range ids {
		dst = appendFixed(dst, of[id].at)
	}
	return align(dst)
}

// appendConstants writes the section of a chunk's constants (SAVED.md, section 4).
func appendConstants(dst []byte, k *Constants) []byte {
	type tableOf struct {
		id schema.TypeID
		table
	}
	var tables []tableOf
	for ordinal, n := range k.tableOf {
		if n > 0 && k.tables[n-1].n > 0 {
			tables = append(tables, tableOf{k.types.Types[ordinal].ID, k.tables[n-1].sealed()})
		}
	}
	slices.SortFunc(tables, func(a, b tableOf) int { return cmp.Compare(a.id, b.id) })
	dst = appendFixed(dst, constantsHead{k.newest, uint64(len(k.checkpoints)), uint64(len(k.pools)), uint64(len(tables))})
	for _, cp := range k.checkpoints {
		dst = appendFixed(dst, savedCheckpoint{Checkpoint: cp})
	}
	dst = appendFixed(dst, k.pools)
	for _, t := range tables {
		dst = appendFixed(dst, t.row(t.id))
	}
	for _, t := range tables {
		dst = t.appendColumns(dst)
	}
	return dst
}

// row returns what a saved table begins with.
func (t *table) row(id schema.TypeID) savedTable {
	row := savedTable{ID: id, Base: t.base, Len: uint64(t.n), Places: uint64(len(t.low))}
	if t.hashed() {
		row.Flags |= flagKeys
	}
	if t.high != nil {
		row.Flags |= flagHigh
	}
	return row
}

func (t *table) appendColumns(dst []byte) []byte {
	dst = align(appendFixed(appendFixed(dst, t.keys), t.low))
	return align(append(dst, t.high...))
}
