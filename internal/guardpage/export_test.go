//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import "unsafe"

// After returns the byte after a slice.
func After(b []byte) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b))) }
