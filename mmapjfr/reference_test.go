package mmapjfr_test

import (
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
		require.Empty(t, disagreement(openBytes(t, data), want))
	})
}

func TestAgreesWithReferenceOnBuiltChunks(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		data, _ := b.Build()
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		require.Empty(t, disagreement(openBytes(t, data), want))
	})
	t.Run("both", func(t *testing.T) {
		third := newSample()
		third.Header.StartNanos++ // another chunk, and not the first one again
		data, _ := jfrtest.Concat(newSample(), newSample().Uncompressed(), third)
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		require.Empty(t, disagreement(openBytes(t, data), want))
	})
	for _, encoding := range []byte{3, 4, 5} {
		b := newSample()
		b.StringEncoding = encoding
		data := b.Bytes()
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		require.Empty(t, disagreement(openBytes(t, data), want))
	}
}
