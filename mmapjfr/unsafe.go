//go:build !nounsafe

package mmapjfr

import "unsafe"

// holds tells whether the address lies in the mapping.
//
// Safe because: the pointer is only turned into a number and compared.
func (m *mapping) holds(addr uintptr) bool {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	return m.unmap != nil && addr-base < uintptr(len(m.data))
}
