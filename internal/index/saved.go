package index

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/index/schema"
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
	savedVersion = 4

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
	// Blocks and Constants are the sections; the size is 0 if one is not saved.
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
	defer c.passAll(0, size)
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

// Keep makes the index write the blocks and constants that it finds from now on, so that
// [Index.Load] can use them the next time. The stamp names the file and its state. create makes the
// file, once what was found is of chunks that have together that many bytes; until then it is held
// in memory. Unless least is 0, constants that take more than an eighth of their chunk are left
// out. [Index.Finish] ends the file. Nothing else may use the index while Keep runs.
//
// Keep leaves out chunks that are not finished, and blocks and constants with an error: they are
// read at every use, so that the errors are reported. Types are never saved.
func (x *Index) Keep(s FileStamp, least uint64, create func() (io.Writer, error)) error {
	if s.Size != uint64(len(x.data)) {
		return unfit("the stamp says %d bytes, but the recording has %d", s.Size, len(x.data))
	}
	k := &indexWriter{least: least, create: create, entries: make([]savedEntry, len(x.chunks))}
	header := savedHeader{Version: savedVersion, Chunks: uint32(len(x.chunks)), Stamp: s, BlockSize: BlockSize, CellSize: cellSize}
	copy(header.Magic[:], SavedMagic)
	b := appendFixed(nil, header)
	k.write(b)
	k.sum = checksum(b)
	for i, c := range x.chunks {
		k.entries[i] = savedEntry{Offset: c.offset, Size: uint64(len(c.data))}
		copy(k.entries[i].Header[:], c.data)
	}
	x.indexWriter = k
	return nil
}

// Finish adds what [Index.Load] has loaded and was not found again, and the directory. It reports
// false, and has written nothing, if too little was found: see [Index.Keep]. Nothing else may use
// the index while it runs.
func (x *Index) Finish() (written bool, err error) {
	k := x.indexWriter
	x.indexWriter = nil
	if k == nil || k.create != nil {
		return false, nil
	}
	var directory []byte
	for i, c := range x.chunks {
		e := &k.entries[i]
		if s := c.saved; s != nil && s.err == nil {
			e.Sample = s.entry.Sample
			if blocks, _ := s.file.section(s.entry.Blocks); e.Blocks.Size == 0 && len(blocks) > 0 {
				e.Blocks, e.BlocksSum = k.section(blocks), s.entry.BlocksSum
			}
			if constants, _ := s.file.section(s.entry.Constants); e.Constants.Size == 0 && len(constants) > 0 {
				e.Constants, e.ConstantsSum = k.section(constants), s.entry.ConstantsSum
			}
		}
		directory = appendFixed(directory, *e)
	}
	trailer := savedTrailer{Directory: k.at, Size: k.at + uint64(len(directory)) + savedTrailerLen}
	copy(trailer.End[:], savedEnd)
	k.write(directory)
	sum := crc32.Update(k.sum, castagnoli, directory) // it leaves out the sections
	trailer.Sum = crc32.Update(sum, castagnoli, appendFixed(nil, trailer)[:16])
	k.write(appendFixed(nil, trailer))
	return k.err == nil, k.err
}

// indexWriter writes a saved index, see [Index.Keep].
type indexWriter struct {
	buffers sync.Pool // of *[]byte

	mu      sync.Mutex // guards what follows
	entries []savedEntry
	sum     uint32 // of the header
	at      uint64 // how many bytes have been written
	err     error  // the first one

	found, least uint64 // bytes of chunks
	create       func() (io.Writer, error)
	held         []byte // what is written before there is a file
	w            io.Writer
}

func (k *indexWriter) write(b []byte) {
	k.at += uint64(len(b))
	switch {
	case k.err != nil:
	case k.w == nil:
		k.held = append(k.held, b...)
	default:
		_, k.err = k.w.Write(b)
	}
}

// section writes a section of a chunk, and returns where it lies.
func (k *indexWriter) section(b []byte) savedRange {
	at := savedRange{k.at, uint64(len(b))}
	k.write(b)
	return at
}

// add writes a section of a chunk that was found, unless it was written before, or nothing can be
// written any more.
func (k *indexWriter) add(c *Chunk, write func([]byte) []byte, place func(e *savedEntry) (at *savedRange, sum *uint32)) {
	e := &k.entries[c.number]
	at, sum := place(e)
	k.mu.Lock()
	done, sample := at.Size > 0 || k.err != nil, e.Sample
	k.mu.Unlock()
	if done {
		return
	}
	if sample == 0 { // the chunk's other section is not written
		sample = c.sample()
	}
	buf, _ := k.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	defer k.buffers.Put(buf)
	b := write((*buf)[:0])
	*buf = b
	crc := checksum(b)
	k.mu.Lock()
	defer k.mu.Unlock()
	if at.Size > 0 || k.err != nil {
		return
	}
	e.Sample, *sum, *at = sample, crc, k.section(b)
	if k.found += e.Size; k.create != nil && k.found >= k.least {
		k.w, k.err = k.create()
		if k.create = nil; k.err == nil {
			_, k.err = k.w.Write(k.held)
		}
		k.held = nil
	}
}

// keepBlocks writes blocks of the chunk if they are kept. Blocks that were built when older types
// were known say the same in other words than those that a fresh index builds, and are left out.
func (c *Chunk) keepBlocks(b *Blocks) {
	k := c.index.indexWriter
	if k == nil || b.err != nil || !c.savable() || len(c.metadata) > 1 {
		return
	}
	if types, err := c.loadTypes(); err == nil {
		k.add(c, func(dst []byte) []byte { return appendBlocks(dst, types, b) },
			func(e *savedEntry) (*savedRange, *uint32) { return &e.Blocks, &e.BlocksSum })
	}
}

// largeConstants is the part of a chunk from which on its constants are not kept: writing them
// would cost more than reading them again.
const largeConstants = 1.0 / 8

// keepConstants writes constants of the chunk if they are kept.
func (c *Chunk) keepConstants(constants *Constants) {
	k := c.index.indexWriter
	if k == nil || constants.err != nil || !c.savable() {
		return
	}
	if k.least == 0 || float64(constants.Bytes()) < largeConstants*float64(len(c.data)) {
		k.add(c, func(dst []byte) []byte { return appendConstants(dst, constants) },
			func(e *savedEntry) (*savedRange, *uint32) { return &e.Constants, &e.ConstantsSum })
	}
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
		*table
	}
	var tables []tableOf
	for ordinal, n := range k.tableOf {
		if n > 0 && k.tables[n-1].n > 0 {
			tables = append(tables, tableOf{k.types.Types[ordinal].ID, &k.tables[n-1]})
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
		row.Places = row.Len
	}
	if t.high != nil {
		row.Flags |= flagHigh
	}
	return row
}

// appendColumns writes the columns of a table, without the free places of a hashed one.
func (t *table) appendColumns(dst []byte) []byte {
	if !t.hashed() {
		return align(append(align(appendFixed(dst, t.low)), t.high...))
	}
	for i, key := range t.keys {
		if t.at(uint64(i)) != 0 {
			dst = le.AppendUint64(dst, key)
		}
	}
	for i, low := range t.low {
		if t.at(uint64(i)) != 0 {
			dst = le.AppendUint32(dst, low)
		}
	}
	dst = align(dst)
	for i, high := range t.high {
		if t.at(uint64(i)) != 0 {
			dst = append(dst, high)
		}
	}
	return align(dst)
}
