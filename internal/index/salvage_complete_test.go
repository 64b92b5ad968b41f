package index_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
)

// TestSalvageTriesSeveralLenders salvages a chunk that misses classes, which the first
// chunk that could lend them does not have all of. Nothing of that one may stay.
func TestSalvageTriesSeveralLenders(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	clear(data[197120:][:512]) // in the string table of the second chunk
	x, err := index.Salvage(data)
	require.NoError(t, err)
	types, err := x.Chunks()[1].AllTypes()
	require.NoError(t, err)
	for _, class := range types.Types {
		for i := range class.Fields {
			f := &class.Fields[i]
			assert.Same(t, types.ByID(f.TypeID), f.Type, "%s.%s", class.Name, f.Name)
		}
	}
	plan, err := types.Named("jdk.types.FrameType").Plan()
	require.NoError(t, err)
	assert.Equal(t, 1, plan.NumSlots())
}
