//go:build jfrdebug && nounsafe && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

// Hold unmaps the bytes of a map. Holding their addresses takes unsafe code. Without it the
// addresses are inaccessible until something else is mapped there.
func Hold(_ []byte, unmap func() error) error { return unmap() }
