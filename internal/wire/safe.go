//go:build nounsafe

package wire

import "encoding/binary"

// View returns bytes that are plain text as a string. It copies them: the build tag nounsafe
// trades the copies for a library without unsafe code.
func View(b []byte) string { return string(b) }

// Word returns the eight bytes at pos, the first one lowest. They must lie in b.
func Word(b []byte, pos int) uint64 {
	Step()
	return binary.LittleEndian.Uint64(b[pos:])
}
