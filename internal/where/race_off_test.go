//go:build !race

package where_test

const raceDetector = false
