package open

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// exploreURL opens the recording of a URL.
func exploreURL(t *testing.T, url string) *explorer {
	t.Helper()
	set, err := input.Open(t.Context(), []string{url}, input.Options{Remote: remote.New(remote.Options{TempDir: t.TempDir(), Pause: time.Millisecond})})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, set.Close()) })
	x, err := newExplorer(set)
	require.NoError(t, err)
	return x
}

// TestURLAnswersAsItsFile asks a recording of a server what a file is asked. All that is transferred is the recording, once.
// When another one is there in the middle of that, answers say that something is lost.
func TestURLAnswersAsItsFile(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	var sent atomic.Int64
	var etag atomic.Value
	etag.Store(`"one"`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag.Load().(string))
		answer := httptest.NewRecorder()
		answer.Header().Set("ETag", etag.Load().(string))
		http.ServeContent(answer, r, "", time.Time{}, bytes.NewReader(data))
		sent.Add(int64(answer.Body.Len()))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer s.Close()
	url := s.URL + "/jdk25-profile.jfr"
	x, of := exploreURL(t, url), explore(t, "jdk25-profile.jfr")
	for _, request := range computed {
		want, err := json.Marshal(answered(t, of, request))
		require.NoError(t, err)
		got, err := json.Marshal(answered(t, x, request))
		require.NoError(t, err)
		if request != "/api/file" && request != "/api/recording" { // they name the file, and when it was written
			assert.Equal(t, string(want), strings.ReplaceAll(string(got), url, "jdk25-profile.jfr"), request)
		}
		assert.NotContains(t, string(got), `"lost"`, request)
	}
	assert.LessOrEqual(t, sent.Load(), int64(len(data)+32<<10))

	x = exploreURL(t, url)
	etag.Store(`"two"`)
	for _, request := range computed {
		answer := answered(t, x, request)
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		assert.True(t, answer["lost"] != nil || answer["error"] != nil || strings.Contains(string(text), "changed while it was read"), "%s: %.300s", request, text)
	}
}
