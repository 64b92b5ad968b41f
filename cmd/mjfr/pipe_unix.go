//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// keepBrokenPipes makes writing to a pipe that nobody reads fail. Otherwise the signal
// would end the process at once, with temporary files left behind.
func keepBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// brokenPipeHere knows no other errors than those of all systems.
func brokenPipeHere(error) bool { return false }
