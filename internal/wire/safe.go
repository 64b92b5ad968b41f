//go:build nounsafe

package wire

// alias returns a copy of the bytes: the build tag nounsafe trades the copies
// for a library without unsafe code.
func alias(b []byte) string {
	return string(b)
}
