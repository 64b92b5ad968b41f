//go:build !nounsafe

package wire

import (
	"encoding/binary"
	"unsafe"
)

// View returns bytes that are plain text as a string that aliases them, and is valid as
// long as they are.
//
// Safe because: the bytes are only ever read, by this package and by everybody it hands them to,
// and the string is documented to be valid only as long as they are.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Word returns the eight bytes at pos, the first one lowest. They must lie in b: the
// caller has compared pos+WordLen with its length.
//
// Safe because: the address is inside b, which tests of the callers show on slices
// that end at the end of a page. No alignment is needed: the compiler makes a plain
// load of it, or puts single bytes together where the processor needs that.
//
//gccheck:inline
func Word(b []byte, pos int) uint64 {
	Step()
	return binary.LittleEndian.Uint64((*[WordLen]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), pos))[:])
}
