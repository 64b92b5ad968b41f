//go:build !jfrdebug || !(linux || darwin || freebsd || netbsd || openbsd)

package guardpage

// Enabled reports whether this build has guard pages.
const Enabled = false

// Buffer is bytes that end where a guard page begins.
type Buffer struct{}

// Copy returns nil: this build has no guard pages.
func Copy([]byte) *Buffer { return nil }

// Bytes returns nothing.
func (b *Buffer) Bytes() []byte { return nil }

// Close does nothing.
func (b *Buffer) Close() {}

// Hold calls unmap.
func Hold(_ []byte, unmap func() error) error { return unmap() }
