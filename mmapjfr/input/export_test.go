package input

import (
	"os"
	"testing"
)

// Set for tests what the system can do.

func WithoutPathsOfOpenFiles(t *testing.T) {
	reopenable = func(*os.File) string { return "" }
	t.Cleanup(func() { reopenable = PathOf })
}

func WithRoom(t *testing.T, free int64) {
	roomOn = func(string) int64 { return free }
	t.Cleanup(func() { roomOn = freeSpace })
}

// RemoveAtClose does as if the system had not let go of a file.
func (s *Set) RemoveAtClose(path string) { s.temps = append(s.temps, path) }

const MaxDepth = maxDepth
