//go:build !unix && !windows

package main

// keepBrokenPipes has nothing to do: no signal comes.
func keepBrokenPipes() {}

// brokenPipeHere knows no other errors than those of all systems.
func brokenPipeHere(error) bool { return false }
