//go:build !race && !asan

package mmapjfr_test

// raceEnabled reports whether the test is built to find races.
const raceEnabled = false
