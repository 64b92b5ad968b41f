//go:build !nounsafe

package wire

import (
	"encoding/binary"
	"unsafe"
)

// alias returns the bytes as a string without copying them.
//
// Safe because: the bytes are only ever read, by this package and by everybody
// it hands them to, and the string is documented to be valid only as long as
// they are.
func alias(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Word returns the eight bytes at pos, the first one lowest. There must be so
// many: the caller has compared pos+WordLen with the length of b.
//
// Safe because: callers keep to that, as their tests on slices that end where a
// page does show; the address is inside b and no alignment is needed, for it is
// the processor's plain load, or bytes put together where it has none.
//
//gccheck:inline
func Word(b []byte, pos int) uint64 {
	Step()
	return binary.LittleEndian.Uint64((*[WordLen]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), pos))[:])
}
