package cli

import (
	"errors"
	"io"
	"syscall"
)

// brokenPipe reports whether an error means that the reader of the output has ended, as head
// does. That is no failure: the reader has had enough.
func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || brokenPipeHere(err)
}
