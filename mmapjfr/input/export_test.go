package input

import (
	"os"
	"testing"

	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// Set for tests what the system can do.

func WithoutPathsOfOpenFiles(t *testing.T) {
	newScratch = func(dir string) (*atomicfile.Scratch, error) {
		f, err := os.CreateTemp(dir, "")
		if err != nil {
			return nil, err
		}
		return &atomicfile.Scratch{File: f, Path: f.Name()}, nil
	}
	t.Cleanup(func() { newScratch = atomicfile.NewScratch })
}

func WithRoom(t *testing.T, free int64) {
	roomOn = func(string) int64 { return free }
	t.Cleanup(func() { roomOn = freeSpace })
}

// RemoveAtClose does as if the system had not let go of a file.
func (s *Set) RemoveAtClose(path string) { s.temps = append(s.temps, path) }

const MaxDepth = maxDepth
