//go:build !jfrdebug || !(amd64 || arm64)

package goid

// Current returns a number that tells the goroutine from all others that there are at
// this moment; one that has ended may have had the same. It is 0 where it cannot be
// told.
func Current() uintptr { return 0 }
