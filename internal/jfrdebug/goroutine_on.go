//go:build jfrdebug && (amd64 || arm64)

package jfrdebug

// Goroutine returns a number that no other goroutine has at this moment. One that has ended
// may have had the same number.
func Goroutine() uintptr
