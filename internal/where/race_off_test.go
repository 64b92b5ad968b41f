//go:build !race && !asan

package where_test

const raceDetector = false
