//go:build !jfrdebug || !(linux || darwin || freebsd || netbsd || openbsd)

package guardpage

// Enabled tells whether there are fences.
const Enabled = false

// Fence is bytes that end where an inaccessible page begins.
type Fence struct{}

// Copy returns a copy of the bytes that cannot be written to; nil if there is none.
func Copy([]byte) *Fence { return nil }

// Bytes returns the bytes.
func (f *Fence) Bytes() []byte { return nil }

// Close makes the bytes inaccessible. It may be called more than once.
func (f *Fence) Close() {}

// Hold unmaps the bytes of a map, and keeps their addresses inaccessible.
func Hold(_ []byte, unmap func() error) error { return unmap() }
