//go:build race

package jvmmetrics_test

// raceEnabled reports whether the test is built to find races. It then allocates more
// than usual.
const raceEnabled = true
