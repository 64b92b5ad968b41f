//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// Endings returns the signals that end the command in an orderly way. They include that of a closed
// terminal, unless nohup ignores it.
func Endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
