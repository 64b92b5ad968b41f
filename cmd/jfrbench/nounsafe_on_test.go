//go:build nounsafe

package main

// stringsAlias reports whether strings are views of the recording.
const stringsAlias = false
