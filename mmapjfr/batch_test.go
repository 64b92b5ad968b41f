package mmapjfr_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// inlinePaths returns the paths to all that lies in events of the type themselves.
func inlinePaths(typ mmapjfr.Type, prefix string, depth int) (list []string) {
	for _, f := range typ.Fields() {
		list = append(list, prefix+f.Name())
		if !f.IsConstant() && !f.IsArray() && depth < 3 {
			list = append(list, inlinePaths(f.Type(), prefix+f.Name()+".", depth+1)...)
		}
	}
	return list
}

// sameAsEvents compares all columns of a batch with what its events say.
func sameAsEvents(t assert.TestingT, b *mmapjfr.Batch) {
	for _, text := range append(inlinePaths(engine.BatchType(b), "", 0), "no.such", "stackTrace.frames[0].lineNumber") {
		p := mmapjfr.Path(text)
		ints, floats := slices.Clone(engine.BatchInts(b, p)), slices.Clone(engine.BatchFloats(b, p))
		again := slices.Clone(engine.BatchInts(b, p))
		texts, places, has := slices.Clone(engine.BatchStrings(b, p)), slices.Clone(engine.BatchConstants(b, p)), engine.BatchHasStrings(b, p)
		assert.Equal(t, ints, again, text)
		for i := range engine.BatchLen(b) {
			ev := engine.BatchEvent(b, i)
			want, got := ev.Get(p), engine.BatchValue(b, p, i)
			switch f, _ := want.Field(); {
			case ints != nil && places != nil:
				if got.Kind() != mmapjfr.KindString { // wrappers tell the key of what they wrap
					assert.Equal(t, engine.ValueKey(got), ints[i], text)
				}
			case ints != nil:
				assert.Equal(t, ev.Int(p), ints[i], "%s of %s", text, ev)
			case floats != nil:
				assert.Equal(t, math.Float64bits(ev.Float(p)), math.Float64bits(floats[i]), text)
			case texts != nil || places != nil || strings.Contains(text, "["):
			default:
				// Neither a number nor a string: it must be one of these.
				assert.True(t, slices.Contains([]mmapjfr.Kind{mmapjfr.KindStruct, mmapjfr.KindArray}, want.Kind()) || want.IsAbsent(), "%s: %s of %v", text, want.Kind(), f)
			}
			if texts != nil {
				assert.Equal(t, want.Str(), texts[i], text)
				assert.Equal(t, want.Kind() == mmapjfr.KindString, has[i], text)
			}
			if places != nil {
				assert.Equal(t, want.Kind() == mmapjfr.KindNone && (want.IsMissing() || want.IsNull()) && want.Kind() != mmapjfr.KindString && places[i] == 0, places[i] == 0, text)
			}
			if want.Kind() != got.Kind() || want.IsNull() != got.IsNull() || want.IsMissing() != got.IsMissing() || want.String() != got.String() {
				assert.Equal(t, want.Kind(), got.Kind(), text)
				assert.Equal(t, want.IsNull(), got.IsNull(), text)
				assert.Equal(t, want.IsMissing(), got.IsMissing(), text)
				assert.Equal(t, want.String(), got.String(), text)
			}
		}
	}
}

// TestBatchesAreTheEvents reads all recordings in batches.
func TestBatchesAreTheEvents(t *testing.T) {
	check := func(t *testing.T, data []byte, every int) {
		events, errs := walk(t, openBytes(t, data).Select())
		for _, rec := range []*mmapjfr.Recording{openWith(t, data, 1), openWith(t, data, 3)} {
			var mu sync.Mutex
			var got []uint64
			n := 0
			err := engine.SelectionBatches(rec.Select(), t.Context(), func(worker int, b *mmapjfr.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				require.Equal(t, worker, engine.BatchWorker(b))
				require.Positive(t, engine.BatchLen(b))
				require.LessOrEqual(t, engine.BatchLen(b), mmapjfr.BatchLen)
				for i := range engine.BatchLen(b) {
					if i > 0 && engine.BatchEvent(b, i).Offset() <= engine.BatchEvent(b, i-1).Offset() {
						require.Greater(t, engine.BatchEvent(b, i).Offset(), engine.BatchEvent(b, i-1).Offset())
					}
					if engine.BatchType(b) != engine.BatchEvent(b, i).Type() || engine.BatchChunk(b) != engine.BatchEvent(b, i).Chunk() {
						require.Equal(t, engine.BatchType(b), engine.BatchEvent(b, i).Type())
						require.Equal(t, engine.BatchChunk(b), engine.BatchEvent(b, i).Chunk())
					}
					got = append(got, engine.BatchEvent(b, i).Offset())
				}
				if n++; n%every == 0 {
					sameAsEvents(t, b)
				}
				return nil
			})
			slices.Sort(got)
			require.Equal(t, offsetsOf2(events), got)
			require.Equal(t, len(errs) == 0, err == nil)
			if err != nil {
				var texts []string
				for _, err := range errs {
					texts = append(texts, err.Error())
				}
				require.ElementsMatch(t, texts, strings.Split(err.Error(), "\n"))
			}
		}
	}
	t.Run("long", func(t *testing.T) { check(t, longFile(), longtest.Cases(50, 20)) })
	t.Run("sample", func(t *testing.T) {
		forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) { check(t, b.Bytes(), 1) })
	})
	t.Run("forgetful", func(t *testing.T) {
		forms(t, forgetful, func(t *testing.T, b *jfrtest.Builder) { check(t, b.Bytes(), 1) })
	})
	for name, make := range damage {
		t.Run(name, func(t *testing.T) { check(t, make().data, 1) })
	}
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			t.Skip("of a version that is not read")
		}
		every := 1
		if !longtest.Enabled() || len(data) > 1<<20 {
			every = 50
		}
		check(t, data, every)
	})
}

// TestBatchesOfASelection selects within types.
func TestBatchesOfASelection(t *testing.T) {
	rec := openWith(t, longFile(), 2)
	for _, c := range []choice{
		inThreads("worker-3", "worker-9"),
		and(ofType("test.Number", "test.Text"), between(rec.Start().Add(time.Millisecond), rec.Start().Add(3*time.Millisecond))),
		ofType("test.Rare"),
	} {
		want, errs := walk(t, rec.Select(c.filters...))
		require.Empty(t, errs)
		require.NotEmpty(t, want)
		got, err := engine.FoldBatches(t.Context(), rec.Select(c.filters...), func(list *[]uint64, b *mmapjfr.Batch) error {
			for i := range engine.BatchLen(b) {
				*list = append(*list, engine.BatchEvent(b, i).Offset())
			}
			return nil
		}, func(list, next *[]uint64) { *list = append(*list, *next...) })
		require.NoError(t, err)
		slices.Sort(got)
		require.Equal(t, offsetsOf2(want), got, c.name)
	}
}

func TestBatchesFail(t *testing.T) {
	for _, workers := range []int{1, 3} {
		bad := errors.New("bad")
		err := engine.SelectionBatches(openWith(t, longFile(), workers).Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
			if engine.BatchType(b).Name() == "test.Rare" {
				return bad
			}
			return nil
		})
		require.ErrorIs(t, err, bad)
	}
}

// TestBatchesWithMisfits puts events that do not fit among others of their type.
func TestBatchesWithMisfits(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	var want []int64
	for i := range 3000 {
		if i%700 == 350 {
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, []byte{1, 2})
			continue
		}
		want = append(want, int64(i))
		b.Emit(ty, start, i, "text")
	}
	n := mmapjfr.Path("n")
	rec := openWith(t, b.Bytes(), 2)
	_, errs := walk(t, rec.Select())
	require.Len(t, errs, 4)
	got, err := engine.FoldBatches(t.Context(), rec.Select(), func(list *[]int64, b *mmapjfr.Batch) error {
		*list = append(*list, engine.BatchInts(b, n)...)
		return nil
	}, func(list, next *[]int64) { *list = append(*list, *next...) })
	require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
	require.Equal(t, len(strings.Split(err.Error(), "\n")), len(errs))
	require.Equal(t, want, got)
}

func TestBatchesAllocateNothingPerEvent(t *testing.T) {
	skipIfChecked(t, "it allocates")
	if raceEnabled || copiesStrings {
		t.Skip("it allocates more here")
	}
	rec := openWith(t, longFile(), 2)
	sel := rec.Select(mmapjfr.Types("test.Text", "test.Number"))
	ticks, text, ratio, thread := mmapjfr.Path("startTime"), mmapjfr.Path("text"), mmapjfr.Path("ratio"), mmapjfr.Path("eventThread")
	scan := func() {
		_ = engine.SelectionBatches(sel, t.Context(), func(_ int, b *mmapjfr.Batch) error {
			_, _, _, _ = engine.BatchInts(b, ticks), engine.BatchStrings(b, text), engine.BatchFloats(b, ratio), engine.BatchConstants(b, thread)
			return nil
		})
	}
	scan()
	assert.Less(t, testing.AllocsPerRun(3, scan), 400.0)
}
