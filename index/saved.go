package index

import (
	"encoding/binary"
	"hash/crc32"
)

// The layout of a saved index is drawn in SAVED.md, whose sections comments name.
const (
	// savedMagic is how a saved index begins, savedEnd how it ends.
	savedMagic = "MJFRIDX\x00"
	savedEnd   = "MJFR"
	// savedVersion changes whenever anything about a saved index does, also the
	// meaning of a bit in a column. Indexes of other versions are not read.
	savedVersion = 2

	savedHeaderLen  = 40
	savedEntryLen   = 128
	savedTrailerLen = 24

	// The fixed parts of a section, and what it has of each of the things it counts.
	blocksHeadLen    = 40
	blockLen         = 48 + 4*blockCells
	savedTypeLen     = 32
	savedOtherLen    = 24
	constantsHeadLen = 32
	checkpointLen    = 24
	poolLen          = 32
	tableLen         = 40
)

// What the flags of a saved class and of a saved table say.
const (
	flagMany   = 1 << 0
	flagHashed = 1 << 0
	flagHigh   = 1 << 1
)

// FileStamp says which state of which file a saved index is of.
type FileStamp struct {
	// Size is the number of bytes of the recording.
	Size uint64
	// ModTime is when the file was last written to, in nanoseconds since 1970, UTC.
	ModTime int64
}

var le = binary.LittleEndian

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

// What is compared of a chunk's contents before its saved index is used: all of
// a small one, and of a large one samples.
const (
	sampleAll   = 256 << 10
	sampleSize  = 4 << 10
	samplePlace = 16
)

// sample returns a checksum of samples of the chunk (SAVED.md, section 6). It
// reads no more than 20 pages of a large one.
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

// savable reports whether a chunk can be in a saved index: nobody writes to it any more, and
// it is whole.
func (c *Chunk) savable() bool { return c.trail == nil && c.salvaged == nil && !c.grown }
