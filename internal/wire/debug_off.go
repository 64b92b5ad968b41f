//go:build !jfrdebug

package wire

// Debug reports whether the build has the tag jfrdebug: mistakes in the use of memory
// fail loudly, and steps are counted. Without the tag neither costs anything.
const Debug = false

// Step counts a step of reading: a number, a string or a frame, or one round of a loop
// whose length a file decides on. Only builds with the tag jfrdebug count.
func Step() {}

// StepBytes counts the steps of reading n bytes at once, in order to copy, compare or hash them.
func StepBytes(int) {}

// Steps returns the number of steps of this process; 0 if steps are not counted.
func Steps() uint64 { return 0 }
