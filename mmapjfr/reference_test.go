package mmapjfr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestAgreesWithReference compares every event, field and constant of every
// recording with what a slow and obvious decoder makes of it.
func TestAgreesWithReference(t *testing.T) {
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			_, err := mmapjfr.OpenBytes(data)
			require.ErrorIs(t, err, mmapjfr.ErrUnsupported)
			assert.ErrorContains(t, err, "version 0.9")
			return
		}
		// What follows the last chunk, as in unfinished recordings, the reference
		// decoder does not understand; it then gives what is before.
		want, _ := jfrtest.Decode(data)
		agree(t, openBytes(t, data), want)
	})
}

func TestAgreesWithReferenceOnBuiltChunks(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		data, _ := b.Build()
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		agree(t, openBytes(t, data), want)
	})
	t.Run("both", func(t *testing.T) {
		third := newSample()
		third.Header.StartNanos++ // another chunk, and not the first one again
		data, _ := jfrtest.Concat(newSample(), newSample().Uncompressed(), third)
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		agree(t, openBytes(t, data), want)
	})
	for _, encoding := range []byte{3, 4, 5} {
		b := newSample()
		b.StringEncoding = encoding
		data := b.Bytes()
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		agree(t, openBytes(t, data), want)
	}
}

// agree compares a recording with the reference decoder's.
func agree(t *testing.T, rec *mmapjfr.Recording, want *jfrtest.Recording) {
	t.Helper()
	require.Len(t, rec.Chunks(), len(want.Chunks))
	chunk, i, ordinal := -1, 0, uint64(0)
	var c *comparer
	for ev, err := range rec.Events() {
		if errors.Is(err, mmapjfr.ErrUnfinished) {
			continue
		}
		require.NoError(t, err)
		for chunk != ev.Chunk().Number() {
			if chunk >= 0 {
				require.Len(t, want.Chunks[chunk].Events, i, "events of chunk %d", chunk)
			}
			chunk, i = chunk+1, 0
			c = newComparer(want.Chunks[chunk])
		}
		require.Less(t, i, len(c.chunk.Events), "events of chunk %d", chunk)
		require.Empty(t, c.event(ev, &c.chunk.Events[i]))
		require.Equal(t, ordinal, ev.Ordinal())
		i++
		ordinal++
	}
	events := 0
	for _, c := range want.Chunks {
		events += len(c.Events)
	}
	require.Equal(t, events, int(ordinal))
	for i, c := range want.Chunks {
		constantsAgree(t, rec.Chunks()[i], c)
	}
}

// constantsAgree compares all constants of a chunk, those that no event refers
// to included.
func constantsAgree(t *testing.T, got mmapjfr.Chunk, want *jfrtest.Chunk) {
	t.Helper()
	require.NoError(t, got.ConstantsErr())
	types, err := got.Types()
	require.NoError(t, err)
	c := newComparer(want)
	names := map[string]int{}
	for _, typ := range types {
		names[typ.RecordedName()]++
	}
	for _, typ := range types {
		if names[typ.RecordedName()] > 1 {
			continue
		}
		n := 0
		for key, v := range got.Constants(typ) {
			n++
			f := &jfrtest.Field{Class: typ.RecordedName()}
			if d := c.value(v, f, jfrtest.Constant{Class: typ.ID(), Key: key}); d != "" {
				require.Fail(t, d, "%s %d", typ.RecordedName(), key)
			}
		}
		require.Equal(t, len(want.Pools[typ.ID()]), n, typ.RecordedName())
	}
}
