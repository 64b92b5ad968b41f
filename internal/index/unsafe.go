//go:build !nounsafe

package index

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian reports whether the machine writes numbers as saved indexes do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// columnOf returns the numbers that b consists of, in place where the machine
// can read them there, and copied where not. The result must not be written to,
// and is valid as long as b is. Appending to it copies.
//
// Safe because: the numbers lie inside b, whose length they are cut to; they are aligned, which is
// checked here; any eight bits are a valid byte of a number; and the slice keeps memory of Go's own
// alive. The caller of Load keeps mapped memory in place, as its doc says.
func columnOf[T number](b []byte) []T {
	n := len(b) / int(unsafe.Sizeof(T(0)))
	p := unsafe.Pointer(unsafe.SliceData(b))
	if n == 0 || !littleEndian || uintptr(p)%unsafe.Alignof(T(0)) != 0 {
		return copyColumn[T](b)
	}
	return unsafe.Slice((*T)(p), n)
}
