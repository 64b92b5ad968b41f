//go:build !unix && !windows

package main

import "io"

// keepBrokenPipes has nothing to do: no signal comes.
func keepBrokenPipes() {}

// brokenPipeHere knows no other errors than those of all systems.
func brokenPipeHere(error) bool { return false }

// nobodyReads does not know before something is written.
func nobodyReads(io.Writer) bool { return false }
