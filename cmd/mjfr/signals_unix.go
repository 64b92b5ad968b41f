//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endings returns the signals that end the command in an orderly way. They include that of a closed
// terminal, unless nohup ignores it.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
