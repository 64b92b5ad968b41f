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

// The layout of a saved index, which SAVED.md draws: the structs below are written as they stand
// here, little-endian and without padding.

const (
	// SavedMagic is how a saved index begins.
	SavedMagic = "MJFRIDX\x00"
	// savedEnd is how it ends.
	savedEnd = "MJFR"
	// savedVersion changes whenever anything about a saved index does, also the meaning of a
	// bit in a column. Indexes of other versions are not read.
	savedVersion = 3

	// The lengths of the structs below.
	savedHeaderLen  = 40
	savedEntryLen   = 128
	savedTrailerLen = 24
	// poolWords is how many numbers a Pool consists of.
	poolWords = 4
)

// savedHeader is what a saved index begins with (SAVED.md, section 1).
type savedHeader struct {
	Magic               [8]byte
	Version, Chunks     uint32
	Stamp               FileStamp
	BlockSize, CellSize uint32
}

// savedEntry is what the directory has of a chunk (SAVED.md, section 2).
type savedEntry struct {
	// Offset and Size are those of the chunk.
	Offset, Size uint64
	Header       [wire.HeaderLen]byte
	Sample       uint32
	// Blocks and Constants are the sections; their sizes are 0 if the chunk is not saved.
	Blocks, Constants       savedRange
	BlocksSum, ConstantsSum uint32
}

// savedRange is where a section lies in a saved index.
type savedRange struct{ Offset, Size uint64 }

// savedTrailer is what a saved index ends with (SAVED.md, section 2).
type savedTrailer struct {
	Directory, Size uint64
	Sum             uint32
	End             [4]byte
}

// blocksHead is what the section of a chunk's blocks begins with (SAVED.md, section 3).
type blocksHead struct{ Events, Blocks, Types, Others, Offsets uint64 }

// savedType is the events of a type.
type savedType struct {
	ID schema.TypeID
	EventCount
	Offsets, Flags uint32
}

// savedOther is the events of a type that is not described.
type savedOther struct {
	ID schema.TypeID
	EventCount
}

// constantsHead is what the section of a chunk's constants begins with (SAVED.md, section 4).
type constantsHead struct{ Newest, Checkpoints, Pools, Tables uint64 }

type savedCheckpoint struct {
	Checkpoint
	_ [3]byte
}

// savedTable is what a table of constants begins with. Base is 0 if the table has keys.
type savedTable struct {
	ID                       schema.TypeID
	Base, Len, Places, Flags uint64
}

// The flags of a savedType and of a savedTable.
const (
	flagMany = 1 << 0
	flagKeys = 1 << 0
	flagHigh = 1 << 1
)

// FileStamp names a file and its state, as far as a saved index can know them.
type FileStamp struct {
	// Size is the number of bytes of the recording.
	Size uint64
	// ModTime is when the file was last written to, in nanoseconds since 1970, UTC.
	ModTime int64
}

var le = binary.LittleEndian

// appendFixed appends a struct, a number, or a slice of them, all of fixed size.
func appendFixed(b []byte, v any) []byte {
	b, _ = binary.Append(b, le, v)
	return b
}

// fixed returns the struct that b begins with. There must be as many bytes.
func fixed[T any](b []byte) (v T) {
	_, _ = binary.Decode(b, le, &v)
	return v
}

// number is what columns consist of.
type number interface {
	uint16 | uint32 | uint64 | int64
}

// copyColumn returns a copy of the numbers that b consists of.
func copyColumn[T number](b []byte) []T {
	list := make([]T, len(b)/binary.Size(T(0)))
	_, _ = binary.Decode(b, le, list) // there are as many bytes
	return list
}

// castagnoli is the polynomial that processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(parts ...[]byte) (sum uint32) {
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	return sum
}

// What is compared of a chunk's contents before its saved index is used: all of a small chunk,
// and samples of a large one.
const (
	sampleAll   = 256 << 10
	sampleSize  = 4 << 10
	samplePlace = 16
)

// sample returns a checksum of samples of the chunk (SAVED.md, section 6). It reads no more than
// 20 pages of a large one.
func (c *Chunk) sample() uint32 {
	size := uint64(len(c.data))
	if size <= sampleAll {
		return checksum(c.data)
	}
	sum := uint32(0)
	at := func(offset uint64) {
		offset = min(offset, size)
		sum = crc32.Update(sum, castagnoli, c.data[offset:min(offset+sampleSize, size)])
	}
	at(0)
	for i := range uint64(samplePlace) {
		at(size / (samplePlace + 1) * (i + 1) / sampleSize * sampleSize)
	}
	at(c.header.Metadata)
	at(c.header.Checkpoint)
	at(size - sampleSize)
	return sum
}

// savable reports whether a chunk can be in a saved index: nobody writes to it any more, and it is
// whole.
func (c *Chunk) savable() bool { return c.trail == nil && c.salvaged == nil && !c.grown }

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
	copy(header.Magic[:], SavedMagic)
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
