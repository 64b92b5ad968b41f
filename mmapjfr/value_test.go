package mmapjfr_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// valueOf builds a chunk with one event and returns its field f.
func valueOf(t *testing.T, raw bool, f jfrtest.Field, v any) mmapjfr.Value {
	t.Helper()
	b := jfrtest.NewChunk()
	if raw {
		b.Uncompressed()
	}
	f.Name = "f"
	b.Emit(b.Event("E", f), start, v)
	rec, _ := openBuilt(t, b)
	return first(t, rec).Get(mmapjfr.Path("f"))
}

// TestEventAccessorsAreThoseOfTheValue: Event.Int and the like take a short way.
func TestEventAccessorsAreThoseOfTheValue(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			for _, ev := range []mmapjfr.Event{ev, ev.Detached()} {
				for f, v := range ev.Fields() {
					p := mmapjfr.Path(f.Name())
					require.Equal(t, v.Int(), ev.Int(p), f.Name())
					require.Equal(t, v.Uint(), ev.Uint(p))
					require.Equal(t, v.Bool(), ev.Bool(p))
					require.Equal(t, math.Float64bits(v.Float()), math.Float64bits(ev.Float(p)))
					require.Equal(t, v.Str(), ev.Str(p))
					require.Equal(t, v.Time(), ev.Time(p))
					require.Equal(t, v.Duration(), ev.Timespan(p))
					require.True(t, ev.Has(p))
				}
				require.False(t, ev.Has(mmapjfr.Path("nothing")))
			}
		}
	})
}

func TestFloats(t *testing.T) {
	for _, c := range []struct {
		class string
		value float64
		whole int64
		unset bool
	}{
		{"float", 1.5, 1, false},
		{"float", -1.5, -1, false},
		{"float", math.MaxFloat32, math.MaxInt64, false},
		{"float", -math.MaxFloat32, math.MinInt64, false},
		{"float", math.SmallestNonzeroFloat32, 0, false},
		{"float", math.Inf(1), math.MaxInt64, false},
		{"float", math.Inf(-1), math.MinInt64, true},
		{"float", math.NaN(), 0, true},
		{"float", math.Copysign(0, -1), 0, false},
		{"double", math.MaxFloat64, math.MaxInt64, false},
		{"double", math.SmallestNonzeroFloat64, 0, false},
		{"double", math.Inf(1), math.MaxInt64, false},
		{"double", math.Inf(-1), math.MinInt64, true},
		{"double", math.NaN(), 0, true},
		{"double", -2.75, -2, false},
	} {
		for _, raw := range []bool{false, true} {
			v := valueOf(t, raw, jfrtest.Of("f", c.class), c.value)
			if math.IsNaN(c.value) {
				assert.True(t, math.IsNaN(v.Float()))
			} else {
				assert.Equal(t, math.Float64bits(c.value), math.Float64bits(v.Float()), "%s %v", c.class, c.value)
			}
			assert.Equal(t, c.whole, v.Int(), "%s %v", c.class, c.value)
			assert.Equal(t, c.unset, engine.ValueIsUnset(v))
		}
	}
	for class, kind := range map[string]mmapjfr.Kind{"float": mmapjfr.KindFloat, "double": mmapjfr.KindDouble} {
		assert.Equal(t, kind, valueOf(t, false, jfrtest.Of("f", class), 1.0).Kind())
	}
}

func TestUnset(t *testing.T) {
	assert.True(t, engine.ValueIsUnset(valueOf(t, false, jfrtest.Of("f", "int"), math.MinInt32)))
	assert.False(t, engine.ValueIsUnset(valueOf(t, false, jfrtest.Of("f", "int"), math.MinInt32+1)))
	assert.True(t, engine.ValueIsUnset(valueOf(t, false, jfrtest.Of("f", "long"), int64(math.MinInt64))))
	assert.False(t, engine.ValueIsUnset(valueOf(t, false, jfrtest.Of("f", "long"), math.MinInt32)))
	assert.False(t, engine.ValueIsUnset(valueOf(t, false, jfrtest.Of("f", "short"), math.MinInt16)))
	assert.False(t, engine.ValueIsUnset(valueOf(t, false, jfrtest.Of("f", jfrtest.StringClass), "x")))
}

// TestNothing tells apart the ways in which there can be nothing.
func TestNothing(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		byType := map[string]mmapjfr.Event{}
		for _, ev := range all(t, rec) {
			if _, ok := byType[ev.Type().SimpleName()]; !ok {
				byType[ev.Type().SimpleName()] = ev
			}
		}
		last := all(t, rec)[8]
		for _, c := range []struct {
			name                  string
			v                     mmapjfr.Value
			null, missing, absent bool
			key                   int64
		}{
			{"null string", byType["Texts"].Get(mmapjfr.Path("null")), true, false, false, 0},
			{"empty string", byType["Texts"].Get(mmapjfr.Path("empty")), false, false, false, 0},
			{"pooled string", byType["Texts"].Get(mmapjfr.Path("pooled")), false, false, false, 3},
			{"pooled string that is missing", byType["Texts"].Get(mmapjfr.Path("gone")), false, true, false, 4},
			{"no field", byType["Texts"].Get(mmapjfr.Path("nothing")), false, false, true, 0},
			{"null constant", last.Get(mmapjfr.Path("state")), true, false, false, 0},
			{"missing constant", last.Get(mmapjfr.Path("stackTrace")), false, true, false, 4712},
			{"field of a missing constant", last.Get(mmapjfr.Path("stackTrace.truncated")), false, true, false, 0},
			{"no field of a missing constant", last.Get(mmapjfr.Path("stackTrace.nothing")), false, false, true, 0},
			{"element of a missing constant", last.Get(mmapjfr.Path("stackTrace.frames[0]")), false, true, false, 0},
			{"element beyond the end", byType["Lists"].Get(mmapjfr.Path("ints[3]")), false, false, true, 0},
			{"null element", byType["Lists"].Get(mmapjfr.Path("symbols[2]")), true, false, false, 0},
			{"missing element", byType["Lists"].Get(mmapjfr.Path("symbols[3]")), false, true, false, 4711},
			{"null text element", byType["Lists"].Get(mmapjfr.Path("strings[1]")), true, false, false, 0},
			{"empty array", byType["Lists"].Get(mmapjfr.Path("none")), false, false, false, 0},
			{"the zero value", mmapjfr.Value{}, false, false, true, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				assert.Equal(t, c.null, c.v.IsNull(), "null")
				assert.Equal(t, c.missing, c.v.IsMissing(), "missing")
				assert.Equal(t, c.absent, c.v.IsAbsent(), "absent")
				assert.Equal(t, c.key, engine.ValueKey(c.v), "key")
				nothing := c.null || c.missing || c.absent
				assert.Equal(t, nothing, c.v.Kind() == mmapjfr.KindNone)
				if nothing {
					valueIsNothing(t, c.v, nil)
					assert.True(t, c.v.Thread().IsZero())
					assert.True(t, c.v.Class().IsZero())
					assert.True(t, c.v.ClassLoader().IsZero())
					assert.True(t, c.v.Method().IsZero())
					assert.True(t, c.v.StackTrace().IsZero())
					assert.Equal(t, c.key, c.v.StackTrace().Key(), "the key of a missing stack trace is known")
				}
			})
		}
	})
}

// TestFieldOfConstants: a constant that was not reached through a field has
// none, also if its type only wraps another.
func TestFieldOfConstants(t *testing.T) {
	rec, _ := openBuilt(t, newSample())
	for _, name := range []string{"jdk.types.Symbol", "java.lang.Thread", "java.lang.String"} {
		typ, ok := rec.Type(name)
		require.True(t, ok)
		n := 0
		for key, v := range engine.ChunkConstants(rec.Chunks()[0], typ) {
			f, ok := v.Field()
			assert.False(t, ok, "%s %d has field %s", name, key, f)
			n++
		}
		assert.Positive(t, n)
	}
}

// ring builds a chunk of constants that lead back to themselves.
func ringChunk() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Class("test.A", jfrtest.Const("b", "test.B")).Simple()
	b.Class("test.B", jfrtest.Const("a", "test.A")).Simple()
	b.Class("test.Loop", jfrtest.Const("loop", "test.Loop"))
	ty := b.Event("E",
		jfrtest.Of("text", jfrtest.StringClass), jfrtest.Const("wrapped", "test.A"),
		jfrtest.Const("loop", "test.Loop"), jfrtest.Const("list", "test.A").Array(), jfrtest.Of("twice", jfrtest.StringClass))
	b.Emit(ty, start, jfrtest.Pooled(1), 1, 1, []int{1, 2}, jfrtest.Pooled(2))
	b.Constant(jfrtest.StringClass, 1, jfrtest.Pooled(1))
	b.Constant(jfrtest.StringClass, 2, jfrtest.Pooled(3))
	b.Constant(jfrtest.StringClass, 3, jfrtest.Pooled(2))
	b.Constant("test.A", 1, 1)
	b.Constant("test.A", 2, 1)
	b.Constant("test.B", 1, 1)
	b.Constant("test.Loop", 1, 1)
	return b
}

func TestRingsEnd(t *testing.T) {
	forms(t, ringChunk, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		ev := first(t, rec)
		for _, name := range []string{"text", "twice"} {
			v := ev.Get(mmapjfr.Path(name))
			assert.Empty(t, v.Str())
			assert.Equal(t, mmapjfr.KindNone, v.Kind())
			assert.NotEmpty(t, v.Text())
		}
		v := ev.Get(mmapjfr.Path("wrapped"))
		assert.Empty(t, v.Str())
		assert.Zero(t, v.Int())
		for range v.Fields() {
			break
		}
		assert.Equal(t, 2, ev.Get(mmapjfr.Path("list")).Len())
		deep := ev.Get(mmapjfr.Path("loop"))
		for range 100 {
			deep = deep.Get(mmapjfr.Path("loop"))
		}
		assert.Equal(t, mmapjfr.KindStruct, deep.Kind())
		assert.Equal(t, int64(1), engine.ValueKey(deep))
		assert.Zero(t, ev.Get(mmapjfr.Path("wrapped.a.b.a.b.a")).Int())
		assert.Contains(t, ev.Value().Text(), "...", "text ends")
	})
}

// TestRingOfStringsIsNotAnAbsentField: a string constant that leads back to
// itself has no characters; but the field is there.
func TestRingOfStringsIsNotAnAbsentField(t *testing.T) {
	rec, _ := openBuilt(t, ringChunk())
	v := first(t, rec).Get(mmapjfr.Path("text"))
	assert.False(t, v.IsAbsent())
}
