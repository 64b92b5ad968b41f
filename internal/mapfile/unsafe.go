//go:build !nounsafe

package mapfile

import "unsafe"

// Contains reports whether the address lies in the map of the file.
//
// Safe because: the pointer is only turned into a number and compared.
func (m *Mapping) Contains(addr uintptr) bool {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	return m.unmap != nil && addr-base < uintptr(len(m.data))
}
