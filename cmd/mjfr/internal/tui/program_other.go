//go:build !(aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows)

package tui

import (
	"context"
	"errors"
)

// Interactive returns false: this system has no terminals.
func Interactive(any, func(string) string) bool { return false }

// Run returns an error: this system has no terminals.
func Run(context.Context, Source, Options) error {
	return errors.New("there is no terminal here: print lines instead")
}
