package mmapjfr_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// open opens the recording in one of many ways.
func (f *loadFile) open(t *testing.T, r *rand.Rand) *mmapjfr.Recording {
	t.Helper()
	loadCount.opens.Add(1)
	opts := []mmapjfr.Option{mmapjfr.Workers(r.IntN(4))}
	switch r.IntN(8) {
	case 0:
		rec, err := mmapjfr.OpenBytes(f.data, opts...)
		if !assert.NoError(t, err) {
			return nil
		}
		return rec
	case 1:
		opts = append(opts, mmapjfr.CopyOnOpen())
	case 2, 3, 4: // one of many writes it, or several do
		opts = append(opts, mmapjfr.SavedIndexes(filepath.Dir(f.path)))
	}
	rec, err := mmapjfr.Open(f.path, opts...)
	if !assert.NoError(t, err, f.name) {
		return nil
	}
	return rec
}

// TestLoadOfManyRecordings opens a thousand recordings from a hundred goroutines, whole and
// damaged ones, with saved indexes and without. When all are open each goroutine reads its
// own, while others close theirs.
func TestLoadOfManyRecordings(t *testing.T) {
	goroutines, each := longtest.Cases(10, 100), longtest.Cases(5, 10)
	mmapjfr.KeepAllIndexes(t)
	mmapjfr.SetSmallIndex(t, 100<<10) // so that some saved indexes are mapped
	leavesNothing(t)
	files := loadFiles(t)
	dir := filepath.Dir(files[0].path)
	rounds := loadRounds(t, 0.4, func(r *rand.Rand) {
		seed := r.Uint64()
		var opened, counted sync.WaitGroup
		opened.Add(goroutines)
		counted.Add(1)
		together(goroutines, func(i int) {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			type mine struct {
				f   *loadFile
				rec *mmapjfr.Recording
			}
			var list []mine
			for range each {
				f := files[r.IntN(len(files))]
				if rec := f.open(t, r); rec != nil {
					list = append(list, mine{f, rec})
				}
			}
			opened.Done()
			opened.Wait()
			if i == 0 {
				if runtime.GOOS == "linux" {
					assert.Greater(t, mapCount(t), goroutines, "they are open at once")
				}
				counted.Done()
			}
			counted.Wait()
			for _, m := range list {
				switch r.IntN(6) {
				case 0:
					m.f.cancel(t, m.rec, r)
				case 1, 2:
					m.f.read(t, m.rec, r.IntN(len(loadWays)), "among a thousand")
				default: // closed without having been read
				}
				assert.NoError(t, m.rec.Close())
			}
		})
		left, err := filepath.Glob(filepath.Join(dir, "new-*"))
		require.NoError(t, err)
		assert.Empty(t, left, "what was to become saved indexes")
		saved, err := filepath.Glob(filepath.Join(dir, "*.mjfri"))
		require.NoError(t, err)
		assert.NotEmpty(t, saved)
		for _, file := range saved {
			require.NoError(t, os.Remove(file))
		}
	})
	loadReport(t, rounds)
}
