package constants_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestVersion1HasTheSameTexts has constants of formats 1.0 and 2.1 be shown alike.
func TestVersion1HasTheSameTexts(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	texts := func(data []byte) map[string]int {
		list := make(map[string]int)
		for c, err := range constants.All(openBytes(t, data), nil) {
			require.NoError(t, err)
			if name := c.Type.Name(); name != "jdk.types.ChunkHeader" { // only 2.1 has it
				list[name+": "+constants.Text(c.Value())+", "+inspect.Short(c.Value())]++
			}
		}
		return list
	}
	want := texts(data)
	assert.Greater(t, len(want), 500)
	assert.Equal(t, want, texts(jfrtest.Version1(data)))
}
