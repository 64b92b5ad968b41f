package cli

import (
	"errors"
	"io"

	"golang.org/x/sys/windows"
)

// KeepBrokenPipes does nothing: this system sends no signal.
func KeepBrokenPipes() {}

func brokenPipeHere(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// NobodyReads returns false: only a write finds out.
func NobodyReads(io.Writer) bool { return false }
