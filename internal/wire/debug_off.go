//go:build !jfrdebug

package wire

// Debug tells whether the build checks itself: with the tag jfrdebug, mistakes in the
// use of memory fail loudly, and steps are counted. Without it, neither costs anything.
const Debug = false

// Step counts a step of reading: a number, a string or a frame, or one round of a loop
// whose length a file decides on. Only builds with the tag jfrdebug count.
func Step() {}

// StepBytes counts the steps of going through so many bytes at once, as what copies,
// compares or hashes them does.
func StepBytes(int) {}

// Steps returns how many steps there have been in this process; 0 where they are not
// counted.
func Steps() uint64 { return 0 }
