package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrune removes what was used least recently.
func TestPrune(t *testing.T) {
	root, now := t.TempDir(), time.Now()
	aged := func(path string, age time.Duration) {
		require.NoError(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
	}
	for i, age := range []time.Duration{time.Minute, 3 * time.Hour, time.Hour, 2 * time.Hour, 31 * 24 * time.Hour} {
		path := filepath.Join(root, fmt.Sprint(i))
		if i%2 == 0 {
			require.NoError(t, os.WriteFile(path, make([]byte, 100), 0o600))
		} else {
			require.NoError(t, os.Mkdir(path, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(path, "a.parquet"), make([]byte, 100), 0o600))
		}
		aged(path, age)
	}
	for name, age := range map[string]time.Duration{"new-1": time.Minute, "new-2": 25 * time.Hour} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
		aged(filepath.Join(root, name), age)
	}
	left := func(limit int64) (names []string) {
		require.NoError(t, prune(root, limit, now))
		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	assert.Equal(t, []string{"0", "1", "2", "3", "new-1"}, left(1000), "what was used last month goes")
	assert.Equal(t, []string{"0", "1", "2", "3", "new-1"}, left(400))
	assert.Equal(t, []string{"0", "2", "3", "new-1"}, left(399))
	assert.Equal(t, []string{"0", "2", "new-1"}, left(250))
	assert.Equal(t, []string{"0", "new-1"}, left(1), "what was used a minute ago stays")
	require.NoError(t, prune(filepath.Join(root, "missing"), 1, now))
}
