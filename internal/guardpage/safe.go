//go:build jfrdebug && nounsafe && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

// Hold unmaps the bytes of a map. To hold their addresses takes unsafe code; until
// something else gets them they are inaccessible all the same.
func Hold(_ []byte, unmap func() error) error { return unmap() }
