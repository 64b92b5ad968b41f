package index_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestSalvageWhereBytesAreMissing salvages a recording of which some bytes are missing in the first
// chunk: the second one, which begins that much earlier than the first one says, is whole.
func TestSalvageWhereBytesAreMissing(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	whole, err := index.New(data)
	require.NoError(t, err)
	first, second := whole.Chunks()[0], whole.Chunks()[1]
	end := second.Offset() - 64
	for at, n := uint64(100), 0; at < end; at, n = at+(end-at)/8+1, n+1 {
		if !longtest.Every(n, 4) {
			continue
		}
		for _, missing := range []int{36, 1, 4, 60}[:longtest.Cases(1, 4)] {
			x, err := index.Salvage(slices.Delete(slices.Clone(data), int(at), int(at)+missing))
			require.NoError(t, err)
			i := slices.IndexFunc(x.Chunks(), func(c *index.Chunk) bool { return c.Offset() == second.Offset()-uint64(missing) })
			if assert.GreaterOrEqual(t, i, 0, "%d bytes at %d of %d", missing, at, len(first.Data())) {
				assert.Nil(t, x.Chunks()[i].Salvaged(), "%d bytes at %d", missing, at)
			}
		}
	}
}
