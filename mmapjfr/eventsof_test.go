package mmapjfr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestEventsOf compares the events of some types of each chunk with those that a selection finds.
func TestEventsOf(t *testing.T) {
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			return
		}
		rec, fresh := openBytes(t, data), openBytes(t, data)
		for i, c := range rec.Chunks() {
			all, err := engine.ChunkAllTypes(c)
			if err != nil {
				continue
			}
			var names []string
			for k, typ := range all {
				if typ.IsEvent() && k%5 == i%5 {
					names = append(names, typ.Name())
				}
			}
			var want []uint64
			for ev, err := range c.Select(mmapjfr.Types(names...)).Events() {
				if err == nil {
					want = append(want, ev.Offset())
				}
			}
			var got []uint64
			of := fresh.Chunks()[i]
			for ev, err := range engine.ChunkEventsOf(of, names...) {
				if err == nil {
					got = append(got, ev.Offset())
				}
			}
			require.Equal(t, want, got)
			complete, err := engine.ChunkAllTypes(of)
			require.NoError(t, err)
			assert.Len(t, complete, len(all))
		}
	})
}

// TestEventsOfOlderMetadata finds events of a type that only older metadata describes, and of two types with one name.
func TestEventsOfOlderMetadata(t *testing.T) {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	old := b.Event("test.Name", jfrtest.Of("value", "int"))
	b.Emit(old, 1, 1)
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], old)})
	latest := b.Event("test.Name", jfrtest.Of("value", "int"))
	b.Emit(latest, 2, 2)
	b.Emit(old, 3, 3)
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], latest)})
	rec := openBytes(t, b.Bytes())
	var values []int64
	for ev, err := range engine.ChunkEventsOf(rec.Chunks()[0], "test.Name") {
		require.NoError(t, err)
		values = append(values, ev.Get(mmapjfr.Path("value")).Int())
	}
	assert.Equal(t, []int64{1, 2, 3}, values)
	require.NoError(t, rec.Close())
	for _, err := range engine.ChunkEventsOf(rec.Chunks()[0], "test.Name") {
		require.True(t, errors.Is(err, mmapjfr.ErrClosed), "%v", err)
	}
}
