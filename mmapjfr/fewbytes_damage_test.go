package mmapjfr_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestDamageTextOfConstantsInOneAnother: a hundred that hold a hundred each are a
// million on three levels.
func TestDamageTextOfConstantsInOneAnother(t *testing.T) {
	b := jfrtest.NewChunk()
	fields, keys, list := make([]jfrtest.Field, 100), make([]any, 100), make([]int, 10_000)
	for i := range fields {
		fields[i], keys[i] = jfrtest.Const("f", "Fan"), 1
	}
	for i := range list {
		list[i] = 1
	}
	b.Class("Fan", fields...)
	b.Class("List", jfrtest.Const("all", "List").Array())
	b.Constant("Fan", 1, keys...)
	b.Constant("List", 1, list)
	b.Emit(b.Event("E", jfrtest.Const("fan", "Fan"), jfrtest.Const("list", "List")), start, 1, 1)
	rec, _ := openBuilt(t, b)
	ev := first(t, rec)
	for _, text := range []string{
		ev.Value().Text(), ev.Get(mmapjfr.Path("fan")).Text(), ev.Get(mmapjfr.Path("list")).Text(),
	} {
		assert.Less(t, len(text), 70_000)
		assert.Greater(t, len(text), 60_000)
		assert.Contains(t, text, "...")
	}
}

// TestDamageFieldsOfADetachedEvent are those of the event as it was handed out.
func TestDamageFieldsOfADetachedEvent(t *testing.T) {
	for ev, err := range openFile(t, "jdk25-kinds.jfr").Events() {
		require.NoError(t, err)
		var laid, detached []string
		for f, v := range ev.Fields() {
			laid = append(laid, f.Name()+v.Text())
		}
		for f, v := range ev.Detached().Fields() {
			detached = append(detached, f.Name()+v.Text())
		}
		require.Equal(t, laid, detached)
	}
}

// TestDamageBatchesOfWideClasses: there is room for the events that there are, and none
// for those that cannot have that many fields. Their columns are right.
func TestDamageBatchesOfWideClasses(t *testing.T) {
	b := jfrtest.NewChunk()
	fields := make([]jfrtest.Field, 3000)
	for i := range fields {
		fields[i] = jfrtest.Of("f"+strings.Repeat("x", i%7), "int")
	}
	fields[2999].Name = "last"
	wide := b.Event("Wide", fields...)
	values := make([]any, 3001)
	for n := range 40 {
		for i := range values {
			values[i] = n
		}
		b.Emit(wide, slices.Clone(values)...)
		b.EmitRaw(jfrtest.EventOptions{}, wide.ID, []byte{1, 2})
	}
	rec, _ := openBuilt(t, b)
	var got []int64
	err := engine.SelectionBatches(rec.Select(), context.Background(), func(_ int, b *mmapjfr.Batch) error {
		got = append(got, engine.BatchInts(b, mmapjfr.Path("last"))...)
		return nil
	})
	require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
	require.Len(t, got, 40)
	for n, v := range got {
		assert.Equal(t, int64(n), v)
	}
}

// TestDamageThreadsThatShareAName are found all the same.
func TestDamageThreadsThatShareAName(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Constant(jfrtest.StringClass, 1, "shared")
	for i := range 4 {
		b.Constant("java.lang.Thread", i+1, nil, 1, jfrtest.Pooled(1), 1, 0, false)
	}
	b.Constant("java.lang.Thread", 5, "os", 1, nil, 1, 0, false)
	b.Constant("java.lang.Thread", 6, nil, 1, nil, 1, 0, false)
	ty := b.Event("E", jfrtest.EventThread())
	for i := range 6 {
		b.Emit(ty, start, i+1)
	}
	rec, _ := openBuilt(t, b)
	assert.Len(t, matching(t, rec, "shared"), 4)
	assert.Len(t, matching(t, rec, "o*"), 1)
	assert.Len(t, matching(t, rec, "*"), 6)
}

func matching(t *testing.T, rec *mmapjfr.Recording, name string) []mmapjfr.Event {
	t.Helper()
	events, errs := walk(t, rec.Select(mmapjfr.Threads(name)))
	require.Empty(t, errs)
	return events
}

// TestDamageOrdinalsCountEachChunkOnce: with the square of their number, a million
// chunks would take hours.
func TestDamageOrdinalsCountEachChunkOnce(t *testing.T) {
	if !wire.Debug {
		t.Skip("steps are counted with -tags jfrdebug")
	}
	const chunks = 500
	b := jfrtest.NewEmptyChunk()
	b.Class("long")
	b.Emit(b.Event("E"), start)
	var data []byte
	for range chunks {
		b.Header.StartNanos++ // equal chunks would count once
		data = append(data, b.Bytes()...)
	}
	rec := openBytes(t, data)
	events := all(t, rec)
	require.Len(t, events, chunks)
	for _, c := range rec.Chunks() {
		engine.ChunkIndex(c).Blocks()
	}
	before := wire.Steps()
	for i, ev := range events {
		require.Equal(t, uint64(i), ev.Detached().Ordinal())
	}
	assert.Less(t, wire.Steps()-before, uint64(50*chunks))
}
