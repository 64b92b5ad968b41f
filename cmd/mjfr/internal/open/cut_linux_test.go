package open

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// computed are requests for what is computed from events.
var computed = []string{
	"/api/recording", "/api/views", "/api/query?view=hot-methods", "/api/query?q=select+count(*)+from+ThreadPark", "/api/events?type=jdk.ThreadPark",
	"/api/lanes", "/api/lane?name=main&id=1&around=1e5&at=1", "/api/latency?type=jdk.ThreadPark", "/api/waits", "/api/file", "/api/verify", "/api/pools",
}

// answered returns the answer to a request.
func answered(t *testing.T, x *explorer, path string) map[string]any {
	t.Helper()
	path, query, _ := strings.Cut(path, "?")
	q, err := url.ParseQuery(query)
	require.NoError(t, err)
	var parameters []string
	for name, values := range q {
		parameters = append(parameters, name, values[0])
	}
	_, answer := ask(t, x, path, parameters...)
	return answer
}

// TestAnswersSayWhatIsLost cuts a file, and asks for what was asked before: no answer outlives the file, and each says why
// it has less.
func TestAnswersSayWhatIsLost(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	for what, spoil := range map[string]func(path string) error{
		"cut":         func(path string) error { return os.Truncate(path, int64(len(data)/2)) },
		"overwritten": func(path string) error { return os.WriteFile(path, make([]byte, len(data)), 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "a.jfr")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0))) // the next time of a write is another one
		x := exploreFile(t, path)
		for _, request := range computed {
			before := answered(t, x, request)
			assert.Nil(t, before["lost"], request)
			assert.Nil(t, before["error"], request)
		}
		require.NoError(t, spoil(path))
		for range 2 {
			for _, request := range computed {
				answer := answered(t, x, request)
				assert.True(t, answer["lost"] != nil || answer["error"] != nil, "%s: %s", what, request)
			}
		}
	}
}

// TestIncompleteRecording has lost its end before it is opened.
func TestIncompleteRecording(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data[:len(data)*3/4], 0o600))
	x := exploreFile(t, path)
	for _, request := range computed {
		if request == "/api/verify" || request == "/api/pools" {
			continue // their rows say it, or where pools lie is known
		}
		for range 2 { // also from what is kept
			assert.NotEmpty(t, answered(t, x, request)["lost"], request)
		}
	}
}

// TestPagesSayWhatIsLost looks at pages of a file that has lost its end: before it was opened, and while it is open.
func TestPagesSayWhatIsLost(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data[:len(data)*3/4], 0o600))
	said := "document.querySelector('.lost').hidden ? '' : document.querySelector('.lost').textContent"
	b := openTab(t, exploreFile(t, path))
	pages := evaluate[[]string](b, "[...document.querySelectorAll('header nav a')].map((a) => a.getAttribute('href'))")
	for _, page := range pages {
		b.load(b.base + page)
		assert.Contains(t, b.text(said), "a.jfr: ", page)
	}
	for _, page := range pages {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		b := openTab(t, exploreFile(t, path))
		assert.Empty(t, b.text(said))
		require.NoError(t, os.Truncate(path, 4096))
		b.do(fmt.Sprintf("document.querySelector('header nav a[href=%q]').click(); dispatchEvent(new Event('popstate'))", page))
		b.until("!!(" + said + ")")
	}
}

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
		for at := 70; at < len(data); at += len(data) / longtest.Cases(10, 50) {
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
