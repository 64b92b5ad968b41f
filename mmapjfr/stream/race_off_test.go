//go:build !race

package stream_test

// raceEnabled reports whether the race detector is on.
const raceEnabled = false
