package index_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// nest returns a tree of elements of that depth, the root not counted.
func nest(depth int) *jfrtest.Element {
	root := &jfrtest.Element{Name: "root"}
	e := root
	for range depth {
		e = e.Child("metadata")
	}
	return root
}

func TestMetadataNestsAsDeepAsAllowed(t *testing.T) {
	for depth, ok := range map[int]bool{0: true, 1: true, 64: true, 65: false, 1000: false, longtest.Cases(20_000, 200_000): false} {
		if depth > 1000 && runtime.GOOS == "js" {
			continue // what builds it goes so deep, and the stack does not
		}
		b := jfrtest.NewEmptyChunk()
		b.Metadata(&jfrtest.Metadata{Root: nest(depth)})
		data, layout := b.Build()
		c := onlyChunk(t, data)
		types, err := c.Types()
		if ok {
			require.NoError(t, err)
			assert.Empty(t, types.Types)
			assert.Nil(t, types.Named("any"))
			assert.Nil(t, types.ByID(0))
			continue
		}
		require.ErrorIs(t, err, index.ErrCorrupt)
		assert.ErrorContains(t, err, "nest deeper than 64")
		var f *index.FormatError
		require.ErrorAs(t, err, &f)
		at := layout.Metadata[0]
		assert.Greater(t, f.Offset, uint64(at.Offset))
		assert.Less(t, f.Offset, uint64(at.End()))
	}
}

func TestMetadataRejects(t *testing.T) {
	tree := func(change func(root, class *jfrtest.Element)) func(*jfrtest.Builder) {
		return func(b *jfrtest.Builder) {
			root := b.Tree(b.Classes())
			change(root, root.Children[0].Children[0])
			b.Metadata(&jfrtest.Metadata{Root: root})
		}
	}
	event := func(change func(*jfrtest.Metadata)) func(*jfrtest.Builder) {
		return func(b *jfrtest.Builder) {
			m := &jfrtest.Metadata{ID: 1}
			change(m)
			b.Metadata(m)
		}
	}
	tests := []struct {
		name  string
		make  func(*jfrtest.Builder)
		words string
	}{
		{"strings beyond the event", event(func(m *jfrtest.Metadata) { m.StringCount = new(int64(1 << 30)) }), "string count"},
		{"strings, int -1", event(func(m *jfrtest.Metadata) { m.StringCount = new(int64(0xffffffff)) }), "string count"},
		{"one string too many", event(func(m *jfrtest.Metadata) {
			m.StringCount = new(int64(100))
			m.ExtraStrings = nil
		}), ""},
		{"no strings", event(func(m *jfrtest.Metadata) { m.StringCount = new(int64(0)) }), ""},
		{"too few strings", event(func(m *jfrtest.Metadata) { m.StringCount = new(int64(3)) }), ""},
		{"attributes beyond the event", tree(func(_, c *jfrtest.Element) { c.AttributeCount = new(int64(1 << 20)) }), "attribute count"},
		{"attributes, int -1", tree(func(_, c *jfrtest.Element) { c.AttributeCount = new(int64(0xffffffff)) }), "attribute count"},
		{"children beyond the event", tree(func(r, _ *jfrtest.Element) { r.ChildCount = new(int64(1 << 20)) }), "element count"},
		{"children, int -1", tree(func(r, _ *jfrtest.Element) { r.ChildCount = new(int64(0xffffffff)) }), "element count"},
		{"one child too many", tree(func(r, _ *jfrtest.Element) { r.ChildCount = new(int64(3)) }), "ends early"},
		{"size cut short", event(func(m *jfrtest.Metadata) { m.Size = new(int64(50)) }), ""},
		{"size of its head", event(func(m *jfrtest.Metadata) { m.Size = new(int64(20)) }), ""},
		{"size zero", event(func(m *jfrtest.Metadata) { m.Size = new(int64(0)) }), "less than its head"},
		{"size beyond the chunk", event(func(m *jfrtest.Metadata) { m.Size = new(int64(1 << 20)) }), "exceeds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				tt.make(b)
				data, layout := b.Build()
				c := onlyChunk(t, data)
				types, err := c.Types()
				assert.Nil(t, types)
				require.ErrorIs(t, err, index.ErrCorrupt)
				assert.ErrorContains(t, err, tt.words)
				var f *index.FormatError
				require.ErrorAs(t, err, &f)
				at := layout.Metadata[0]
				assert.GreaterOrEqual(t, f.Offset, uint64(at.Offset))
				assert.LessOrEqual(t, f.Offset, uint64(at.End()))

				_, again := c.Types()
				assert.Equal(t, err, again, "it is not read twice")
				_, err = c.Constants()
				assert.Equal(t, again, err)
				_, err = c.AllTypes()
				assert.Equal(t, again, err)
			})
		})
	}
}

func TestMetadataRejectsStringIndexes(t *testing.T) {
	// A string table of one, and an element whose name is another.
	for name, tt := range map[string]struct {
		index []byte
		words string
	}{
		"one too many":        {[]byte{1}, "string 1 of 1"},
		"far too many":        {[]byte{0xff, 0x7f}, "string 16383 of 1"},
		"int -1":              {[]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, "string -1 of 1"},
		"only low bits count": {[]byte{0x81, 0x80, 0x80, 0x80, 0x10}, "string 1 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := jfrtest.NewEmptyChunk()
			b.Bare = true
			body := append([]byte{0, 0, 0, 1, 3, 1, 'r'}, tt.index...)
			b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, append(body, 0, 0))
			b.ForceMetadataOffset = new(int64(68))
			_, err := onlyChunk(t, b.Bytes()).Types()
			// After size and type, start, duration, id, count, the string and the index.
			wantFault(t, err, index.ErrCorrupt, 0, uint64(68+2+len(body)))
			assert.ErrorContains(t, err, tt.words)
		})
	}
}

func TestMetadataRejectsStrings(t *testing.T) {
	for name, text := range map[string][]byte{
		"unknown encoding":     {6},
		"beyond the event":     {3, 100},
		"cut off in its count": {3, 0x80},
	} {
		t.Run(name, func(t *testing.T) {
			b := jfrtest.NewEmptyChunk()
			b.Bare = true
			b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, append([]byte{0, 0, 0, 2, 1}, text...))
			b.ForceMetadataOffset = new(int64(68))
			b.Insert(make([]byte, 200)) // after the event there would be enough
			c := newIndex(t, b.Bytes()).Chunks()[0]
			_, err := c.Types()
			wantFault(t, err, index.ErrCorrupt, 0, 68+2+5)
			assert.ErrorContains(t, err, "string 1 of 2")
		})
	}
}

func TestMetadataOffsetRejects(t *testing.T) {
	data, layout := small(3).Build()
	size := uint64(len(data))
	for name, tt := range map[string]struct {
		offset, at uint64
		words      string
	}{
		"inside the header":        {67, 67, "outside"},
		"at the end":               {size, size, "outside"},
		"after the end":            {1 << 62, 1 << 62, "outside"},
		"negative":                 {1<<64 - 1, 1<<64 - 1, "outside"},
		"an event of another type": {68, 68, "type"},
		"a checkpoint":             {uint64(layout.Checkpoints[0].Offset), uint64(layout.Checkpoints[0].Offset), "type 1"},
		"the last byte":            {size - 1, size - 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := onlyChunk(t, put(data, metadataAt, tt.offset)).Types()
			wantFault(t, err, index.ErrCorrupt, 0, tt.at)
			assert.ErrorContains(t, err, tt.words)
		})
	}
}

// An older metadata event that cannot be read takes nothing from the newest.
func TestDamagedOlderMetadata(t *testing.T) {
	b := small(1)
	b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, []byte{1, 2, 3, 99})
	b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, nil)
	c := onlyChunk(t, b.Bytes())
	types := typesOf(t, c)
	complete, err := c.AllTypes()
	require.NoError(t, err)
	assert.Same(t, types, complete)
}

func TestClassesWithOddIDs(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		ids := []int64{0, 1, 2, 1<<14 - 1, 1 << 14, 1 << 20, 1 << 31, 1 << 40, 1<<63 - 1, -1, -2, -1 << 63, -1 << 14}
		for i, id := range ids {
			// Each has a field of the one before, so that lookups go both ways.
			var fields []jfrtest.Field
			if i > 1 {
				fields = []jfrtest.Field{{Name: "f", ClassID: ids[i-1]}}
			}
			b.Add(&jfrtest.Class{ID: id, Name: "test.Odd" + string(rune('A'+i)), Fields: fields})
		}
		c := onlyChunk(t, b.Bytes())
		types := typesOf(t, c)
		for i, id := range ids {
			class := types.ByID(schema.TypeID(id))
			require.NotNil(t, class, "%d", id)
			assert.Equal(t, "test.Odd"+string(rune('A'+i)), class.Name)
			if i > 1 {
				assert.Equal(t, schema.TypeID(ids[i-1]), class.Fields[0].Type.ID)
			}
		}
		for _, id := range []int64{3, 1<<14 - 2, 1<<14 + 1, 1 << 21, 1 << 32, -3, -1<<63 + 1, 1<<63 - 2} {
			assert.Nil(t, types.ByID(schema.TypeID(id)), "%d", id)
		}
	})
}

func TestClassElementsWithoutWhatTheyNeed(t *testing.T) {
	b := jfrtest.NewChunk()
	root := b.Tree(b.Classes())
	metadata := root.Children[0]
	metadata.Child("class").Attr("name", "test.NoID")
	metadata.Child("class").Attr("name", "test.BadID").Attr("id", "12x")
	metadata.Child("class").Attr("name", "test.HugeID").Attr("id", "99999999999999999999")
	metadata.Child("other").Attr("name", "test.NoClass").Attr("id", "600")
	metadata.Child("class").Attr("id", "601") // no name
	class := metadata.Child("class").Attr("name", "test.Fields").Attr("id", "602")
	class.Child("field").Attr("name", "none")
	class.Child("field").Attr("name", "bad").Attr("class", "?")
	class.Child("field").Attr("name", "flat").Attr("class", "602").Attr("dimension", "0")
	class.Child("field").Attr("name", "negative").Attr("class", "602").Attr("dimension", "-1")
	class.Child("field").Attr("name", "deep").Attr("class", "602").Attr("dimension", "2")
	class.Child("annotation")
	class.Child("annotation").Attr("class", "603").Attr("value", "lost")
	class.Child("setting").Attr("name", "none")
	b.Metadata(&jfrtest.Metadata{Root: root})
	types := typesOf(t, onlyChunk(t, b.Bytes()))

	for _, name := range []string{"test.NoID", "test.BadID", "test.HugeID", "test.NoClass"} {
		assert.Nil(t, types.Named(name), name)
	}
	assert.Empty(t, types.ByID(601).Name)
	got := types.ByID(602)
	require.Len(t, got.Fields, 5)
	assert.Nil(t, got.Fields[0].Type)
	assert.Equal(t, schema.TypeID(-1), got.Fields[0].TypeID)
	assert.Nil(t, got.Fields[1].Type)
	assert.Equal(t, []bool{false, false, true}, []bool{got.Fields[2].Array, got.Fields[3].Array, got.Fields[4].Array})
	require.Len(t, got.Annotations, 2)
	assert.Empty(t, got.Annotations[0].Name())
	assert.Equal(t, schema.TypeID(603), got.Annotations[1].TypeID)
	assert.Empty(t, got.Annotations[1].Name())
	assert.Nil(t, schema.FindAnnotation(got.Annotations, "test.Other"))
	assert.Nil(t, got.Settings[0].Type)
}
