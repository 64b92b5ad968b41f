package index_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// What types are compared by: the description the reference decoder gives.
func description(c *schema.Type) *jfrtest.Class {
	d := &jfrtest.Class{
		ID:          int64(c.ID),
		Name:        c.Name,
		SuperType:   c.Super,
		SimpleType:  c.Simple,
		Annotations: annotationsOf(c.Annotations),
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		df := jfrtest.Field{
			Name:         f.Name,
			ClassID:      int64(f.TypeID),
			ConstantPool: f.Constant,
			Annotations:  annotationsOf(f.Annotations),
		}
		if f.Type != nil {
			df.Class = f.Type.Name
		}
		if f.Array {
			df.Dimension = 1
		}
		d.Fields = append(d.Fields, df)
	}
	for _, s := range c.Settings {
		ds := jfrtest.Setting{Name: s.Name, Default: s.Default, Annotations: annotationsOf(s.Annotations)}
		if s.Type != nil {
			ds.Class, ds.ClassID = s.Type.Name, int64(s.Type.ID)
		}
		d.Settings = append(d.Settings, ds)
	}
	return d
}

func annotationsOf(list []schema.Annotation) (as []jfrtest.Annotation) {
	for i := range list {
		a := &list[i]
		d := jfrtest.Annotation{Class: a.Name(), ClassID: int64(a.TypeID)}
		for _, v := range a.Values() {
			for j, text := range v.Texts {
				name := v.Name
				if v.Array {
					name = fmt.Sprintf("%s-%d", name, j)
				}
				d.Values = append(d.Values, jfrtest.Attribute{Name: name, Value: text})
			}
		}
		as = append(as, d)
	}
	return as
}

// unnamed takes from a description the names of the classes it refers to: of
// those that only an older metadata event describes, the reference knows none.
func unnamed(c *jfrtest.Class) *jfrtest.Class {
	d := *c
	strip := func(as []jfrtest.Annotation) (stripped []jfrtest.Annotation) {
		for _, a := range as {
			a.Class = ""
			stripped = append(stripped, a)
		}
		return stripped
	}
	d.Annotations, d.Fields, d.Settings = strip(c.Annotations), nil, nil
	for _, f := range c.Fields {
		f.Class, f.Annotations = "", strip(f.Annotations)
		d.Fields = append(d.Fields, f)
	}
	for _, s := range c.Settings {
		s.Class, s.Annotations = "", strip(s.Annotations)
		d.Settings = append(d.Settings, s)
	}
	return &d
}

func TestTypesOfRecordings(t *testing.T) {
	eachRecording(t, func(t *testing.T, data []byte) {
		for _, c := range newIndex(t, data).Chunks() {
			checkTypes(t, c, reference(t, c))
		}
	})
}

// checkTypes compares everything that is known of a chunk's classes.
func checkTypes(t *testing.T, c *index.Chunk, want *jfrtest.Chunk) {
	t.Helper()
	newest := map[int64]bool{}
	for _, m := range want.Metadata {
		if m.Offset == want.Header.MetadataOffset {
			for _, id := range m.Classes {
				newest[id] = true
			}
		}
	}
	types := typesOf(t, c)
	require.Len(t, types.Types, len(newest))
	assert.Equal(t, c.IntEncoding(), types.IntEncoding)
	assert.Equal(t, want.Region, jfrtest.Region{
		Locale: types.Region.Locale, GMTOffset: types.Region.GMTOffset, DST: types.Region.DST,
	})
	for i := range types.Types {
		class := types.Types[i]
		require.True(t, newest[int64(class.ID)])
		require.Equal(t, i, class.Ordinal())
		require.Same(t, class, types.ByID(class.ID))
		require.Equal(t, class.Name, types.Named(class.Name).Name)
		require.Equal(t, want.Classes[int64(class.ID)].IsEvent(), class.IsEvent())
		require.Equal(t, want.Classes[int64(class.ID)], description(class))
		for j := range class.Fields {
			require.Equal(t, j, class.Field(class.Fields[j].Name))
		}
	}
	assert.Equal(t, -1, types.Types[0].Field("no such field"))
	assert.Nil(t, types.Named("no such class"))
	assert.Nil(t, types.ByID(-12345))
	assert.Nil(t, types.ByID(1<<40))

	complete := checkAllClasses(t, c, want)
	for i := range types.Types {
		require.Equal(t, types.Types[i].ID, complete.Types[i].ID, "known ordinals stay")
	}
}

func TestTypes(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		b.Region = jfrtest.Region{Locale: "de_DE", GMTOffset: -3_600_000, DST: 7_200_000}
		b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "int").With(jfrtest.Mark("jdk.jfr.Unsigned")))
		event := b.Event("test.All",
			jfrtest.Of("point", "test.Point"),
			jfrtest.Of("points", "test.Point").Array(),
			jfrtest.Const("name", "jdk.types.Symbol"),
			jfrtest.Const("names", "jdk.types.Symbol").Array(),
			jfrtest.Of("size", "long").With(
				jfrtest.Note("jdk.jfr.Label", "Größe €"), jfrtest.Note("jdk.jfr.DataAmount", "BYTES")))
		event.Annotate(
			jfrtest.Note("jdk.jfr.Label", "All of it"),
			jfrtest.Annotation{Class: "jdk.jfr.Category", Values: []jfrtest.Attribute{
				{Name: "value-0", Value: "Java"}, {Name: "value-1", Value: "Test"}, {Name: "value-2", Value: ""},
			}},
			jfrtest.Mark("jdk.jfr.Experimental"))
		event.Settings = []jfrtest.Setting{
			{Name: "enabled", Class: "jdk.settings.Enabled", Default: "true"},
			{Name: "threshold", Class: "jdk.settings.Threshold", Default: "20 ms",
				Annotations: []jfrtest.Annotation{jfrtest.Note("jdk.jfr.Label", "Limit")}},
		}
		b.Metadata(&jfrtest.Metadata{ID: 1, StringEncodings: []byte{3, 4, 5}, ExtraStrings: []string{"", "unused"}})
		c := onlyChunk(t, b.Bytes())
		checkTypes(t, c, reference(t, c))

		types := typesOf(t, c)
		class := types.Named("test.All")
		require.NotNil(t, class)
		assert.True(t, class.IsEvent())
		assert.Equal(t, jdktypes.Event, class.Super)
		assert.Equal(t, schema.Struct, class.Kind)
		point, symbol := types.Named("test.Point"), types.Named("jdk.types.Symbol")
		type shape struct {
			class           *schema.Type
			array, constant bool
		}
		var shapes []shape
		for _, f := range class.Fields[1:] {
			shapes = append(shapes, shape{f.Type, f.Array, f.Constant})
		}
		assert.Equal(t, []shape{
			{point, false, false}, {point, true, false}, {symbol, false, true}, {symbol, true, true},
			{types.Named("long"), false, false},
		}, shapes)
		assert.True(t, point.Fields[1].Unsigned)
		assert.False(t, point.Fields[0].Unsigned)
		assert.True(t, symbol.Simple)
		assert.False(t, point.Simple)

		category := schema.FindAnnotation(class.Annotations, "jdk.jfr.Category")
		require.NotNil(t, category)
		assert.Equal(t, []schema.AnnotationValue{
			{Name: "value", Array: true, Texts: []string{"Java", "Test", ""}},
		}, category.Values())
		assert.Equal(t, "Java", category.Text("value"))
		assert.Empty(t, category.Text("other"))
		label := schema.FindAnnotation(class.Fields[5].Annotations, "jdk.jfr.Label")
		require.NotNil(t, label)
		assert.Equal(t, "Größe €", label.Text("value"))
		assert.Empty(t, schema.FindAnnotation(class.Annotations, "jdk.jfr.Experimental").Values())
		assert.Nil(t, schema.FindAnnotation(class.Annotations, "jdk.jfr.Period"))
		assert.Equal(t, "Limit", class.Settings[1].Annotations[0].Text("value"))
		assert.Same(t, types.Named("jdk.settings.Threshold"), class.Settings[1].Type)
	})
}

// What is written of an annotation, and what its type says that it has.
func TestAnnotationValues(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Note",
		jfrtest.Of("list", jfrtest.StringClass).Array(), jfrtest.Of("text", jfrtest.StringClass),
		jfrtest.Of("absent", jfrtest.StringClass), jfrtest.Of("none", jfrtest.StringClass).Array())
	b.Class("test.User").Annotate(
		jfrtest.Annotation{Class: "test.Note", Values: []jfrtest.Attribute{
			{Name: "text", Value: "the text"}, {Name: "list-0", Value: "a"}, {Name: "list-", Value: "no number"},
			{Name: "list-x", Value: "none"}, {Name: "list-/", Value: "none"}, {Name: "list-:", Value: "none"},
			{Name: "lists-1", Value: "another member"}, {Name: "list-1", Value: "b"}, {Name: "undeclared", Value: "?"},
			{Name: "list-10", Value: "c"}, {Name: "text", Value: "once more"},
		}},
		jfrtest.Annotation{ClassID: 9999, Values: []jfrtest.Attribute{{Name: "text", Value: "of what?"}}})
	as := typesOf(t, onlyChunk(t, b.Bytes())).Named("test.User").Annotations
	require.Len(t, as, 2)
	assert.Equal(t, []schema.AnnotationValue{
		{Name: "list", Array: true, Texts: []string{"a", "b", "c"}},
		{Name: "text", Texts: []string{"the text"}},
		{Name: "absent"},
		{Name: "none", Array: true},
	}, as[0].Values())
	assert.Equal(t, "the text", as[0].Text("text"))
	assert.Equal(t, "a", as[0].Text("list"))
	assert.Empty(t, as[0].Text("absent"))
	assert.Empty(t, as[0].Text("none"))
	assert.Empty(t, as[1].Values())
	assert.Empty(t, as[1].Name())
	assert.Equal(t, schema.TypeID(9999), as[1].TypeID)
}

// A machine that has added a type writes all types anew, without those that it
// has forgotten in the meantime.
func TestCompleteTypes(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		basic := b.Classes()
		old := b.Event("test.Old", jfrtest.Of("value", "int"))
		both := b.Event("test.Both")
		b.Emit(old, 1, 2)
		b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], old, both)})
		middle := b.Event("test.Middle", jfrtest.Of("old", "test.Old"))
		b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], middle, both)})
		b.Emit(middle, 3, jfrtest.Inline{4, 5})
		latest := b.Event("test.New", jfrtest.Of("value", "int"))
		b.Emit(latest, 6, 7)
		b.Metadata(&jfrtest.Metadata{ID: 3, Classes: append(basic[:len(basic):len(basic)], both, latest)})
		c := onlyChunk(t, b.Bytes())

		types := typesOf(t, c)
		require.Len(t, types.Types, len(basic)+2)
		assert.Nil(t, types.Named("test.Old"))
		assert.Nil(t, types.Named("test.Middle"))
		require.NotNil(t, types.Named("test.New"))

		complete, err := c.AllTypes()
		require.NoError(t, err)
		require.Len(t, complete.Types, len(basic)+4)
		for _, name := range []string{"test.Old", "test.Middle", "test.Both", "test.New"} {
			require.NotNil(t, complete.Named(name), name)
			_, err := complete.Named(name).Plan()
			assert.NoError(t, err, name)
		}
		for i := range types.Types {
			assert.Same(t, types.Types[i], complete.Types[i])
		}
		again, err := c.AllTypes()
		require.NoError(t, err)
		assert.Same(t, complete, again)
		assert.Same(t, complete, typesOf(t, c), "from now on")
		checkAllClasses(t, c, reference(t, c))
	})
}

// A class that refers to one which only an older metadata event describes is
// complete from the start.
func TestTypesCompleteThemselves(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		basic := b.Classes()
		old := b.Class("test.Old", jfrtest.Of("value", "int"))
		b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], old)})
		event := b.Event("test.New", jfrtest.Of("old", "test.Old"), jfrtest.Of("nowhere", "int"))
		b.Emit(event, 1, jfrtest.Inline{2}, 3)
		b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], event)})
		c := onlyChunk(t, b.Bytes())
		types := typesOf(t, c)
		require.NotNil(t, types.Named("test.Old"))
		assert.Same(t, types.Named("test.Old"), types.Named("test.New").Fields[1].Type)
		_, err := types.Named("test.New").Plan()
		assert.NoError(t, err)
	})
}

// Two chunks whose newest metadata is the same to the byte, but refers to a class
// that each describes otherwise in an older metadata event.
func TestChunksThatCompleteThemselvesShareNothing(t *testing.T) {
	chunk := func(class string) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		basic := b.Classes()
		old := &jfrtest.Class{ID: 500, Name: "test.Old", Fields: []jfrtest.Field{jfrtest.Of("value", class)}}
		b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], old)})
		event := b.Event("test.New", jfrtest.Field{Name: "old", ClassID: 500})
		b.Add(old)
		var value any = 7
		if class == jfrtest.StringClass {
			value = "text"
		}
		b.Emit(event, 1, jfrtest.Inline{value})
		b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], event)})
		return b
	}
	data, _ := jfrtest.Concat(chunk("int"), chunk(jfrtest.StringClass), chunk("int"))
	x := newIndex(t, data)
	require.Len(t, x.Chunks(), 3)
	for i, want := range []string{"int", jfrtest.StringClass, "int"} {
		c := x.Chunks()[i]
		assert.Equal(t, want, typesOf(t, c).ByID(500).Fields[0].Type.Name, "chunk %d", i)
	}
}

// checkAllClasses compares the classes of a chunk, whichever metadata event describes them.
func checkAllClasses(t *testing.T, c *index.Chunk, want *jfrtest.Chunk) *schema.TypeSet {
	t.Helper()
	complete, err := c.AllTypes()
	require.NoError(t, err)
	require.Len(t, complete.Types, len(want.Classes))
	for id, class := range want.Classes {
		got := complete.ByID(schema.TypeID(id))
		require.NotNil(t, got, class.Name)
		require.Equal(t, unnamed(class), unnamed(description(got)))
	}
	return complete
}

// The newest metadata event has the last word on a class that two describe.
func TestNewestDescriptionStands(t *testing.T) {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	first := &jfrtest.Class{ID: 500, Name: "test.A", Fields: []jfrtest.Field{jfrtest.Of("old", "int")}}
	second := &jfrtest.Class{ID: 500, Name: "test.A", Fields: []jfrtest.Field{jfrtest.Of("middle", "int")}}
	third := &jfrtest.Class{ID: 500, Name: "test.A", Fields: []jfrtest.Field{jfrtest.Of("new", "int")}}
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], first)})
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], second)})
	newest := b.Metadata(&jfrtest.Metadata{ID: 3, Classes: append(basic[:len(basic):len(basic)], third)})
	c := onlyChunk(t, b.Bytes())
	complete, err := c.AllTypes()
	require.NoError(t, err)
	assert.Equal(t, "new", complete.ByID(500).Fields[0].Name)
	require.Len(t, complete.Types, len(basic)+1)

	newest.Classes = basic
	complete, err = onlyChunk(t, b.Bytes()).AllTypes()
	require.NoError(t, err)
	assert.Equal(t, "middle", complete.ByID(500).Fields[0].Name, "the newest of those that describe it")
}

// As for the JDK, the last one counts; the name leads to the first.
func TestDuplicateClassIDs(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Add(&jfrtest.Class{ID: 500, Name: "test.First", Fields: []jfrtest.Field{jfrtest.Of("a", "int")}})
	b.Add(&jfrtest.Class{ID: 500, Name: "test.Second", Fields: []jfrtest.Field{jfrtest.Of("b", "byte")}})
	b.Add(&jfrtest.Class{ID: 501, Name: "test.Second"})
	user := b.Class("test.User", jfrtest.Field{Name: "f", ClassID: 500})
	c := onlyChunk(t, b.Bytes())
	types := typesOf(t, c)
	assert.Equal(t, "test.Second", types.ByID(500).Name)
	assert.Equal(t, "test.Second", types.ByID(schema.TypeID(user.ID)).Fields[0].Type.Name)
	assert.Equal(t, "test.First", types.Named("test.First").Name)
	assert.Equal(t, schema.TypeID(500), types.Named("test.Second").ID, "the first of that name")
	for i := range types.Types {
		assert.Equal(t, i, types.Types[i].Ordinal())
	}
	assert.Equal(t, reference(t, c).Classes[500].Name, types.ByID(500).Name)
}

func TestChunksShareTypes(t *testing.T) {
	one, two := small(1), small(5)
	raw := small(1).Uncompressed()
	other := small(1)
	other.Class("test.Another")
	data, _ := jfrtest.Concat(one, two, raw, other)
	chunks := newIndex(t, data).Chunks()
	assert.Same(t, typesOf(t, chunks[0]), typesOf(t, chunks[1]))
	assert.NotSame(t, typesOf(t, chunks[0]), typesOf(t, chunks[2]), "integers lie differently")
	assert.NotSame(t, typesOf(t, chunks[0]), typesOf(t, chunks[3]))
	assert.Equal(t, chunks[2].IntEncoding(), typesOf(t, chunks[2]).IntEncoding)
}
