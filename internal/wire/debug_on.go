//go:build jfrdebug

package wire

import "sync/atomic"

// Debug tells whether the build checks itself: with the tag jfrdebug, mistakes in the
// use of memory fail loudly, and steps are counted. Without it, neither costs anything.
const Debug = true

var steps atomic.Uint64

// Step counts a step of reading: a number, a string or a frame, or one round of a loop
// whose length a file decides on. Only builds with the tag jfrdebug count.
func Step() { steps.Add(1) }

// StepBytes counts the steps of going through so many bytes at once, as what copies,
// compares or hashes them does.
func StepBytes(n int) { steps.Add(uint64(n) / 8) }

// Steps returns how many steps there have been in this process; 0 where they are not
// counted.
func Steps() uint64 { return steps.Load() }
