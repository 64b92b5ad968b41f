//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import "unsafe"

// Behind returns the byte behind a slice.
func Behind(b []byte) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b))) }
