package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// eachForm runs a test with compressed and with raw integers.
func eachForm(t *testing.T, do func(t *testing.T, b *jfrtest.Builder)) {
	t.Helper()
	t.Run("compressed", func(t *testing.T) { do(t, jfrtest.NewChunk()) })
	t.Run("raw", func(t *testing.T) { do(t, jfrtest.NewChunk().Uncompressed()) })
}

// onlyChunk returns the chunk of a recording that has one and no fault around it.
func onlyChunk(t testing.TB, data []byte) *index.Chunk {
	t.Helper()
	x, err := index.New(data)
	require.NoError(t, err)
	require.Len(t, x.Chunks(), 1)
	require.NoError(t, x.TrailingErr())
	require.NoError(t, x.Chunks()[0].LeadingErr())
	return x.Chunks()[0]
}

func typesOf(t testing.TB, c *index.Chunk) *schema.TypeSet {
	t.Helper()
	types, err := c.Types()
	require.NoError(t, err)
	return types
}
