//go:build !race

package jvmmetrics_test

// raceEnabled tells whether the test is built to find races. It then allocates more
// than usual.
const raceEnabled = false
