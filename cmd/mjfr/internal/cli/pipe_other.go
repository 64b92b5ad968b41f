//go:build !unix && !windows

package cli

import "io"

// KeepBrokenPipes has nothing to do: no signal comes.
func KeepBrokenPipes() {}

// brokenPipeHere knows no other errors than those of all systems.
func brokenPipeHere(error) bool { return false }

// NobodyReads does not know before something is written.
func NobodyReads(io.Writer) bool { return false }
