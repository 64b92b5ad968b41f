//go:build jfrdebug

package wire

import "sync/atomic"

// Debug reports whether the build has the tag jfrdebug: mistakes in the use of memory
// fail loudly, and steps are counted. Without the tag neither costs anything.
const Debug = true

var steps atomic.Uint64

// Step counts a step of reading: a number, a string or a frame, or one round of a loop
// whose length a file decides on. Only builds with the tag jfrdebug count.
func Step() { steps.Add(1) }

// StepBytes counts the steps of reading n bytes at once, in order to copy, compare or hash them.
func StepBytes(n int) { steps.Add(uint64(n) / 8) }

// Steps returns the number of steps of this process; 0 if steps are not counted.
func Steps() uint64 { return steps.Load() }
