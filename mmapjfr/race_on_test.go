//go:build race || asan

package mmapjfr_test

// raceEnabled reports whether the test is built to find races. It then allocates
// more than usual, and takes ten times as long.
const raceEnabled = true
