package mmapjfr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestSavedIndexIsMappedUntilClose(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, profile(t))
	path := save(t, file)
	rec := openSaved(t, file)
	require.True(t, rec.SavedMapped())
	assert.Equal(t, 1, mapsOf(t, path))
	n := 0
	for _, err := range rec.Events() {
		if n++; err != nil {
			assert.ErrorIs(t, err, mmapjfr.ErrClosed)
			continue
		}
		require.NoError(t, rec.Close())
		assert.Equal(t, 1, mapsOf(t, path), "a loop keeps the map")
	}
	assert.Equal(t, 2, n)
	assert.Zero(t, mapsOf(t, file))

	mmapjfr.SetSmallIndex(t, 1<<40)
	rec = openSaved(t, file)
	assert.Zero(t, mapsOf(t, path), "a small one is read")
}

// cutSaved opens a recording by a mapped index of which little is left.
func cutSaved(t *testing.T, size int64) *mmapjfr.Recording {
	t.Helper()
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, profile(t))
	path := save(t, file)
	rec := openSaved(t, file)
	require.NoError(t, os.Truncate(path, size))
	return rec
}

// wasCut checks the error that a fault in a saved index becomes.
func wasCut(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, mmapjfr.ErrTruncated)
}

// TestSavedIndexIsCut: the fault becomes an error.
func TestSavedIndexIsCut(t *testing.T) {
	for _, size := range []int64{0, 4096} {
		for name, ask := range map[string]func(rec *mmapjfr.Recording) error{
			"EventAtOffset": func(rec *mmapjfr.Recording) error { _, err := rec.EventAtOffset(68); return err },
			"ConstantsErr":  func(rec *mmapjfr.Recording) error { return rec.Chunks()[0].ConstantsErr() },
			"Select": func(rec *mmapjfr.Recording) error {
				_, errs := walk(t, rec.Select(mmapjfr.Types("jdk.GCHeapSummary")))
				require.Len(t, errs, 1)
				return errs[0]
			},
		} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				crash(t, func(t *testing.T) {
					rec := cutSaved(t, size)
					wasCut(t, ask(rec))
					require.NoError(t, rec.Close())
				})
			})
		}
	}
}

// TestCloseInsideASelection: its places come from the saved index, which a loop
// keeps mapped.
func TestCloseInsideASelection(t *testing.T) {
	crash(t, func(t *testing.T) {
		mmapjfr.SetSmallIndex(t, 0)
		file := placed(t, profile(t))
		save(t, file)
		for _, filter := range []mmapjfr.Filter{
			mmapjfr.Types("jdk.GCHeapSummary"), mmapjfr.Types("jdk.ExecutionSample"), mmapjfr.Types("*"),
		} {
			rec := openSaved(t, file)
			require.True(t, rec.SavedMapped())
			events, errs := 0, 0
			for _, err := range rec.Select(filter).Events() {
				require.NoError(t, rec.Close())
				if err != nil {
					errs++
					assert.ErrorIs(t, err, mmapjfr.ErrClosed)
					continue
				}
				events++
			}
			assert.Equal(t, []int{1, 1}, []int{events, errs})
			assert.False(t, rec.SavedMapped())
			cur := rec.Select(filter).Cursor()
			assert.False(t, cur.Next())
		}
	})
}

// TestAPipeHasNoSavedIndex: it can be read once.
func TestAPipeHasNoSavedIndex(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	go func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			_, _ = f.Write(manyChunks(3))
			_ = f.Close()
		}
	}()
	rec, err := mmapjfr.Open(pipe, indexes(t, pipe))
	require.NoError(t, err)
	assert.Len(t, all(t, rec), 300)
	require.NoError(t, rec.Close())
	assert.Equal(t, []string{"pipe"}, namesIn(t, filepath.Dir(pipe)))
}

// TestAPipeInPlaceOfTheIndex would be waited at without end.
func TestAPipeInPlaceOfTheIndex(t *testing.T) {
	file := placed(t, profile(t))
	path := save(t, file)
	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	opt, done := indexes(t, file), make(chan bool)
	go func() {
		rec, err := mmapjfr.Open(file, opt)
		assert.NoError(t, err)
		done <- engine.RecordingIndex(rec).Loaded()
		assert.NoError(t, rec.Close())
	}()
	select {
	case loaded := <-done:
		assert.False(t, loaded)
	case <-time.After(time.Minute):
		require.Fail(t, "still waiting")
	}
}
