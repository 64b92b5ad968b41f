//go:build nounsafe

package jvmmetrics_test

// copiesStrings tells whether strings are copied out of the recording.
const copiesStrings = true
