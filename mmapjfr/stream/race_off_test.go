//go:build !race && !asan

package stream_test

// raceEnabled reports whether the race detector is on.
const raceEnabled = false
