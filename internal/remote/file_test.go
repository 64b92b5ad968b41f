package remote_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestLeavesNoFiles: what was fetched is gone when the recording is closed.
func TestLeavesNoFiles(t *testing.T) {
	s := serve(t, chunks(5))
	dir := t.TempDir()
	rec, err := client(t, remote.Options{TempDir: dir}).Recording(t.Context(), s.URL+"/app.jfr")
	require.NoError(t, err)
	got, err := texts(rec.Select())
	require.NoError(t, err)
	assert.Len(t, got, 1000)
	open, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range open { // systems that have files without names have none here
		info, err := f.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		}
	}
	require.NoError(t, rec.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestTakesNoMoreThanTheLimit(t *testing.T) {
	s := serve(t, chunks(10))
	rec := opened(t, client(t, remote.Options{CacheLimit: 1 << 20}), s.URL)
	_, err := texts(rec.Select())
	require.ErrorIs(t, err, mmapjfr.ErrUnfetched)
	require.ErrorContains(t, err, "more than 1 MB")
}

func TestHidesSecrets(t *testing.T) {
	c := client(t, remote.Options{})
	for name, want := range map[string]string{
		"https://host/a.jfr":                             "https://host/a.jfr",
		"https://host/a.jfr?X-Amz-Signature=hush#b":      "https://host/a.jfr?...",
		"https://user:hush@host/a@b.jfr?sig=hush":        "https://host/a@b.jfr?...",
		"http://host?x=hush":                             "http://host?...",
		"https://user:hush@host":                         "https://host",
		"s3://bucket/what?is=this#x":                     "s3://bucket/what?is=this#x",
		"app.jfr":                                        "app.jfr",
		"https://host/a.jfr#hush?":                       "https://host/a.jfr",
		"https://us/er:hush@host/a.jfr?=https://x:y@z/w": "https://us/er:hush@host/a.jfr?...",
	} {
		assert.Equal(t, want, c.Show(name))
	}
	first := c.Identity("https://user:hush@host/a.jfr?id=1&X-Amz-Signature=hush#b")
	assert.Regexp(t, `^https://host/a\.jfr\?[0-9a-f]{16}$`, first)
	assert.Equal(t, first, c.Identity("https://host/a.jfr?X-Amz-Date=now&id=1"))
	assert.NotEqual(t, first, c.Identity("https://host/a.jfr?id=2"))
	for _, name := range []string{"X-Amz-Signature=hush&X-Amz-Date=1", "X-Goog-Signature=hush", "sv=2021-12-02&se=2026&sr=b&sp=r&sig=hush"} {
		assert.Equal(t, "https://host/a.jfr", c.Identity("https://host/a.jfr?"+name))
	}
	for name, takes := range map[string]bool{"HTTPS://x": true, "gs://x/y": true, "azblob://x/y": true, "s3:/x": false, "app.jfr": false, "ftp://x": false} {
		assert.Equal(t, takes, c.Takes(name), name)
	}
	s := serve(t, chunks(1))
	s.setFault(func(_ int, _ http.ResponseWriter, _ *http.Request) bool { panic(http.ErrAbortHandler) })
	_, err := c.Recording(t.Context(), strings.Replace(s.URL, "://", "://user:hush@", 1)+"/a?sig=hush")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hush")
}

// TestWhatIsReadToItsEndHasALimit has a server that gives no ranges, and a recording without an
// end; then one that fits, several times.
func TestWhatIsReadToItsEndHasALimit(t *testing.T) {
	data := file(t, "jdk25-kinds.jfr")
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := w.Write(data)
		for zeros := make([]byte, 64<<10); err == nil && r.URL.Path == "/endless.jfr"; {
			_, err = w.Write(zeros)
		}
	}))
	defer endless.Close()
	dir := t.TempDir()
	c := client(t, remote.Options{CacheLimit: 3 << 20})
	o := input.Options{Remote: c, TempDir: dir, InMemory: 1 << 20}
	_, err := input.Open(t.Context(), []string{endless.URL + "/endless.jfr"}, o)
	require.ErrorContains(t, err, "take more than 3 MB, the limit for fetched data; raise it with --cache-limit, or download them")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	var open []*input.Set
	for {
		set, err := input.Open(t.Context(), []string{endless.URL + "/app.jfr"}, o)
		if err != nil {
			require.ErrorContains(t, err, "the limit for fetched data")
			break
		}
		open = append(open, set)
	}
	assert.Len(t, open, 3<<20/len(data), "all that are open count")
	for _, set := range open {
		require.NoError(t, set.Close())
	}
	set, err := input.Open(t.Context(), []string{endless.URL + "/app.jfr"}, o)
	require.NoError(t, err)
	require.NoError(t, set.Close())
}
