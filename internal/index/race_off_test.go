//go:build !race && !asan

package index_test

// raceEnabled tells that the race detector runs, under which functions allocate
// that otherwise do not.
const raceEnabled = false
