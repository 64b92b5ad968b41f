//go:build !nounsafe

package main

// stringsAlias tells whether strings are views of the recording.
const stringsAlias = true
