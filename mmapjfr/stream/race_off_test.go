//go:build !race

package stream_test

// raceEnabled tells whether the race detector is on.
const raceEnabled = false
