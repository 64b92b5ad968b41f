package mmapjfr_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestFilesAreMapped fails if the way to the bytes of the map is lost, for
// instance because golang.org/x/exp/mmap looks different inside: everything
// would still work, but read whole files into memory.
func TestFilesAreMapped(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	require.True(t, rec.Mapped())
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	assert.Contains(t, string(maps), "jdk25-profile.jfr")
	require.NoError(t, rec.Close())
	assert.False(t, rec.Mapped())
	assert.Zero(t, mapsOf(t, "jdk25-profile.jfr"))
}

// mapsOf returns how often a file is mapped.
func mapsOf(t *testing.T, name string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(maps), name)
}

func TestAForgottenRecordingIsUnmapped(t *testing.T) {
	data, _ := newSample().Build()
	file := filepath.Join(t.TempDir(), "forgotten.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	func() {
		rec, err := mmapjfr.Open(file)
		require.NoError(t, err)
		ev := first(t, rec)
		rec = nil
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		assert.Equal(t, int64(start+10), ev.StartTicks(), "an event keeps its recording")
		assert.Equal(t, 1, mapsOf(t, "forgotten.jfr"))
	}()
	assert.Eventually(t, func() bool {
		runtime.GC()
		return mapsOf(t, "forgotten.jfr") == 0
	}, time.Minute, 10*time.Millisecond)
}

func TestNothingIsLeftOpen(t *testing.T) {
	dir := t.TempDir()
	var bad []string
	for _, c := range notRecordings {
		file := filepath.Join(dir, c.name+".jfr")
		require.NoError(t, os.WriteFile(file, []byte(c.data), 0o600))
		bad = append(bad, file)
	}
	descriptors := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(list)
	}
	before := descriptors()
	for range 50 {
		for _, opts := range [][]mmapjfr.Option{nil, {mmapjfr.CopyOnOpen()}} {
			rec, err := mmapjfr.Open("../testdata/jdk25-kinds.jfr", opts...)
			require.NoError(t, err)
			require.NoError(t, rec.Close())
			for _, file := range bad {
				_, err := mmapjfr.Open(file, opts...)
				require.Error(t, err)
			}
			_, err = mmapjfr.Open(dir, opts...)
			require.Error(t, err)
		}
	}
	assert.Equal(t, before, descriptors())
	assert.Zero(t, mapsOf(t, dir), "maps of files that could not be opened")
	assert.Zero(t, mapsOf(t, "jdk25-kinds.jfr"))
}
