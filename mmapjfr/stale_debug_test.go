//go:build jfrdebug

package mmapjfr_test

import (
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// elsewhere runs do in another goroutine and returns what it panics with.
func elsewhere(do func()) (p any) {
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { p = recover() }()
		do()
	})
	wg.Wait()
	return p
}

// TestEventsBelongToOneGoroutine reads events of iterations that go on in other ones.
func TestEventsBelongToOneGoroutine(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	const wrong = "mmapjfr: Event.StartTicks is called on an event that another goroutine is iterating over; use Event.Detached"
	var last mmapjfr.Event
	n := 0
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if !last.IsZero() {
			require.Equal(t, wrong, elsewhere(func() { engine.EventStartTicks(last) }), "one that was kept")
		}
		require.Equal(t, wrong, elsewhere(func() { engine.EventStartTicks(ev) }))
		require.Nil(t, elsewhere(func() { engine.EventStartTicks(ev.Detached()) }))
		require.Nil(t, elsewhere(func() { _ = ev.Type().Name() }), "that shares nothing")
		if last = ev; n > 100 {
			break
		}
		n++
	}
	assert.Nil(t, elsewhere(func() { engine.EventStartTicks(last) }), "the iteration has ended")

	cur := rec.Select().Cursor()
	require.True(t, cur.Next())
	assert.Equal(t, wrong, elsewhere(func() { engine.EventStartTicks(cur.Event()) }))
	assert.Nil(t, elsewhere(func() {
		if cur.Next() {
			engine.EventStartTicks(cur.Event())
		}
	}), "it has been handed over")
	for cur.Next() {
	}
	assert.Nil(t, elsewhere(func() { engine.EventStartTicks(cur.Event()) }), "it is at its end")

	// A coroutine runs only while the reader waits.
	next, stop := iter.Pull2(rec.Events())
	defer stop()
	for range 100 {
		ev, _, _ := next()
		require.Positive(t, engine.EventStartTicks(ev))
	}
}

// TestKeptEventsFindTheirFieldsBehindTheirIteration: the memory that was shared does not
// tell about them any more.
func TestKeptEventsFindTheirFieldsBehindTheirIteration(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	var events []mmapjfr.Event
	var want []string
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		events, want = append(events, ev), append(want, told(ev))
	}
	for i, ev := range events {
		require.Equal(t, want[i], told(ev))
	}
}

// TestEventsOfParallelAreOver when the function that gets them has returned.
func TestEventsOfParallelAreOver(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	var mu sync.Mutex
	var kept, detached []mmapjfr.Event
	keep := func(_ int, ev mmapjfr.Event) error {
		mu.Lock()
		defer mu.Unlock()
		assert.NotZero(t, engine.EventStartTicks(ev))
		kept, detached = append(kept, ev), append(detached, ev.Detached())
		return nil
	}
	require.NoError(t, rec.Select().Parallel(t.Context(), keep))
	require.NotEmpty(t, kept)
	for i, ev := range kept {
		require.PanicsWithValue(t, "mmapjfr: Event.StartTicks is called on an event that was kept after the function that got it returned; use Event.Detached",
			func() { engine.EventStartTicks(ev) })
		require.NotZero(t, engine.EventStartTicks(detached[i]))
	}
	_, err := mmapjfr.Fold(t.Context(), rec.Select(), func(sum *mmapjfr.Event, ev mmapjfr.Event) error {
		if !sum.IsZero() {
			require.Panics(t, func() { engine.EventStartTicks(*sum) })
		}
		*sum = ev
		return nil
	}, func(_, _ *mmapjfr.Event) {})
	require.NoError(t, err)
}

// columnsFile holds events with fields of all kinds that columns are of.
func columnsFile(n int) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("n", "int"), jfrtest.Of("x", "double"), jfrtest.Of("y", "float"), jfrtest.Of("a", jfrtest.StringClass),
		jfrtest.Of("list", "long").Array(), jfrtest.Of("strs", jfrtest.StringClass).Array())
	for i := range n {
		b.Emit(ty, start+i, i, float64(i), float32(-i), "text", []int64{int64(i), 2}, []string{"a", "b"})
	}
	return b
}

// TestBatchesAreOver when the function that gets them has returned, and so are columns.
func TestBatchesAreOver(t *testing.T) {
	rec, _ := openBuilt(t, columnsFile(300))
	n, x, a := mmapjfr.Path("n"), mmapjfr.Path("x"), mmapjfr.Path("a")
	var kept *mmapjfr.Batch
	var ints []int64
	var floats []float64
	var texts []string
	var event mmapjfr.Event
	require.NoError(t, engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
		kept, event = b, engine.BatchEvent(b, 1)
		ints, floats, texts = engine.BatchInts(b, n), engine.BatchFloats(b, x), engine.BatchStrings(b, a)
		assert.Equal(t, "text", texts[0])
		return nil
	}))
	for name, use := range map[string]func(){
		"Len": func() { engine.BatchLen(kept) }, "TypeOf": func() { engine.BatchType(kept) }, "ChunkOf": func() { engine.BatchChunk(kept) }, "EventOf": func() { engine.BatchEvent(kept, 0) },
		"Ints": func() { engine.BatchInts(kept, n) }, "FloatsOf": func() { engine.BatchFloats(kept, x) }, "StringsOf": func() { engine.BatchStrings(kept, a) },
		"ConstantsOf": func() { engine.BatchConstants(kept, n) }, "ValueOf": func() { engine.BatchValue(kept, n, 0) },
	} {
		assert.PanicsWithValue(t, "mmapjfr: Batch."+name+" is called after the function that got the batch returned", use, name)
	}
	for i := range ints {
		require.Equal(t, int64(0x5A5A5A5A5A5A5A5A), ints[i])
		require.True(t, math.IsNaN(floats[i]))
		require.Contains(t, texts[i], "used again")
	}
	assert.Positive(t, engine.EventStartTicks(event), "an event may be kept")
}

// TestColumnsThatAreUsedAgain: the next call takes the memory of strings and of constants.
func TestColumnsThatAreUsedAgain(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	thread, stack := mmapjfr.Path("sampledThread"), mmapjfr.Path("stackTrace")
	var tested atomic.Int64
	require.NoError(t, engine.SelectionBatches(rec.Select(mmapjfr.Types("jdk.ExecutionSample")), t.Context(), func(_ int, b *mmapjfr.Batch) error {
		first := engine.BatchConstants(b, thread)
		want := slices.Clone(first)
		second := engine.BatchConstants(b, stack)
		assert.NotEqual(t, want, first)
		assert.Equal(t, int64(0x5A5A5A5A5A5A5A5A), first[0])
		assert.NotEqual(t, first, second)
		tested.Add(1)
		return nil
	}))
	assert.Positive(t, tested.Load())
}

// TestSlicesOfRowsAreUsedAgain: anybody who keeps one finds nothing in it.
func TestSlicesOfRowsAreUsedAgain(t *testing.T) {
	rec, _ := openBuilt(t, columnsFile(3))
	type row struct {
		N    int32           `jfr:"n"`
		List []int64         `jfr:"list"`
		Strs []string        `jfr:"strs"`
		Vals []mmapjfr.Value `jfr:"list"`
	}
	bound, err := mmapjfr.Bind[row](rec, "E")
	require.NoError(t, err)
	var rows []row
	for r, err := range bound.Events() {
		require.NoError(t, err)
		require.Equal(t, []int64{int64(r.N), 2}, r.List)
		rows = append(rows, r)
	}
	require.Len(t, rows, 3)
	for _, r := range rows[:2] {
		assert.Equal(t, []int64{0x5A5A5A5A5A5A5A5A, 0x5A5A5A5A5A5A5A5A}, r.List)
		assert.Contains(t, r.Strs[1], "used again")
		assert.PanicsWithValue(t, "mmapjfr: Value.Int is called after the slice that it was in has been used again", func() { r.Vals[0].Int() })
	}
	assert.Equal(t, []string{"a", "b"}, rows[2].Strs)
}
