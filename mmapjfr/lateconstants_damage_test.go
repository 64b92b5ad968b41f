package mmapjfr_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// symbols is a path to a constant of the events that withSymbols builds.
var symbols = mmapjfr.Path("symbol")

// withSymbols builds a chunk of n events with a constant, which cannot be read if it
// is damaged.
func withSymbols(events int, damaged bool) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	ty := b.Event("test.E", jfrtest.Const("symbol", "jdk.types.Symbol"))
	b.Constant("jdk.types.Symbol", 1, "there")
	for range events {
		b.Emit(ty, start, 1)
	}
	if damaged {
		b.ForceCheckpointOffset = new(int64(1 << 40))
	}
	return b
}

// eachError returns the errors that are joined in one.
func eachError(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// TestDamagedConstantsThatAreReadLate: the first event of each chunk is kept, and its constant
// read when the iteration has come to another event. It reports all damage before it ends,
// once for each chunk.
func TestDamagedConstantsThatAreReadLate(t *testing.T) {
	data, _ := jfrtest.Concat(withSymbols(3, true), withSymbols(200, true), withSymbols(3, false), withSymbols(70, true))
	for _, at := range []int{3, 4, 67, 203, 206, 207, 270, 275} { // the ordinals of events
		rec := openBytes(t, data)
		var kept []mmapjfr.Event
		var chunks []int
		n := 0
		for ev, err := range rec.Events() {
			if err != nil {
				var where *mmapjfr.FormatError
				require.ErrorAs(t, err, &where)
				assert.Equal(t, rec.Chunks()[where.Chunk].ConstantsErr(), err)
				chunks = append(chunks, where.Chunk)
				continue
			}
			if len(kept) == 0 || kept[len(kept)-1].Chunk() != ev.Chunk() {
				kept = append(kept, ev.Detached())
			}
			if n == at {
				for _, ev := range kept {
					_ = ev.Get(symbols).Str()
				}
			}
			n++
		}
		assert.Equal(t, 276, n)
		want := []int{0, 1}
		if at >= 206 {
			want = []int{0, 1, 3}
		}
		assert.ElementsMatch(t, want, chunks, "at event %d", at)
		_, errs := walk(t, rec.Select())
		assert.Len(t, errs, len(want), "what is known is reported by each walk")
	}
}

// TestDamagedConstantsOfALastChunk are reported by everything that reads events, once.
func TestDamagedConstantsOfALastChunk(t *testing.T) {
	data, _ := jfrtest.Concat(withSymbols(5, false), withSymbols(5, true))
	read := func(ev mmapjfr.Event) { _ = ev.Get(symbols).Str() }
	type row struct {
		Symbol string `jfr:"symbol"`
	}
	for name, errorsOf := range map[string]func(ctx context.Context, rec *mmapjfr.Recording) error{
		"Cursor": func(_ context.Context, rec *mmapjfr.Recording) error {
			var errs []error
			for cur := rec.Select().Cursor(); ; {
				for cur.Next() {
					read(cur.Event())
				}
				if cur.Err() == nil {
					return errors.Join(errs...)
				}
				errs = append(errs, cur.Err())
			}
		},
		"At": func(_ context.Context, rec *mmapjfr.Recording) error {
			chunk := rec.Chunks()[1].Select().Cursor()
			require.True(t, chunk.Next())
			cur := engine.CursorCloneAt(chunk, chunk.Event())
			var errs []error
			for {
				for cur.Next() {
					read(cur.Event())
				}
				if cur.Err() == nil {
					return errors.Join(errs...)
				}
				errs = append(errs, cur.Err())
			}
		},
		"Bind": func(_ context.Context, rec *mmapjfr.Recording) error {
			b, err := mmapjfr.Bind[row](rec, "test.E")
			require.NoError(t, err)
			var errs []error
			for _, err := range b.Events() {
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
		"Parallel": func(ctx context.Context, rec *mmapjfr.Recording) error {
			return rec.Select().Parallel(ctx, func(_ int, ev mmapjfr.Event) error { read(ev); return nil })
		},
		"Batches": func(ctx context.Context, rec *mmapjfr.Recording) error {
			return engine.SelectionBatches(rec.Select(), ctx, func(_ int, b *mmapjfr.Batch) error { engine.BatchStrings(b, symbols); return nil })
		},
		"Fold": func(ctx context.Context, rec *mmapjfr.Recording) error {
			_, err := mmapjfr.Fold(ctx, rec.Select(), func(_ *int, ev mmapjfr.Event) error { read(ev); return nil }, func(_, _ *int) {})
			return err
		},
		"FoldBatches": func(ctx context.Context, rec *mmapjfr.Recording) error {
			_, err := engine.FoldBatches(ctx, rec.Select(), func(_ *int, b *mmapjfr.Batch) error { engine.BatchStrings(b, symbols); return nil }, func(_, _ *int) {})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				rec := openBytes(t, data)
				assert.Equal(t, []error{rec.Chunks()[1].ConstantsErr()}, eachError(errorsOf(t.Context(), openBytes(t, data))))
			}
		})
	}
}
