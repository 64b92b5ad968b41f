//go:build !(aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows)

package tui

import (
	"context"
	"errors"
)

// Interactive tells whether there can be a screen. Here there is none.
func Interactive(any, func(string) string) bool { return false }

// Run fails: there are no terminals here.
func Run(context.Context, Source, Options) error {
	return errors.New("there is no terminal here: print lines instead")
}
