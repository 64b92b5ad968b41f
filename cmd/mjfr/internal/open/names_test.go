package open

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestNamesOfVersion1 opens a recording with the names of JDK 9: it has the types, views and kinds
// of profiles of the one that it was made of.
func TestNamesOfVersion1(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk17-profile.jfr"))
	require.NoError(t, err)
	old := filepath.Join(t.TempDir(), "jdk17-profile.jfr")
	require.NoError(t, os.WriteFile(old, jfrtest.Version1(data), 0o600))
	set, err := input.Open(t.Context(), []string{old}, input.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, set.Close()) })
	then, err := newExplorer(set)
	require.NoError(t, err)
	today := explore(t, "jdk17-profile.jfr")
	names := func(x *explorer) (names []any) {
		for _, typ := range must(t, x, "/api/recording")["types"].([]any) {
			names = append(names, typ.(map[string]any)["name"])
		}
		return names
	}
	assert.ElementsMatch(t, names(today), names(then))
	assert.NotEmpty(t, must(t, then, "/api/recording")["kinds"])
	assert.Equal(t, must(t, today, "/api/recording")["kinds"], must(t, then, "/api/recording")["kinds"])
	assert.Equal(t, must(t, today, "/api/views"), must(t, then, "/api/views"))
}
