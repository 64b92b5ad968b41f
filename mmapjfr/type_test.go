package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/jfrtest"
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
				"IsSimple":       func() { assert.False(t, g.IsSimple()) },
				"IsPrimitive":    func() { assert.False(t, g.IsPrimitive()) },
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

func TestTypes(t *testing.T) {
	b := newSample()
	ty := b.Lookup("test.Kinds")
	ty.Annotate(jfrtest.Note("jdk.jfr.Label", "All kinds"), jfrtest.Note("jdk.jfr.Description", "What there is"),
		jfrtest.Mark("jdk.jfr.Experimental"), jfrtest.Annotation{
			Class:  "jdk.jfr.Category",
			Values: []jfrtest.Attribute{{Name: "value-0", Value: "Test"}, {Name: "value-1", Value: "Kinds"}},
		})
	ty.Settings = []jfrtest.Setting{{
		Name: "threshold", Class: "jdk.settings.Threshold", Default: "20 ms",
		Annotations: []jfrtest.Annotation{jfrtest.Note("jdk.jfr.Label", "Limit")},
	}}
	rec, _ := openBuilt(t, b)
	typ, ok := rec.Type("test.Kinds")
	require.True(t, ok)
	assert.Equal(t, "test.Kinds", typ.Name())
	assert.Equal(t, "test.Kinds", typ.String())
	assert.Equal(t, "Kinds", typ.SimpleName())
	assert.Equal(t, ty.ID, typ.ID())
	assert.Equal(t, "jdk.jfr.Event", typ.Super())
	assert.True(t, typ.IsEvent())
	assert.True(t, typ.IsExperimental())
	assert.False(t, typ.IsSimple())
	assert.False(t, typ.IsPrimitive())
	assert.Equal(t, "All kinds", typ.Label())
	assert.Equal(t, "What there is", typ.Description())
	assert.Equal(t, []string{"Test", "Kinds"}, typ.Category())
	require.Len(t, typ.Settings(), 1)
	s := typ.Settings()[0]
	assert.Equal(t, "threshold", s.Name())
	assert.Equal(t, "20 ms", s.Default())
	assert.Equal(t, "jdk.settings.Threshold", s.Type().Name())
	require.Len(t, s.Annotations(), 1)
	assert.Equal(t, "jdk.jfr.Label", s.Annotations()[0].Name())
	assert.Equal(t, []mmapjfr.AnnotationValue{{Name: "value", Texts: []string{"Limit"}}}, s.Annotations()[0].Values())
	f, ok := typ.Field("eventThread")
	require.True(t, ok)
	assert.True(t, f.IsConstant())
	assert.False(t, f.IsArray())
	assert.Equal(t, "Event Thread", f.Label())
	assert.Empty(t, f.Description())
	assert.Equal(t, "java.lang.Thread", f.Type().Name())
	_, ok = typ.Field("nothing")
	assert.False(t, ok)
	_, ok = rec.Type("Kinds")
	assert.False(t, ok)
	symbol, ok := rec.Type("jdk.types.Symbol")
	require.True(t, ok)
	assert.True(t, symbol.IsSimple())
	assert.Nil(t, symbol.Category())
	number, ok := rec.Type("int")
	require.True(t, ok)
	assert.True(t, number.IsPrimitive())
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
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	types, err := rec.Types()
	require.NoError(t, err)
	got := make(map[string]string)
	for _, typ := range types {
		got[typ.Name()] = typ.Unwrapped().Name()
	}
	assert.Equal(t, jdktypes.String, got["test.Outer"])
	assert.Equal(t, jdktypes.String, got[jdktypes.Symbol])
	for _, same := range []string{"test.Two", "test.E", "int", jdktypes.String} {
		assert.Equal(t, same, got[same])
	}
	assert.Zero(t, mmapjfr.Type{}.Unwrapped())
}
