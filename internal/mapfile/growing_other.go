//go:build !(linux || darwin || freebsd || netbsd)

package mapfile

import (
	"errors"
	"os"
)

// CanMapGrowing reports whether the system maps a file beyond its end, and shows there
// what others write to the file later.
const CanMapGrowing = false

// Growing is never made on this system: files that grow are read into memory.
type Growing struct{}

// Reach fails.
func (g *Growing) Reach(*os.File, int64, uint64, bool) (*Growing, error) {
	return nil, errors.ErrUnsupported
}

// Mapping returns an empty mapping.
func (g *Growing) Mapping(int64, uint64) Mapping { return Mapping{} }

// Close does nothing.
func (g *Growing) Close() error { return nil }
