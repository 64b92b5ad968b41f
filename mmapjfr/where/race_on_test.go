//go:build race

package where_test

// raceDetector tells that pools lose what they hold, as the race detector wants it.
const raceDetector = true
