package jvmtest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Where things are in a chunk header (index/FORMAT.md, section 1).
const (
	startOffset = 32 // nanoseconds since 1970
	flagsOffset = 67
	finalFlag   = 2
)

// Rotated returns the folder of a repository in which a virtual machine has begun a new
// chunk n times: each is that of a recording of one chunk, an hour later than the
// one before. Those who follow it map one chunk after the other, and let go of each.
func Rotated(t testing.TB, recording string, chunks int) string {
	t.Helper()
	data, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	start := binary.BigEndian.Uint64(data[startOffset:])
	for i := range chunks {
		binary.BigEndian.PutUint64(data[startOffset:], start+uint64(i)*uint64(time.Hour))
		data[flagsOffset] &^= finalFlag
		if i == chunks-1 {
			data[flagsOffset] |= finalFlag
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jfr", i)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
