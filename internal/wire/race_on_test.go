//go:build race || asan

package wire_test

// raceEnabled tells that the race detector runs, under which functions allocate
// that otherwise do not.
const raceEnabled = true
