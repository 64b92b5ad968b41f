package index

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The layout of a saved index, which SAVED.md draws: the structs below are written as they stand
// here, little-endian and without padding.

const (
	// savedMagic is how a saved index begins, savedEnd how it ends.
	savedMagic = "MJFRIDX\x00"
	savedEnd   = "MJFR"
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
