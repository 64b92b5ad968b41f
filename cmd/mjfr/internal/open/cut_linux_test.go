package open

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestCutFile asks for everything of a file that loses its second half while it is open.
func TestCutFile(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	for _, before := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "cut.jfr")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		set, err := input.Open(t.Context(), []string{path}, input.Options{})
		require.NoError(t, err)
		x, err := newExplorer(set)
		require.NoError(t, err)
		types := must(t, explore(t, "jdk25-profile.jfr"), "/api/recording")["types"].([]any)
		var paths []string
		for _, typ := range types {
			paths = append(paths, "/api/events?type="+typ.(map[string]any)["name"].(string))
		}
		for at := 70; at < len(data); at += len(data) / 50 {
			paths = append(paths, fmt.Sprintf("/api/event?offset=%d", at))
		}
		page := must(t, explore(t, "jdk25-profile.jfr"), "/api/events", "type", busiest(t, x))
		for _, at := range page["at"].([]any) {
			paths = append(paths, "/api/event?offset="+at.(map[string]any)["offset"].(string))
		}
		paths = append(paths, "/api/recording", "/api/file", "/api/verify", "/api/lanes", "/flamegraph?kind=cpu", "/api/query?view=hot-methods", "/api/query?view=gc")
		ask := func() {
			for _, path := range paths {
				x.answers = answers{}
				w := httptest.NewRecorder()
				x.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
				assert.NotEmpty(t, w.Body.String(), path)
			}
		}
		if before {
			ask() // so that indexes and texts are known
		}
		require.NoError(t, os.Truncate(path, int64(len(data)/2)/4096*4096))
		ask()
		require.NoError(t, set.Close())
	}
}
