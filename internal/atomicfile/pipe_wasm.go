//go:build js || wasip1

package atomicfile

import (
	"errors"
	"io"
)

func writeInto(string, func(io.Writer) error) error {
	return errors.New("pipes cannot be written on this system")
}
