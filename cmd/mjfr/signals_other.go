//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endings returns the signals that end the command in an orderly way.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
