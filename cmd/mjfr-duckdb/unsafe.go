package main

import (
	"unsafe"

	"github.com/duckdb/duckdb-go/mapping"
)

// cellsOf returns the first n cells of a vector.
func cellsOf[T any](vec mapping.Vector, n int) []T {
	// Safe because a vector of a chunk has room for as many cells as a chunk has rows, of the type of its column: the
	// caller takes no more, and T by that type. DuckDB keeps it until the chunk is handed back.
	return unsafe.Slice((*T)(mapping.VectorGetData(vec)), n)
}

// maskOf returns the bits of a vector that say which of n rows are not null; nil if it has none.
func maskOf(vec mapping.Vector, n int) []uint64 {
	p := mapping.VectorGetValidity(vec)
	if p == nil {
		return nil
	}
	// Safe because the mask has a bit for each row that a chunk has room for, in words of 64 bits.
	return unsafe.Slice((*uint64)(p), (n+63)/64)
}

// shortText is how many bytes of text fit into a cell.
const shortText = 12

// textCell is a text as DuckDB has it: with its bytes, or with the first four and where all are.
type textCell struct {
	_      [0]uint64 // the other form has an address, so cells lie where those may
	length uint32
	bytes  [shortText]byte
}

var _ = [1]struct{}{}[unsafe.Sizeof(textCell{})-16] // or it does not compile

// set makes the cell that of a short text.
func (c *textCell) set(text string) {
	*c = textCell{length: uint32(len(text))}
	copy(c.bytes[:], text)
}
