package mmapjfr_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// leavesNothing fails the test if, when it ends, there are more goroutines, open files or
// maps of recordings than when this was called, or if the heap has grown by more than a few
// megabytes. What is to be cleaned up must be asked for later.
func leavesNothing(t *testing.T) {
	t.Helper()
	in, out, err := os.Pipe() // the first one makes the runtime open files of its own
	require.NoError(t, err)
	require.NoError(t, errors.Join(in.Close(), out.Close()))
	running, files, maps, before := goleak.IgnoreCurrent(), openFileCount(t), mapCount(t), heap()
	t.Cleanup(func() {
		assert.NoError(t, goleak.Find(running), "goroutines")
		soonEqual(t, files, func() int { return openFileCount(t) }, "open files")
		soonEqual(t, maps, func() int { return mapCount(t) }, "maps")
		assert.Less(t, heap(), before+heapSlack, "heap")
	})
}

// heapSlack is what the heap may have grown by: paths, buffers of the runtime, and what
// the race detector keeps.
const heapSlack = 16 << 20

// soonEqual waits a moment for a count to be what it should be.
func soonEqual(t *testing.T, want int, count func() int, what string) {
	t.Helper()
	got := count()
	for range 6000 {
		if got == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
		got = count()
	}
	assert.Equal(t, want, got, what)
}

// openFileCount counts the open files; 0 where the system does not tell.
func openFileCount(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	return len(files)
}

// mapCount counts the maps of recordings and of saved indexes; 0 where the system does not
// tell.
func mapCount(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	return strings.Count(string(maps), ".jfr")
}
