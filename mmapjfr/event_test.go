package mmapjfr_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestEventPlace(t *testing.T) {
	data, layouts := jfrtest.Concat(newSample(), newSample().Uncompressed())
	rec := openBytes(t, data)
	events := all(t, rec)
	i := 0
	for chunk, l := range layouts {
		for _, want := range l.Events {
			ev := events[i]
			assert.Equal(t, uint64(want.Offset), ev.Offset())
			assert.Equal(t, int(want.Size), ev.Size())
			assert.Equal(t, want.Of(data), engine.EventBytes(ev))
			assert.Equal(t, len(engine.EventBytes(ev)), cap(engine.EventBytes(ev)), "nobody can append to the recording")
			assert.Equal(t, chunk, ev.Chunk().Number())
			assert.Equal(t, uint64(i), ev.Ordinal())
			assert.Equal(t, want.Type, ev.Type().ID())
			assert.False(t, ev.IsZero())
			i++
		}
	}
	assert.Len(t, events, i)
	assert.True(t, mmapjfr.Event{}.IsZero())
}

// told is what an event says of its fields.
func told(ev mmapjfr.Event) string {
	var b bytes.Buffer
	for f, v := range ev.Fields() {
		b.WriteString(f.Name() + "=" + v.Text() + ";")
	}
	b.WriteString(ev.Value().Text())
	return b.String()
}

// TestEventsOfAPrimitive: damaged metadata can give an event the name of one. Then it is an
// event of no type that is known, whichever way it is come to.
func TestEventsOfAPrimitive(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"int", "long"} {
		b.Class(name)
	}
	ty := b.Event("E", jfrtest.Of("n", "int"))
	b.Emit(ty, start, 7)
	ty.Name = "long"
	rec := openBytes(t, b.Bytes())
	events, errs := walk(t, rec.Select())
	require.Empty(t, events)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], mmapjfr.ErrUnknownType)
	var at *mmapjfr.FormatError
	require.ErrorAs(t, errs[0], &at)
	_, err := rec.EventAtOffset(at.Offset)
	require.ErrorIs(t, err, mmapjfr.ErrUnknownType)
}

// TestKeptEventsReadRight: the scratch of an iteration tells about one event at
// a time, and those before it must notice.
func TestKeptEventsReadRight(t *testing.T) {
	rec, _ := openBuilt(t, newSample(), newSample().Uncompressed(), newSample())
	var kept []mmapjfr.Event
	var want []string
	check := func() {
		for i, ev := range kept {
			require.Equal(t, want[i], told(ev), "event %d after %d", i, len(kept))
			require.Equal(t, want[i], told(ev.Detached()))
		}
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		kept, want = append(kept, ev), append(want, told(ev))
		check()
	}
	check()
	for i := len(kept) - 1; i >= 0; i-- {
		require.Equal(t, want[i], told(kept[i]))
	}
	for _, err := range rec.Events() {
		require.NoError(t, err)
		check()
		break
	}
}

// TestKeptEventsOfACursor: the same, and where an event in between is damaged.
func TestKeptEventsOfACursor(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("n", "int"))
	b.Emit(ty, start, "one", 1)
	b.Emit(ty, start, jfrtest.UTF8("two").Claiming(1000), 2)
	b.Emit(ty, start, "three", 3)
	rec, _ := openBuilt(t, b)
	n := mmapjfr.Path("n")
	cur := rec.Select().Cursor()
	require.True(t, cur.Next())
	one := cur.Event()
	require.False(t, cur.Next())
	require.ErrorIs(t, cur.Err(), mmapjfr.ErrCorrupt)
	assert.Equal(t, int64(1), one.Int(n))
	assert.Equal(t, int64(1), cur.Event().Int(n), "Event is still the last that was read")
	require.True(t, cur.Next())
	assert.Equal(t, int64(1), one.Int(n))
	assert.Equal(t, int64(3), cur.Event().Int(n))
	require.False(t, cur.Next())
	require.NoError(t, cur.Err())
	require.False(t, cur.Next())
	require.NoError(t, cur.Err())
	assert.Equal(t, int64(1), one.Int(n))
}

// TestKeptEventsOfOtherChunks: two events can lie at the same place of their
// chunks, and have other layouts.
func TestKeptEventsOfOtherChunks(t *testing.T) {
	a, b := jfrtest.NewChunk(), jfrtest.NewChunk()
	a.Emit(a.Event("E", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("n", "int")), start, "a long text", 1)
	b.Emit(b.Event("E", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass)), start, 2, "b")
	rec, _ := openBuilt(t, a, b)
	cur := rec.Select().Cursor()
	require.True(t, cur.Next())
	kept := cur.Event()
	require.True(t, cur.Next())
	assert.Equal(t, int64(1), kept.Int(mmapjfr.Path("n")))
	assert.Equal(t, int64(2), cur.Event().Int(mmapjfr.Path("n")))
	assert.Equal(t, "a long text", kept.Str(mmapjfr.Path("text")))
}

func TestTwoIterationsAtOnce(t *testing.T) {
	rec, _ := openBuilt(t, newSample())
	a, b := rec.Select().Cursor(), rec.Select().Cursor()
	for a.Next() {
		require.True(t, b.Next())
		assert.Equal(t, told(b.Event()), told(a.Event()))
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			_ = told(ev)
		}
		assert.Equal(t, told(b.Event()), told(a.Event()))
	}
	require.NoError(t, a.Err())
}

func TestCursorWalksAsTheIteratorDoes(t *testing.T) {
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			return
		}
		rec := openBytes(t, data)
		cur := rec.Select().Cursor()
		for ev, err := range rec.Events() {
			if !cur.Next() {
				require.Equal(t, err, cur.Err())
				continue
			}
			require.NoError(t, err)
			require.Equal(t, ev.Offset(), cur.Event().Offset())
			require.Equal(t, ev.Type(), cur.Event().Type())
		}
		require.False(t, cur.Next())
		require.NoError(t, cur.Err())
	})
}

// TestTypesOfEventsAreComparable: a type is the same for all events of a chunk,
// also where an older metadata event had to be asked in between.
func TestTypesOfEventsAreComparable(t *testing.T) {
	rec, _ := openBuilt(t, forgetful())
	byName := map[string]mmapjfr.Type{}
	for _, ev := range all(t, rec) {
		want, ok := byName[ev.Type().Name()]
		if !ok {
			byName[ev.Type().Name()] = ev.Type()
			continue
		}
		assert.Equal(t, want.ID(), ev.Type().ID())
		assert.True(t, want == ev.Type(), "%s is not itself", want)
	}
	assert.Len(t, byName, 2)
}

// forgetful builds a chunk whose newest metadata event has forgotten a type.
func forgetful() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	lasting := b.Event("test.Lasting", jfrtest.Of("n", "int"), jfrtest.Const("symbol", "jdk.types.Symbol"))
	others := append([]*jfrtest.Class(nil), b.Classes()...)
	gone := b.Event("test.Gone", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("a", "int"), jfrtest.Of("b", "int"), jfrtest.Of("n", "int"))
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: b.Classes()})
	cp := b.Checkpoint(0)
	cp.Add("jdk.types.Symbol", 1, "symbol")
	b.Emit(lasting, start, 1, 1)
	b.Emit(gone, start, "x", 1, 2, 2)
	b.Emit(lasting, start, 3, 1)
	b.Emit(gone, start, "x", 1, 2, 4)
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: others})
	b.Emit(lasting, start, 5, 1)
	b.Emit(gone, start, "x", 1, 2, 6)
	return b
}

func TestTypesThatTheNewestMetadataForgot(t *testing.T) {
	forms(t, forgetful, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		n, symbol := mmapjfr.Path("n"), mmapjfr.Path("symbol")
		for range 2 {
			events := all(t, rec)
			require.Len(t, events, 6)
			for i, ev := range events {
				assert.Equal(t, int64(i+1), ev.Int(n))
				if i%2 == 0 {
					assert.Equal(t, "symbol", ev.Str(symbol))
				}
				again, err := rec.EventAtOffset(ev.Offset())
				require.NoError(t, err)
				assert.Equal(t, told(ev), told(again))
			}
		}
		for name, want := range map[string]int{"test.Gone": 3, "test.Lasting": 3} {
			fresh, _ := openBuilt(t, b)
			events, errs := walk(t, fresh.Select(mmapjfr.Types(name)))
			assert.Empty(t, errs)
			assert.Len(t, events, want, name)
		}
	})
}

// TestFieldsOfNoBytes: a class can have no fields, and then its values have no
// bytes: before others, after them, and alone.
func TestFieldsOfNoBytes(t *testing.T) {
	build := func(alone bool) func() *jfrtest.Builder {
		return func() *jfrtest.Builder {
			b := jfrtest.NewEmptyChunk()
			b.Class("long")
			b.Class("test.Empty")
			if alone {
				ty := b.Class("test.Alone", jfrtest.Of("nothing", "test.Empty"))
				ty.SuperType = jfrtest.EventSuperType
				b.Emit(ty, jfrtest.Raw{})
				return b
			}
			ty := b.Event("test.Around", jfrtest.Of("before", "test.Empty"), jfrtest.Of("n", "long"), jfrtest.Of("after", "test.Empty"))
			b.Emit(ty, start, jfrtest.Raw{}, 7, jfrtest.Raw{})
			b.Emit(ty, start, jfrtest.Raw{}, 7, jfrtest.Raw{})
			return b
		}
	}
	t.Run("alone", func(t *testing.T) {
		forms(t, build(true), func(t *testing.T, b *jfrtest.Builder) {
			rec, _ := openBuilt(t, b)
			for _, err := range rec.Events() {
				require.NoError(t, err)
			}
			require.NotPanics(t, func() {
				for ev := range rec.Events() {
					assert.Equal(t, "nothing={};{nothing: {}}", told(ev))
					assert.Equal(t, mmapjfr.KindStruct, ev.Get(mmapjfr.Path("nothing")).Kind())
					assert.True(t, ev.Start().IsZero())
					assert.Equal(t, told(ev.Detached()), told(ev))
				}
			})
		})
	})
	t.Run("around", func(t *testing.T) {
		forms(t, build(false), func(t *testing.T, b *jfrtest.Builder) {
			rec, _ := openBuilt(t, b)
			require.NotPanics(t, func() {
				n := 0
				for ev, err := range rec.Events() {
					require.NoError(t, err)
					assert.Equal(t, int64(7), ev.Int(mmapjfr.Path("n")))
					assert.Equal(t, mmapjfr.KindStruct, ev.Get(mmapjfr.Path("before")).Kind())
					assert.Equal(t, mmapjfr.KindStruct, ev.Get(mmapjfr.Path("after")).Kind())
					assert.Equal(t, told(ev.Detached()), told(ev))
					n++
				}
				assert.Equal(t, 2, n)
			})
		})
	})
}
