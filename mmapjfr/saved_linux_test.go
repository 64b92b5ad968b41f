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

	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestSavedIndexIsMappedUntilClose(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, profile(t))
	require.NoError(t, openSaved(t, file).Close())
	rec := openSaved(t, file)
	require.True(t, rec.SavedMapped())
	assert.Equal(t, 1, mapsOf(t, file+".mjfri"))
	n := 0
	for _, err := range rec.Events() {
		if n++; err != nil {
			assert.ErrorIs(t, err, mmapjfr.ErrClosed)
			continue
		}
		require.NoError(t, rec.Close())
		assert.Equal(t, 1, mapsOf(t, file+".mjfri"), "a loop keeps the map")
	}
	assert.Equal(t, 2, n)
	assert.Zero(t, mapsOf(t, file))

	mmapjfr.SetSmallIndex(t, 1<<40)
	rec = openSaved(t, file)
	assert.True(t, rec.IndexState().Used)
	assert.Zero(t, mapsOf(t, file+".mjfri"), "a small one is read")
}

func TestSavedIndexesLeaveNothingOpen(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, profile(t))
	descriptors := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(list)
	}
	before := descriptors()
	for range 10 {
		for _, spoil := range []bool{false, true} {
			if spoil {
				require.NoError(t, os.Truncate(file+".mjfri", 5000))
			}
			rec := openSaved(t, file)
			_, err := rec.CheckIndex(mmapjfr.IndexBeside)
			require.NoError(t, err)
			require.NoError(t, rec.Close())
		}
	}
	assert.Equal(t, before, descriptors())
	assert.Zero(t, mapsOf(t, filepath.Dir(file)))
}

// cutSaved opens a recording by a mapped index of which little is left.
func cutSaved(t *testing.T, size int64) *mmapjfr.Recording {
	t.Helper()
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, profile(t))
	require.NoError(t, openSaved(t, file).Close())
	rec := openSaved(t, file)
	require.True(t, rec.IndexState().Used)
	require.NoError(t, os.Truncate(file+".mjfri", size))
	return rec
}

// wasCut checks the error that a fault in a saved index becomes.
func wasCut(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, mmapjfr.ErrTruncated)
	if !copiesStrings { // without unsafe code nobody knows where the fault was
		require.ErrorIs(t, err, mmapjfr.ErrSavedIndex)
	}
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
		openSaved(t, file)
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

// TestRecordingIsCutWhileItIsIndexed: it opens all the same.
func TestRecordingIsCutWhileItIsIndexed(t *testing.T) {
	crash(t, func(t *testing.T) {
		file := placed(t, profile(t))
		rec, err := mmapjfr.Open(file)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(file, 8192))
		_, err = rec.SaveIndex(mmapjfr.IndexBeside)
		require.Error(t, err)
		assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
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
	rec := openSaved(t, pipe)
	assert.Len(t, all(t, rec), 300)
	assert.ErrorContains(t, rec.IndexState().SaveErr, "no file")
	assert.Equal(t, []string{"pipe"}, namesIn(t, filepath.Dir(pipe)))
}

// TestAPipeInPlaceOfTheIndex would be waited at without end. It is not replaced.
func TestAPipeInPlaceOfTheIndex(t *testing.T) {
	file := placed(t, profile(t))
	require.NoError(t, syscall.Mkfifo(file+".mjfri", 0o600))
	done := make(chan mmapjfr.IndexState)
	go func() { done <- openSaved(t, file).IndexState() }()
	select {
	case state := <-done:
		assert.ErrorIs(t, state.LoadErr, mmapjfr.ErrSavedIndex)
		assert.False(t, state.Written)
		assert.ErrorContains(t, state.SaveErr, "it is there and no ordinary file")
		info, err := os.Lstat(file + ".mjfri")
		require.NoError(t, err)
		assert.Equal(t, os.ModeNamedPipe, info.Mode().Type())
	case <-time.After(time.Minute):
		require.Fail(t, "still waiting")
	}
}
