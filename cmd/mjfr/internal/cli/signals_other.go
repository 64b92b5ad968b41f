//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// Endings returns the signals that end the command in an orderly way.
func Endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
