//go:build !linux && !darwin

package open

import (
	"math"
	"os"
)

// freeBytes returns how many bytes the disk of a folder has left: enough, for no JVM takes commands
// here.
func freeBytes(string) uint64 { return math.MaxUint64 }

// openOf opens a file.
func openOf(path string, _ int) (*os.File, error) { return os.Open(path) }
