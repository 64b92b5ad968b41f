package index_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestDamageNamesThatAllClassesShare: a string stands in the metadata once, even if many have
// it for a name. Going through the names of all classes must not take time with the
// square of the bytes, nor keeping what is wrong with them memory.
func TestDamageNamesThatAllClassesShare(t *testing.T) {
	build := func(length, users int) *index.Chunk {
		b := jfrtest.NewChunk()
		b.Class(strings.Repeat("n", length))
		for range users {
			b.Add(&jfrtest.Class{ID: int64(5000 + len(b.Classes())), Name: strings.Repeat("n", length)})
		}
		return onlyChunk(t, b.Bytes())
	}
	_, err := build(50_000, 400).Types()
	wantFault(t, err, index.ErrCorrupt, 0, err.(*index.FormatError).Offset)
	assert.ErrorContains(t, err, "the strings of all elements have more than")
	assert.NotContains(t, err.Error(), "nnn")
	// What somebody may really write: a text of some pages that many fields have.
	types := typesOf(t, build(50_000, 40))
	assert.Len(t, types.Named(strings.Repeat("n", 50_000)).Name, 50_000)
}

// TestDamageClassesThatFlatten: how many fields they may flatten to depends on how many
// are described, for there can be very many chunks.
func TestDamageClassesThatFlatten(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	b.Class("byte")
	inner := "byte"
	for i := range 20 {
		outer := strings.Repeat("C", i+1)
		b.Class(outer, jfrtest.Of("one", inner), jfrtest.Of("two", inner))
		inner = outer
	}
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	assert.NoError(t, planErr(t, types, "CCCCCCCC"))
	assert.ErrorIs(t, planErr(t, types, inner), index.ErrUnsupported)
	assert.LessOrEqual(t, types.MaxSlots(), 1<<10+32*40)
}

// TestDamageOffsetsThatWrapAround: an offset that is no place of the file is reported at
// the header that says it, and not at a place before the chunk.
func TestDamageOffsetsThatWrapAround(t *testing.T) {
	for _, offset := range []int64{-1, -100} {
		first, second := small(1), small(1)
		second.ForceMetadataOffset = &offset
		data, layouts := jfrtest.Concat(first, second)
		c := newIndex(t, data).Chunks()[1]
		_, err := c.Types()
		wantFault(t, err, index.ErrCorrupt, 1, uint64(layouts[1].Chunk.Offset))

		second = small(1)
		second.ForceCheckpointOffset = &offset
		data, layouts = jfrtest.Concat(first, second)
		err = constantsOf(t, newIndex(t, data).Chunks()[1]).Err()
		wantFault(t, err, index.ErrCorrupt, 1, uint64(layouts[1].Chunk.Offset))
	}
}

// TestDamageMembersOfOneName: values times members would be more than there are bytes.
func TestDamageMembersOfOneName(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	b.Class(jfrtest.StringClass)
	list, one := jfrtest.Of("list", jfrtest.StringClass).Array(), jfrtest.Of("one", jfrtest.StringClass)
	b.Class("N", list, one, list, one, list, one)
	b.Class("U").Annotate(jfrtest.Annotation{Class: "N", Values: []jfrtest.Attribute{
		{Name: "list-0", Value: "a"}, {Name: "one", Value: "b"}, {Name: "list-1", Value: "c"}, {Name: "list-x", Value: "d"}, {Name: "one", Value: "e"}}})
	a := &typesOf(t, onlyChunk(t, b.Bytes())).Named("U").Annotations[0]
	values := a.Values()
	require.Len(t, values, 6)
	assert.Equal(t, []string{"a", "c"}, values[0].Texts)
	assert.Equal(t, []string{"b"}, values[1].Texts)
	for _, v := range values[2:] {
		assert.Empty(t, v.Texts)
	}
	assert.Equal(t, []string{"a", "c"}, a.Texts("list"))
	assert.Empty(t, a.Texts("one"))
}
