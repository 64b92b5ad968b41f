//go:build nounsafe

package jvmmetrics_test

// copiesStrings reports whether strings are copied out of the recording.
const copiesStrings = true
