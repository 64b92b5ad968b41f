package cli

import (
	"errors"
	"io"
	"syscall"
)

// brokenPipe tells whether the error is that nobody reads what is written any more,
// as when the output goes to head. That is no failure: whoever reads has had enough.
func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || brokenPipeHere(err)
}
