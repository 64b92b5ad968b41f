package remote_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/remote"
)

// filesOf returns the files of a cache.
func filesOf(t testing.TB, dir string) (paths []string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return paths
}

func TestKeepsWhatWasFetched(t *testing.T) {
	data := chunks(5)
	s := serve(t, data)
	dir := filepath.Join(t.TempDir(), "cache")
	want, err := texts(local(t, data).Select())
	require.NoError(t, err)
	for i, part := range []bool{true, false, false} { // each as in another process
		c := client(t, remote.Options{CacheDir: dir})
		rec, err := c.Recording(t.Context(), s.URL+"/app.jfr")
		require.NoError(t, err)
		sel := rec.Select()
		if part {
			sel = rec.Chunks()[1].Select()
		}
		got, err := texts(sel)
		require.NoError(t, err)
		if !part {
			assert.Equal(t, want, got)
		}
		require.NoError(t, rec.Close())
		requests, bytes := s.seen()
		if i == 2 {
			assert.Equal(t, 1, requests, "whether it is still the same")
			assert.Equal(t, int64(64<<10), bytes)
		}
	}
	files := filesOf(t, dir)
	require.Len(t, files, 1)
	info, err := os.Stat(files[0])
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}

	// A block that is not what was written is fetched again.
	f, err := os.OpenFile(files[0], os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 100), int64(len(data)/2))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	got, err := texts(opened(t, client(t, remote.Options{CacheDir: dir}), s.URL+"/app.jfr").Select())
	require.NoError(t, err)
	assert.Equal(t, want, got)

	// Another version is another file.
	s.mu.Lock()
	s.etag, s.data = `"two"`, chunks(3)
	s.mu.Unlock()
	assert.Len(t, opened(t, client(t, remote.Options{CacheDir: dir}), s.URL+"/app.jfr").Chunks(), 3)
	assert.Len(t, filesOf(t, dir), 2)
}

func TestKeepsNothingWithoutAVersion(t *testing.T) {
	for _, etag := range []string{"", `W/"weak"`} {
		s := serve(t, chunks(2))
		s.etag = etag
		dir := t.TempDir()
		got, err := texts(opened(t, client(t, remote.Options{CacheDir: dir}), s.URL).Select())
		require.NoError(t, err)
		assert.Len(t, got, 400)
		assert.Empty(t, filesOf(t, dir))
	}
}

func TestRemovesWhatWasUsedLeastRecently(t *testing.T) {
	data := chunks(5) // a megabyte
	s := serve(t, data)
	dir := t.TempDir()
	read := func(name string) {
		c := client(t, remote.Options{CacheDir: dir, CacheLimit: 3 << 20})
		rec, err := c.Recording(t.Context(), s.URL+"/"+name)
		require.NoError(t, err)
		_, err = texts(rec.Select())
		require.NoError(t, err)
		require.NoError(t, rec.Close())
	}
	for i := range 6 {
		read(fmt.Sprint(i))
		assert.LessOrEqual(t, len(filesOf(t, dir)), 2+1)
	}
	s.seen()
	read("5")
	requests, _ := s.seen()
	assert.Equal(t, 1, requests, "it is still there")
}

func TestTakesNoMoreThanTheLimit(t *testing.T) {
	s := serve(t, chunks(10))
	for _, dir := range []string{"", t.TempDir()} {
		rec := opened(t, client(t, remote.Options{CacheDir: dir, CacheLimit: 1 << 20}), s.URL)
		_, err := texts(rec.Select())
		require.ErrorIs(t, err, mmapjfr.ErrUnfetched)
		require.ErrorContains(t, err, "more than 1 MiB")
	}
}

// TestManyProcessesShareACache has clients, each like a process of its own, read and remove at the same time.
func TestManyProcessesShareACache(t *testing.T) {
	data := chunks(4)
	s := serve(t, data)
	dir := t.TempDir()
	want, err := texts(local(t, data).Select())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			c := client(t, remote.Options{CacheDir: dir, CacheLimit: 2<<20 + 400<<10}) // one object fits
			for j := range 4 {
				rec, err := c.Recording(t.Context(), fmt.Sprintf("%s/%d", s.URL, (i+j)%2))
				if !assert.NoError(t, err) {
					return
				}
				got, err := texts(rec.Select())
				assert.NoError(t, err)
				assert.Equal(t, want, got)
				assert.NoError(t, rec.Close())
			}
		})
	}
	wg.Wait()
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

// TestWhatIsReadToItsEndHasALimit has a server that gives no ranges, and a recording without an end; then one that fits, several times.
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
	require.ErrorContains(t, err, "take more than 3 MiB, the limit for what is fetched; raise it by --cache-limit, or download them")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	var open []*input.Set
	for {
		set, err := input.Open(t.Context(), []string{endless.URL + "/app.jfr"}, o)
		if err != nil {
			require.ErrorContains(t, err, "the limit for what is fetched")
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
