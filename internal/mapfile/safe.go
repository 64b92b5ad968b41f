//go:build nounsafe

package mapfile

// Contains reports whether the address may lie in the map of the file. Without unsafe code
// nobody knows where the map lies, so every fault while a map is read counts.
func (m *Mapping) Contains(uintptr) bool { return m.unmap != nil }
