//go:build !unix && !windows

package cli

import "io"

// KeepBrokenPipes does nothing: this system sends no signal.
func KeepBrokenPipes() {}

// brokenPipeHere knows no errors beyond those of all systems.
func brokenPipeHere(error) bool { return false }

// NobodyReads returns false: only a write finds out.
func NobodyReads(io.Writer) bool { return false }
