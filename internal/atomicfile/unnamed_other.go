//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// unnamed returns nil: the system has no files without names that can get one.
func unnamed(string, fs.FileMode) *os.File { return nil }

func link(*os.File, string) error { return errors.ErrUnsupported }
