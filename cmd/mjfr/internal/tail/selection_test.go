package tail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
)

// TestSelectionForgetsChunks reads a recording of several chunks: what a selection remembers of
// types must not keep the metadata of chunks that have gone.
func TestSelectionForgetsChunks(t *testing.T) {
	rec := opentest.File(t, "../../../../testdata/jdk25-chunks.jfr")
	o := &options{}
	o.Events = []string{"jdk.*"}
	s, err := newEvents(o, &times{begin: fromStart, resolved: true})
	require.NoError(t, err)
	chunks := map[int]bool{}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		_, err = s.wants(ev)
		require.NoError(t, err)
		types, err := ev.Chunk().Types()
		require.NoError(t, err)
		require.LessOrEqual(t, len(s.known), len(types))
		if !chunks[ev.Chunk().Number()] {
			chunks[ev.Chunk().Number()] = true
			assert.LessOrEqual(t, len(s.known), 1, "types of earlier chunks")
		}
	}
	assert.Greater(t, len(chunks), 1)
}
