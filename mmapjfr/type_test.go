package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestTypesThatNothingDescribes: metadata can refer to types that it does not
// describe. What is asked of such a type is answered with nothing.
func TestTypesThatNothingDescribes(t *testing.T) {
	b := jfrtest.NewChunk()
	ghost := jfrtest.Annotation{ClassID: 4713, Values: []jfrtest.Attribute{{Name: "value", Value: "x"}}}
	ty := b.Event("test.Haunted", jfrtest.Field{Name: "ghost", ClassID: 4711}).Annotate(ghost)
	ty.Settings = []jfrtest.Setting{{Name: "haunting", ClassID: 4712, Default: "on"}}
	rec, _ := openBuilt(t, b)
	typ, ok := rec.Type("test.Haunted")
	require.True(t, ok)
	f, ok := typ.Field("ghost")
	require.True(t, ok)
	require.Len(t, typ.Settings(), 1)
	require.Len(t, typ.Annotations(), 1)
	assert.Equal(t, "haunting", typ.Settings()[0].Name())
	assert.Equal(t, "on", typ.Settings()[0].Default())
	for name, g := range map[string]mmapjfr.Type{
		"field": f.Type(), "setting": typ.Settings()[0].Type(), "annotation": typ.Annotations()[0].Type(), "value": mmapjfr.Value{}.Type(),
	} {
		t.Run(name, func(t *testing.T) {
			assert.True(t, g.IsZero())
			assert.Empty(t, g.Name())
			assert.Empty(t, g.SimpleName())
			assert.Empty(t, g.String())
			assert.False(t, g.IsEvent())
			for name, ask := range map[string]func(){
				"ID":             func() { assert.Zero(t, g.ID()) },
				"Super":          func() { assert.Empty(t, g.Super()) },
				"IsSimple":       func() { assert.False(t, engine.TypeIsSimple(g)) },
				"IsPrimitive":    func() { assert.False(t, engine.TypeIsPrimitive(g)) },
				"IsExperimental": func() { assert.False(t, g.IsExperimental()) },
				"Label":          func() { assert.Empty(t, g.Label()) },
				"Description":    func() { assert.Empty(t, g.Description()) },
				"Category":       func() { assert.Empty(t, g.Category()) },
				"Fields":         func() { assert.Empty(t, g.Fields()) },
				"Annotations":    func() { assert.Empty(t, g.Annotations()) },
				"Settings":       func() { assert.Empty(t, g.Settings()) },
				"Field": func() {
					_, ok := g.Field("x")
					assert.False(t, ok)
				},
			} {
				assert.NotPanics(t, ask, name)
			}
		})
	}
	assert.Empty(t, mmapjfr.Field{}.String())
}

// TestTypesOfARecording: each name once, as the last chunk describes it.
func TestTypesOfARecording(t *testing.T) {
	chunk := func(fields ...jfrtest.Field) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		b.Event("test.Drift", fields...)
		return b
	}
	rec, _ := openBuilt(t, chunk(), chunk(jfrtest.Of("a", "int")), chunk(jfrtest.Of("a", "int"), jfrtest.Of("b", "int")))
	types, err := rec.Types()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, typ := range types {
		assert.False(t, seen[typ.Name()], typ.Name())
		seen[typ.Name()] = true
		if typ.Name() == "test.Drift" {
			assert.Len(t, typ.Fields(), 3)
		}
	}
	last, ok := rec.Type("test.Drift")
	require.True(t, ok)
	assert.Len(t, last.Fields(), 3)
	for i, c := range rec.Chunks() {
		list, err := c.Types()
		require.NoError(t, err)
		assert.Len(t, list, len(types))
		assert.Len(t, list[len(list)-1].Fields(), i+1)
	}
}

func TestTypeUnwrapped(t *testing.T) {
	b := jfrtest.NewChunk()
	outer := b.Class("test.Outer", jfrtest.Of("symbol", jdktypes.Symbol))
	outer.Simple()
	two := b.Class("test.Two", jfrtest.Of("a", "int"), jfrtest.Of("b", "int"))
	two.Simple()
	e := b.Event("test.E", jfrtest.Of("outer", "test.Outer"), jfrtest.Of("two", "test.Two"), jfrtest.Of("n", "int"))
	b.Emit(e, b.Header.StartTicks, jfrtest.Inline{jfrtest.Inline{"x"}}, jfrtest.Inline{1, 2}, 3)
	rec := opentest.Bytes(t, b.Bytes())
	types, err := rec.Types()
	require.NoError(t, err)
	got := make(map[string]string)
	for _, typ := range types {
		got[typ.Name()] = engine.TypeUnwrapped(typ).Name()
	}
	assert.Equal(t, jdktypes.String, got["test.Outer"])
	assert.Equal(t, jdktypes.String, got[jdktypes.Symbol])
	for _, same := range []string{"test.Two", "test.E", "int", jdktypes.String} {
		assert.Equal(t, same, got[same])
	}
	assert.Zero(t, engine.TypeUnwrapped(mmapjfr.Type{}))
}
