//go:build unix

package mmapjfr_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// sparse makes a file that is much larger than what is in it.
func sparse(t *testing.T, file string, data []byte, size int64) string {
	t.Helper()
	placedAt(t, file, data)
	if err := os.Truncate(file, size); err != nil {
		t.Skip("the file system has no such files:", err)
	}
	return file
}

// refused checks the error of a file that there is no room for.
func refused(t *testing.T, err error, file string, size int64) {
	t.Helper()
	require.ErrorIs(t, err, mmapjfr.ErrUnsupported)
	require.ErrorContains(t, err, file)
	require.ErrorContains(t, err, fmt.Sprint(size, " bytes"))
	require.ErrorContains(t, err, "jfr disassemble")
	if strconv.IntSize == 32 {
		require.ErrorContains(t, err, "64-bit")
	}
}

// TestFilesWithoutAddresses: 5 GiB are more than a 32-bit program can map, with or without
// anything in them. A 64-bit one can.
func TestFilesWithoutAddresses(t *testing.T) {
	const size = 5 << 30
	file := sparse(t, filepath.Join(t.TempDir(), "large.jfr"), nil, size)
	leaktest.Check(t, func() {
		for with, opts := range openings(t) {
			_, err := mmapjfr.Open(file, opts...)
			switch {
			case with == "not an option":
				assert.Error(t, err)
			case strconv.IntSize == 32 && with != "copied" && with != "all of them":
				refused(t, err, file, size)
			default: // it is looked at before it is copied
				require.ErrorIs(t, err, mmapjfr.ErrNotRecording)
			}
		}
	})
	if strconv.IntSize == 32 {
		sparse(t, file, used(), size)
		_, err := mmapjfr.Open(file, mmapjfr.CopyOnOpen())
		refused(t, err, file, size)
		live := openLive(t, file, 0)
		_, err = engine.ChunkFollowerAdvance(live)
		assert.NoError(t, err, "its chunk has addresses")
	}
}

// TestFilesThatAreLargerThanMemory: the size that a file system tells costs nothing.
func TestFilesThatAreLargerThanMemory(t *testing.T) {
	const size = 8 << 40
	dir := t.TempDir()
	zeros := sparse(t, filepath.Join(dir, "zeros.jfr"), nil, size)
	begun := sparse(t, filepath.Join(dir, "begun.jfr"), used(), size)
	leaktest.Check(t, func() {
		before := allocated()
		_, err := mmapjfr.Open(begun, mmapjfr.CopyOnOpen())
		refused(t, err, begun, size)
		_, err = mmapjfr.Open(zeros, mmapjfr.CopyOnOpen())
		require.ErrorIs(t, err, mmapjfr.ErrNotRecording)
		assert.Less(t, allocated()-before, uint64(1<<20))
	})
}

// allocated returns how many bytes the program has ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// pipe makes a named pipe that gives these bytes.
func pipe(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, _ = io.Copy(f, bytes.NewReader(data))
			_ = f.Close()
		}
	}()
	return path
}

// TestCopiesAreWhole, whatever the size: it is read piece by piece.
func TestCopiesAreWhole(t *testing.T) {
	for _, size := range []int{1, 67, 68, 1000, 1<<16 - 1, 1 << 16, 1<<16 + 1, 98304, 98305, 1<<20 - 1, 1<<20 + 1, 20 << 20}[:longtest.Cases(11, 12)] {
		data := slices.Concat(used(), make([]byte, size))[:max(size, len(used()))]
		if size < len(used()) {
			data = used()[:size]
		}
		file := placed(t, data)
		leaktest.Check(t, func() {
			_, want := mmapjfr.OpenBytes(data)
			for _, path := range []string{file, pipe(t, data)} {
				rec, err := mmapjfr.Open(path, mmapjfr.CopyOnOpen())
				if want != nil {
					assert.EqualError(t, errors.Unwrap(err), want.Error())
					continue
				}
				require.NoError(t, err)
				assert.True(t, bytes.Equal(data, engine.RecordingIndex(rec).Data()), "%d bytes of %s", size, path)
				assert.Equal(t, int64(size), rec.Size())
				require.NoError(t, rec.Close())
			}
		})
	}
}

// TestWhatNeverEnds: it is no recording, and nobody waits for the rest.
func TestWhatNeverEnds(t *testing.T) {
	before := allocated()
	_, err := mmapjfr.Open("/dev/zero")
	require.ErrorIs(t, err, mmapjfr.ErrNotRecording)
	assert.Less(t, allocated()-before, uint64(1<<20))
}
