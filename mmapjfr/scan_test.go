package mmapjfr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// openWith opens a recording with that many workers.
func openWith(t testing.TB, data []byte, workers int) *mmapjfr.Recording {
	t.Helper()
	rec := opentest.Bytes(t, data, mmapjfr.Workers(workers))
	return rec
}

// TestFoldIsTheSameWithAnyNumberOfWorkers adds up in a way in which the order
// matters.
func TestFoldIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	type sum struct {
		offsets []uint64
		ratio   float64
		types   map[string]int
	}
	data := longFile()
	want := offsetsOf2(all(t, openBytes(t, data)))
	ratio := mmapjfr.Path("ratio")
	var sums []sum
	for _, workers := range []int{1, 2, 5, 2} {
		rec := openWith(t, data, workers)
		for range 2 {
			got, err := mmapjfr.Fold(t.Context(), rec.Select(), func(s *sum, ev mmapjfr.Event) error {
				if s.types == nil {
					s.types = make(map[string]int)
				}
				s.offsets = append(s.offsets, ev.Offset())
				s.ratio += ev.Float(ratio)
				s.types[strings.Clone(ev.Type().Name())]++
				return nil
			}, func(s, next *sum) {
				if s.types == nil {
					s.types = make(map[string]int)
				}
				s.offsets = append(s.offsets, next.offsets...)
				s.ratio += next.ratio
				for name, n := range next.types {
					s.types[name] += n
				}
			})
			require.NoError(t, err)
			require.Equal(t, want, got.offsets)
			sums = append(sums, got)
		}
	}
	for _, s := range sums[1:] {
		require.Equal(t, sums[0].ratio, s.ratio, "to the last bit")
		require.Equal(t, sums[0].types, s.types)
	}
	require.NotZero(t, sums[0].ratio)
	require.Greater(t, len(sums[0].types), 5)
}

// TestParallelReturnsTheFirstError fails at several events, whichever is reached
// first.
func TestParallelReturnsTheFirstError(t *testing.T) {
	data := longFile()
	events := offsetsOf2(all(t, openBytes(t, data)))
	for _, at := range [][]int{{0}, {len(events) - 1}, {30_000, 50_000}, {100, 41_000, 62_000}, {41_500, 45_000}} {
		bad := map[uint64]bool{}
		for _, i := range at {
			bad[events[i]] = true
		}
		for _, workers := range []int{1, 2, 7} {
			rec := openWith(t, data, workers)
			var mu sync.Mutex
			var seen []uint64
			err := rec.Select().Parallel(t.Context(), func(_ int, ev mmapjfr.Event) error {
				if bad[ev.Offset()] {
					return fmt.Errorf("at %d", ev.Offset())
				}
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, ev.Offset())
				return nil
			})
			require.EqualError(t, err, fmt.Sprintf("at %d", events[at[0]]))
			slices.Sort(seen)
			require.GreaterOrEqual(t, len(seen), at[0])
			require.True(t, slices.Equal(events[:at[0]], seen[:at[0]]), "events before it")
			n, err := mmapjfr.Fold(t.Context(), rec.Select(), func(n *int, ev mmapjfr.Event) error {
				if bad[ev.Offset()] {
					return errors.New("bad")
				}
				*n++
				return nil
			}, func(n, next *int) { *n += *next })
			require.EqualError(t, err, "bad")
			require.Less(t, n, len(events))
		}
	}
}

func TestParallelIsCancelled(t *testing.T) {
	reason := errors.New("no time")
	for _, workers := range []int{1, 3} {
		rec := openWith(t, longFile(), workers)
		ctx, cancel := context.WithCancelCause(t.Context())
		var n, after atomic.Int64
		err := rec.Select().Parallel(ctx, func(int, mmapjfr.Event) error {
			switch n := n.Add(1); {
			case n == 1000:
				cancel(reason)
			case n > 1000: // others wait for the one that cancels
				<-ctx.Done()
			}
			if ctx.Err() != nil {
				after.Add(1)
			}
			return nil
		})
		require.ErrorIs(t, err, reason)
		// The news of it takes a moment.
		require.Less(t, n.Load(), int64(60_000))
		require.Positive(t, after.Load())

		require.ErrorIs(t, rec.Select().Parallel(ctx, func(int, mmapjfr.Event) error {
			assert.Fail(t, "an event")
			return nil
		}), reason)
	}
}

func TestParallelPanics(t *testing.T) {
	rec := openWith(t, longFile(), 4)
	require.PanicsWithValue(t, "what", func() {
		_ = rec.Select().Parallel(t.Context(), func(_ int, ev mmapjfr.Event) error {
			if ev.Ordinal() == 30_000 {
				panic("what")
			}
			return nil
		})
	})
	require.NoError(t, rec.Close())
	require.ErrorIs(t, rec.Select().Parallel(t.Context(), nil), mmapjfr.ErrClosed)
}

func TestParallelEndsWhenClosed(t *testing.T) {
	for _, workers := range []int{1, 4} {
		rec := openWith(t, longFile(), workers)
		var n atomic.Int64
		closed := make(chan struct{})
		require.ErrorIs(t, rec.Select().Parallel(t.Context(), func(int, mmapjfr.Event) error {
			switch n := n.Add(1); {
			case n == 5000:
				assert.NoError(t, rec.Close())
				close(closed)
			case n > 5000: // others wait for the one that closes
				<-closed
			}
			return nil
		}), mmapjfr.ErrClosed)
		require.Less(t, n.Load(), int64(20_000))
	}
}

// TestParallelTellsOfDamage compares the errors with those of an iteration.
func TestParallelTellsOfDamage(t *testing.T) {
	n := mmapjfr.Path("n")
	for name, make := range damage {
		t.Run(name, func(t *testing.T) {
			c := make()
			for _, workers := range []int{1, 3} {
				rec := openWith(t, c.data, workers)
				_, errs := walk(t, rec.Select())
				var texts []string
				for _, err := range errs {
					texts = append(texts, err.Error())
				}
				for range 2 {
					got, err := mmapjfr.Fold(t.Context(), rec.Select(), func(list *[]int64, ev mmapjfr.Event) error {
						*list = append(*list, ev.Int(n))
						return nil
					}, func(list, next *[]int64) { *list = append(*list, *next...) })
					require.Error(t, err)
					assert.ElementsMatch(t, texts, strings.Split(err.Error(), "\n"))
					assert.Equal(t, c.want, got)
				}
			}
		})
	}
}

// TestParallelTellsOfManyFaults keeps the first ones, whichever worker finds them.
func TestParallelTellsOfManyFaults(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for i := range 60_000 {
		switch {
		case i%500 == 250:
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, []byte{1, 2})
		case i%100 == 50:
			b.EmitRaw(jfrtest.EventOptions{}, int64(9000+i%1000), []byte{1, 2})
		default:
			b.Emit(ty, start, i, "text")
		}
	}
	data := b.Bytes()
	var want string
	for _, workers := range []int{1, 2, 5, 5, 5} {
		err := openWith(t, data, workers).Select().Parallel(t.Context(), func(int, mmapjfr.Event) error { return nil })
		require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
		if want == "" {
			want = err.Error()
		}
		require.Equal(t, want, err.Error())
	}
	lines := strings.Split(want, "\n")
	require.Len(t, lines, 33)
	_, errs := walkAll(openBytes(t, data).Select())
	assert.Equal(t, fmt.Sprintf("there are %d more errors", len(errs)-32), lines[32])
	for i, line := range lines[:32] {
		assert.Equal(t, errs[i].Error(), line)
	}
}

// walkAll is walk without a limit.
func walkAll(sel *mmapjfr.Selection) (n int, errs []error) {
	for _, err := range sel.Events() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n++
	}
	return n, errs
}

func TestParallelAllocatesNothingPerEvent(t *testing.T) {
	skipIfChecked(t, "each event has a scratch of its own")
	rec := openWith(t, longFile(), 2)
	sel := rec.Select()
	n := 0
	scan := func() {
		n = 0
		var mu sync.Mutex
		_ = sel.Parallel(t.Context(), func(int, mmapjfr.Event) error {
			mu.Lock()
			defer mu.Unlock()
			n++
			return nil
		})
	}
	scan()
	require.Greater(t, n, 60_000)
	assert.Less(t, testing.AllocsPerRun(3, scan), 200.0)
}

func TestWorkersCannotBeNegative(t *testing.T) {
	_, err := mmapjfr.OpenBytes(longFile(), mmapjfr.Workers(-1))
	require.EqualError(t, err, "the number of workers cannot be -1")
}
