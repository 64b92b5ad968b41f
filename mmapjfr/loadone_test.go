package mmapjfr_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestLoadOfOneRecording lets 64 goroutines read one recording that nobody has touched. All
// that is made on first use is made by several of them at once, and some stop in the middle.
func TestLoadOfOneRecording(t *testing.T) {
	leavesNothing(t)
	files := loadFiles(t)
	rounds := loadRounds(t, 0.4, func(r *rand.Rand) {
		for _, f := range files {
			rec := f.open(t, r)
			require.NotNil(t, rec)
			seed := r.Uint64()
			together(longtest.Cases(8, 64), func(i int) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				for n := range 2 {
					if n == 0 && i%4 == 0 {
						f.cancel(t, rec, r)
					}
					// All begin with the same, or each with another.
					way := r.IntN(len(loadWays))
					if n == 0 && seed%2 == 0 {
						way = int((seed >> 1) % uint64(len(loadWays)))
					}
					if n == 0 || *loadFor > 0 {
						f.read(t, rec, way, "with 64 readers")
					}
				}
			})
			require.NoError(t, rec.Close())
		}
	})
	loadReport(t, rounds)
}

// TestLoadOfClosing closes a recording that others read. What they are in the middle of
// ends with an error that says so, or was at its end.
func TestLoadOfClosing(t *testing.T) {
	leavesNothing(t)
	files := loadFiles(t)
	rounds := loadRounds(t, 0.1, func(r *rand.Rand) {
		for _, f := range files {
			rec := f.open(t, r)
			require.NotNil(t, rec)
			seed := r.Uint64()
			var seen, ended atomic.Int64
			enough := int64(r.IntN(int(f.events) + 2))
			together(16, func(i int) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				if i == 0 {
					for seen.Load() < enough && ended.Load() < 15 {
						runtime.Gosched()
					}
					loadCount.closes.Add(1)
					assert.NoError(t, rec.Close())
					return
				}
				defer ended.Add(1)
				f.readToTheEnd(t, rec, r, &seen)
			})
			assert.False(t, rec.Mapped(), "the last reader unmaps")
			_, errs := walk(t, rec.Select())
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], mmapjfr.ErrClosed)
		}
	})
	loadReport(t, rounds)
}

// readToTheEnd reads a recording that another goroutine closes meanwhile, in ways that keep
// it mapped.
func (f *loadFile) readToTheEnd(t *testing.T, rec *mmapjfr.Recording, r *rand.Rand, seen *atomic.Int64) {
	t.Helper()
	use := func(_ int, ev mmapjfr.Event) error {
		seen.Add(1)
		_ = told(ev)
		loadCount.events.Add(1)
		return nil
	}
	var err error
	n := uint64(0)
	switch r.IntN(5) {
	case 0, 1:
		for ev, e := range rec.Events() {
			if err = e; e == nil {
				n++
				_ = use(0, ev)
			}
		}
		if err == nil || !errors.Is(err, mmapjfr.ErrClosed) {
			assert.Equal(t, f.events, n, "all, as there was no end before: %v", err)
		}
		return
	case 2:
		err = rec.Select().Parallel(t.Context(), use)
	case 3:
		err = rec.Select().Batches(t.Context(), func(_ int, b *mmapjfr.Batch) error {
			seen.Add(int64(b.Len()))
			for i := range b.Len() {
				_ = told(b.Event(i))
			}
			return nil
		})
	case 4:
		err = rec.Protect(func() error { // the loop over constants does not keep it mapped before it begins
			for _, c := range rec.Chunks() {
				types, _ := c.Types()
				for _, typ := range types {
					for _, v := range c.Constants(typ) {
						_ = v.Text()
					}
				}
			}
			return nil
		})
	}
	var broken *mmapjfr.FormatError
	if err != nil && !errors.Is(err, mmapjfr.ErrClosed) && !errors.As(err, &broken) {
		t.Errorf("%s: %v", f.name, err)
	}
}
