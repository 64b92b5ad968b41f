package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestKeyOfAPooledStringInAWrapper: the key is that of the string, also where a constant
// of a simple type leads to it, and also if it is missing.
func TestKeyOfAPooledStringInAWrapper(t *testing.T) {
	forms(t, jfrtest.NewChunk, func(t *testing.T, b *jfrtest.Builder) {
		b.Class("Symbols", jfrtest.Of("inner", "jdk.types.Symbol")).Simple()
		ty := b.Event("E", jfrtest.Const("name", "jdk.types.Symbol"), jfrtest.Of("inPlace", "Symbols"))
		for _, key := range []int{4, 5, 6, 7} {
			b.Emit(ty, start, key, jfrtest.Pooled(key))
		}
		b.Constant("jdk.types.Symbol", 4, jfrtest.Pooled(-1))
		b.Constant("jdk.types.Symbol", 5, jfrtest.Pooled(9))
		b.Constant("jdk.types.Symbol", 6, jfrtest.Pooled(0))
		b.Constant("jdk.types.Symbol", 7, "its own")
		b.Constant(jfrtest.StringClass, 9, "pooled")
		rec, _ := openBuilt(t, b)
		var keys, inPlace []int64
		var texts []string
		var missing []bool
		for _, ev := range all(t, rec) {
			v := ev.Get(mmapjfr.Path("name"))
			inPlace = append(inPlace, engine.ValueKey(ev.Get(mmapjfr.Path("inPlace"))))
			keys, texts, missing = append(keys, engine.ValueKey(v)), append(texts, v.Str()), append(missing, v.IsMissing())
		}
		assert.Equal(t, []int64{-1, 9, 0, 7}, keys)
		assert.Equal(t, []int64{4, 5, 6, 7}, inPlace)
		assert.Equal(t, []string{"", "pooled", "", "its own"}, texts)
		assert.Equal(t, []bool{true, false, false, false}, missing)
	})
}

// TestPathThroughATypeThatWrapsItself ends: in place, a simple type can have no field but
// one of its own type, which no constant has ever to be read for.
func TestPathThroughATypeThatWrapsItself(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("Loop", jfrtest.Of("self", "Loop")).Simple()
	b.Class("Loops", jfrtest.Const("list", "Loop").Array()).Simple()
	ty := b.Event("E", jfrtest.Const("a", "Loop"), jfrtest.Const("b", "Loops"))
	b.Emit(ty, start, 1, 1)
	rec, _ := openBuilt(t, b)
	ev := first(t, rec)
	for _, text := range []string{"a.x", "a.self.x", "a[0]", "a.self[0].x", "b[0].x", "b[0][0]"} {
		p, err := mmapjfr.ParsePath(text)
		if err != nil {
			continue // not a path
		}
		assert.True(t, ev.Get(p).IsAbsent() || ev.Get(p).IsMissing(), text)
		_, _, err = ev.Type().Resolve(p)
		assert.Error(t, err, text)
	}
}

// TestBatchesRefuseWhatEventsDo: of elements without bytes there cannot be more than bytes
// are left in the event, also where events are decoded together.
func TestBatchesRefuseWhatEventsDo(t *testing.T) {
	forms(t, jfrtest.NewChunk, func(t *testing.T, b *jfrtest.Builder) {
		b.Class("Nothing")
		b.Class("Nothings", jfrtest.Of("list", "Nothing").Array())
		ty := b.Event("E", jfrtest.Of("list", "Nothing").Array(), jfrtest.Of("lists", "Nothings").Array())
		nothing := jfrtest.Counted{}
		b.Emit(ty, start, jfrtest.Counted{Count: 1}, nothing)
		b.Emit(ty, start, jfrtest.Counted{Count: 100}, nothing)
		b.Emit(ty, start, nothing, jfrtest.Counted{Count: 1, Values: []any{jfrtest.Inline{jfrtest.Counted{Count: 100}}}})
		rec, layouts := openBuilt(t, b)
		events, errs := walk(t, rec.Select())
		assert.Equal(t, []uint64{uint64(layouts[0].Events[0].Offset)}, offsetsOf(events))
		assert.Len(t, errs, 2)
		for _, size := range []uint64{1, 1 << 20} {
			mmapjfr.SetPartSize(t, size)
			var got []uint64
			err := engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
				for i := range engine.BatchLen(b) {
					got = append(got, engine.BatchEvent(b, i).Offset())
				}
				return nil
			})
			assert.Equal(t, offsetsOf(events), got, "parts of %d", size)
			assert.ErrorIs(t, err, mmapjfr.ErrCorrupt)
		}
	})
}
