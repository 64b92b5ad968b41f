//go:build !(linux || darwin || freebsd || netbsd)

package mmapjfr

import (
	"errors"
	"os"
)

// canMapGrowing tells whether a file can be mapped further than it reaches, and shows there
// what others write to it later. Some systems cannot; OpenBSD shows it too late.
const canMapGrowing = false

// growingMap is never made: files that grow are read into memory.
type growingMap struct{}

func (m *growingMap) reach(*os.File, int64, uint64, bool) (*growingMap, error) {
	return nil, errors.ErrUnsupported
}

func (m *growingMap) bytes(int64, uint64) []byte { return nil }

func (m *growingMap) unmap() error { return nil }
