package mmapjfr_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

func openReading(t *testing.T, file string, at ...mmapjfr.IndexLocation) *mmapjfr.Recording {
	t.Helper()
	rec, err := mmapjfr.Open(file, mmapjfr.ReadSavedIndex(at...))
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	return rec
}

func TestReadIndexWritesNothing(t *testing.T) {
	file := placed(t, sizable(t))
	rec := openReading(t, file, mmapjfr.IndexBeside, mmapjfr.IndexInCache)
	assert.Equal(t, mmapjfr.IndexState{}, rec.IndexState())
	assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
}

func TestReadIndexUsesWhatIsThere(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	file := placed(t, sizable(t))
	want := shown(t, openReading(t, file))
	for _, at := range []mmapjfr.IndexLocation{mmapjfr.IndexInCache, mmapjfr.IndexBeside} {
		path, err := openReading(t, file).SaveIndex(at)
		require.NoError(t, err)
		rec := openReading(t, file, mmapjfr.IndexBeside, mmapjfr.IndexInCache)
		assert.Equal(t, mmapjfr.IndexState{Path: path, Used: true}, rec.IndexState())
		assert.Equal(t, want, shown(t, rec))
	}
	assert.Equal(t, mmapjfr.IndexState{}, openReading(t, file, mmapjfr.IndexOff).IndexState())
}

func TestReadIndexTellsOfAnIndexThatDoesNotFit(t *testing.T) {
	file := placed(t, sizable(t))
	want := shown(t, openReading(t, file))
	require.NoError(t, os.WriteFile(file+mmapjfr.IndexSuffix, []byte("MJFRIDX"), 0o600))
	rec := openReading(t, file, mmapjfr.IndexBeside)
	state := rec.IndexState()
	assert.False(t, state.Used)
	require.ErrorIs(t, state.LoadErr, mmapjfr.ErrSavedIndex)
	assert.Equal(t, want, shown(t, rec))
	left, err := os.ReadFile(file + mmapjfr.IndexSuffix)
	require.NoError(t, err)
	assert.Equal(t, "MJFRIDX", string(left), "it was made anew")
}

func TestReadIndexRejectsAPlaceThatIsNone(t *testing.T) {
	_, err := mmapjfr.Open("../testdata/jdk25-kinds.jfr", mmapjfr.ReadSavedIndex(mmapjfr.IndexInCache+1))
	require.EqualError(t, err, "there is no place 3 for a saved index")
}

// cancelled saves an index whose context is cancelled when that many bytes have been
// read.
func cancelled(t *testing.T, file string, after uint64) (total uint64, err error) {
	t.Helper()
	rec := openReading(t, file)
	ctx, cancel := context.WithCancelCause(t.Context())
	sum := atomic.Uint64{}
	_, err = rec.SaveIndexContext(ctx, mmapjfr.IndexBeside, func(n uint64) {
		if sum.Add(n) >= after {
			cancel(errEnough)
		}
	})
	return sum.Load(), err
}

var errEnough = errors.New("enough")

func TestSavingAnIndexCanBeCancelled(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	file := placed(t, data)
	size := uint64(len(data))
	// Before anything, among the blocks, among the constants, and when all has been
	// found and nothing is left but to write it.
	for _, after := range []uint64{1, size / 2, size + 1, 2 * size} {
		_, err := cancelled(t, file, after)
		require.ErrorIs(t, err, errEnough, "%d", after)
		assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
	}
	total, err := cancelled(t, file, 2*size+1)
	require.NoError(t, err)
	assert.Equal(t, 2*size, total)
	assert.True(t, openReading(t, file, mmapjfr.IndexBeside).IndexState().Used)

	before, err := os.ReadFile(file + mmapjfr.IndexSuffix)
	require.NoError(t, err)
	_, err = cancelled(t, file, 1)
	require.ErrorIs(t, err, errEnough)
	after, err := os.ReadFile(file + mmapjfr.IndexSuffix)
	require.NoError(t, err)
	assert.Equal(t, before, after, "an index that was there is gone")
}

// dying is a context that is cancelled when it is asked whether it is for the n-th
// time.
type dying struct {
	context.Context
	left atomic.Int64
}

func (d *dying) Err() error {
	if d.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestSavingAnIndexCanBeCancelledAtAnyTime(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	file := placed(t, data)
	ends := make(map[uint64]int) // by how many bytes had been read
	for n := int64(0); ; n++ {
		require.Less(t, n, int64(1000), "it never ends")
		rec := openReading(t, file)
		ctx := &dying{Context: t.Context()}
		ctx.left.Store(n)
		sum := atomic.Uint64{}
		_, err := rec.SaveIndexContext(ctx, mmapjfr.IndexBeside, func(n uint64) { sum.Add(n) })
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
		ends[sum.Load()]++
	}
	assert.Greater(t, len(ends), 5)
	assert.Greater(t, ends[2*uint64(len(data))], 5, "while it was written")
	assert.True(t, openReading(t, file, mmapjfr.IndexBeside).IndexState().Used)
}
