package index

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Save writes what the index knows of the recording, so that [Index.Load] can
// take it from there the next time. The stamp says which state of which file that
// is. What has not been asked for before is found now, one chunk after the other;
// [Chunk.BuildBlocks] does it faster.
//
// Chunks that are not finished are left out, and so are those in whose events or
// checkpoints something is wrong: these are gone through at every use, so that
// the errors are told. Types are never saved.
//
// The same recording and stamp give the same bytes, whatever was done with the
// index before. Save needs memory for the largest chunk's part. It may be called
// while others use the index, but not while it is extended.
func (x *Index) Save(w io.Writer, s FileStamp) error {
	if s.Size != uint64(len(x.data)) {
		return unfit("the stamp says %d bytes, but the recording has %d", s.Size, len(x.data))
	}
	out := saver{w: w}
	out.write(savedHeader(s, len(x.chunks)))
	header := out.sum
	var directory, section []byte
	for _, c := range x.chunks {
		if out.err != nil {
			return out.err // what follows need not be found
		}
		e := savedEntry{c: c}
		if types, b, k := c.whole(); b != nil {
			section = appendBlocks(section[:0], types, b)
			e.blocks = out.section(section)
			section = appendConstants(section[:0], k)
			e.constants = out.section(section)
			e.sample = c.sample()
		}
		directory = e.append(directory)
	}
	directoryAt := out.at
	out.sum = header // the checksum at the end is not that of the sections
	out.write(directory)
	trailer := le.AppendUint64(nil, directoryAt)
	trailer = le.AppendUint64(trailer, out.at+savedTrailerLen)
	out.write(trailer)
	out.write(append(le.AppendUint32(nil, out.sum), savedEnd...))
	return out.err
}

// savedHeader returns what a saved index begins with (SAVED.md, section 1).
func savedHeader(s FileStamp, chunks int) []byte {
	b := append(make([]byte, 0, savedHeaderLen), savedMagic...)
	b = le.AppendUint32(b, savedVersion)
	b = le.AppendUint32(b, uint32(chunks))
	b = le.AppendUint64(b, s.Size)
	b = le.AppendUint64(b, uint64(s.ModTime))
	b = le.AppendUint32(b, BlockSize)
	return le.AppendUint32(b, cellSize)
}

// saver writes, and remembers where it is, a checksum and the first error.
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

// section writes a section of a chunk.
func (s *saver) section(b []byte) savedPart {
	p := savedPart{s.at, uint64(len(b)), checksum(b)}
	s.write(b)
	return p
}

// savedPart is where a section lies in a saved index, and its checksum.
type savedPart struct {
	offset, size uint64
	sum          uint32
}

// savedEntry is what the directory says of a chunk (SAVED.md, section 2).
type savedEntry struct {
	c                 *Chunk
	blocks, constants savedPart
	sample            uint32
}

func (e *savedEntry) append(b []byte) []byte {
	b = le.AppendUint64(b, e.c.offset)
	b = le.AppendUint64(b, uint64(len(e.c.data)))
	b = append(b, e.c.data[:wire.HeaderLen]...)
	b = le.AppendUint32(b, e.sample)
	b = le.AppendUint64(b, e.blocks.offset)
	b = le.AppendUint64(b, e.blocks.size)
	b = le.AppendUint64(b, e.constants.offset)
	b = le.AppendUint64(b, e.constants.size)
	b = le.AppendUint32(b, e.blocks.sum)
	return le.AppendUint32(b, e.constants.sum)
}

// whole returns the blocks with the types they were cut with, and the constants,
// as they are saved; nil if there is something about the chunk that has to be told
// anew each time.
func (c *Chunk) whole() (*schema.TypeSet, *Blocks, *Constants) {
	if !c.savable() {
		return nil, nil, nil
	}
	b := c.Blocks()
	types, err := c.Types()
	if err != nil {
		return nil, nil, nil
	}
	if c.completes() {
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

// completes tells whether older metadata events of the chunk have been read, too.
func (c *Chunk) completes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.metadata) > 1
}

// align adds zeros until the length is a multiple of eight.
func align(b []byte) []byte { return append(b, make([]byte, -len(b)&7)...) }

func appendColumn[T number](b []byte, list []T) []byte {
	b, _ = binary.Append(b, le, list) // all sizes are fixed
	return b
}

// appendBlocks writes the section of a chunk's blocks (SAVED.md, section 3).
func appendBlocks(dst []byte, types *schema.TypeSet, b *Blocks) []byte {
	of := b.byID(types)
	others := slices.Sorted(maps.Keys(b.others))
	typeEvents := 0
	for _, o := range of {
		typeEvents += len(o.at)
	}
	for _, n := range []uint64{b.events, uint64(b.Len()), uint64(len(of)), uint64(len(others)), uint64(typeEvents)} {
		dst = le.AppendUint64(dst, n)
	}
	dst = appendColumn(dst, b.ordinals)
	dst = appendColumn(dst, b.least)
	dst = appendColumn(dst, b.greatest)
	dst = appendColumn(dst, b.types)
	dst = appendColumn(dst, b.threads)
	for _, o := range of {
		dst = le.AppendUint64(dst, uint64(o.id))
		dst = le.AppendUint64(dst, o.Events)
		dst = le.AppendUint64(dst, o.Bytes)
		dst = le.AppendUint32(dst, uint32(len(o.at)))
		flags := uint32(0)
		if o.many {
			flags |= flagMany
		}
		dst = le.AppendUint32(dst, flags)
	}
	for _, id := range others {
		dst = le.AppendUint64(dst, uint64(id))
		dst = le.AppendUint64(dst, b.others[id].Events)
		dst = le.AppendUint64(dst, b.others[id].Bytes)
	}
	dst = appendColumn(dst, b.first)
	dst = appendColumn(dst, b.nth)
	for _, o := range of {
		dst = appendColumn(dst, o.at)
	}
	return align(dst)
}

// keptOf is what there is of a class, with the class.
type savedType struct {
	id schema.TypeID
	*typeEvents
}

// byID returns what there is of each class, in the order of their numbers:
// ordinals mean nothing to another program.
func (b *Blocks) byID(types *schema.TypeSet) (list []savedType) {
	for ordinal, of := range b.of {
		if of != nil {
			list = append(list, savedType{types.Types[ordinal].ID, of})
		}
	}
	slices.SortFunc(list, func(a, b savedType) int { return cmp.Compare(a.id, b.id) })
	return list
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
	for _, n := range []uint64{k.newest, uint64(len(k.checkpoints)), uint64(len(k.pools)), uint64(len(tables))} {
		dst = le.AppendUint64(dst, n)
	}
	for _, cp := range k.checkpoints {
		dst = le.AppendUint64(dst, cp.Offset)
		dst = le.AppendUint32(dst, cp.Size)
		dst = le.AppendUint32(dst, cp.FirstPool)
		dst = le.AppendUint32(dst, cp.Pools)
		dst = le.AppendUint32(dst, uint32(cp.Mask))
	}
	for _, p := range k.pools {
		dst = le.AppendUint64(dst, uint64(p.Type))
		dst = le.AppendUint64(dst, p.Offset)
		dst = le.AppendUint64(dst, p.Count)
		dst = le.AppendUint64(dst, p.Size)
	}
	for _, t := range tables {
		dst = le.AppendUint64(dst, uint64(t.id))
		dst = le.AppendUint64(dst, t.base|t.multiplier) // a table has only one of them
		dst = le.AppendUint64(dst, uint64(t.n))
		dst = le.AppendUint64(dst, uint64(len(t.low)))
		dst = le.AppendUint64(dst, t.flags())
	}
	for _, t := range tables {
		dst = appendColumn(dst, t.keys)
		dst = align(appendColumn(dst, t.low))
		dst = align(append(dst, t.high...))
	}
	return dst
}
