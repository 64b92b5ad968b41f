package cli

import (
	"errors"
	"io"

	"golang.org/x/sys/windows"
)

// KeepBrokenPipes has nothing to do: no signal comes.
func KeepBrokenPipes() {}

func brokenPipeHere(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// NobodyReads does not know before something is written.
func NobodyReads(io.Writer) bool { return false }
