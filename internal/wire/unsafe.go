//go:build !nounsafe

package wire

import "unsafe"

// alias returns the bytes as a string without copying them.
//
// Safe because: the bytes are only ever read, by this package and by everybody
// it hands them to, and the string is documented to be valid only as long as
// they are.
func alias(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
