package index_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// events returns the names of event classes, in order.
func events(classes []*schema.Type) (names []string) {
	for _, c := range classes {
		if c.IsEvent() {
			names = append(names, c.Name)
		}
	}
	return names
}

// TestDescribedIsWhatTheNewestMetadataSays lets types come and go.
func TestDescribedIsWhatTheNewestMetadataSays(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		basic := b.Classes()
		one, two, three := b.Event("test.One"), b.Event("test.Two"), b.Event("test.Three")
		described := [][]*jfrtest.Class{{one}, {one, two}, {three}, {}, {two, one}}
		for i, classes := range described {
			b.Metadata(&jfrtest.Metadata{ID: int64(i), Classes: append(slices.Clone(basic), classes...)})
			b.Emit(one, i)
		}
		data, l := b.Build()
		var x *index.Index
		known := map[string]*schema.Type{}
		for i, classes := range described {
			end := l.Events[i].End()
			h := headerOf(data)
			h.Metadata = uint64(l.Metadata[i].Offset)
			if x == nil {
				var err error
				x, err = index.NewGrowing(h, data[:end], 0)
				require.NoError(t, err)
			} else {
				require.NoError(t, x.Grow(h, data[:end], uint64(len(x.Chunks()[0].Data())), 0))
			}
			c := x.Chunks()[0]
			got, err := c.NewestTypes()
			require.NoError(t, err)
			var want []string
			for _, class := range classes {
				want = append(want, class.Name)
			}
			assert.Equal(t, want, events(got))
			assert.Len(t, got, len(basic)+len(classes))
			for _, class := range got {
				assert.Same(t, class, typesOf(t, c).ByID(class.ID), "it is the class of the types")
				if before := known[class.Name]; before != nil {
					assert.Same(t, before, class, "it stays the same")
				}
				known[class.Name] = class
			}
		}
		assert.Len(t, events(typesOf(t, x.Chunks()[0]).Types), 3, "types forget nothing")
	})
}

func TestDescribedTwice(t *testing.T) {
	b := jfrtest.NewChunk()
	one := b.Event("test.One")
	b.Add(&jfrtest.Class{ID: one.ID, Name: "test.Another", SuperType: jfrtest.EventSuperType})
	c := onlyChunk(t, b.Bytes())
	got, err := c.NewestTypes()
	require.NoError(t, err)
	assert.Equal(t, []string{"test.Another"}, events(got), "of two with one number the last counts, once")
}

func TestDescribedByNothing(t *testing.T) {
	data, l := small(3).Build()
	_, err := onlyChunk(t, put(data, metadataAt, uint64(l.Events[0].Offset))).NewestTypes()
	wantFault(t, err, index.ErrCorrupt, 0, uint64(l.Events[0].Offset))

	// The types are known, but the metadata that the header names now is none.
	x := newGrowing(t, data, 0)
	typesOf(t, x.Chunks()[0])
	growTo(t, x, put(data, metadataAt, uint64(l.Events[0].Offset)), len(data))
	typesOf(t, x.Chunks()[0])
	_, err = x.Chunks()[0].NewestTypes()
	wantFault(t, err, index.ErrCorrupt, 0, uint64(l.Events[0].Offset))
}
