//go:build nounsafe

package index

// columnOf returns the numbers that b consists of, copied: the build tag nounsafe
// trades memory and time for a library without unsafe code.
func columnOf[T number](b []byte) []T { return copyColumn[T](b) }
