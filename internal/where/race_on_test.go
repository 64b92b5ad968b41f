//go:build race || asan

package where_test

// raceDetector is set if pools lose values at random, as they do with the race detector.
const raceDetector = true
