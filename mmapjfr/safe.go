//go:build nounsafe

package mmapjfr

// holds tells whether the address may lie in the mapping. Where that is cannot
// be asked without unsafe code, so every fault while a map is read counts.
func (m *mapping) holds(uintptr) bool { return m.unmap != nil }
