package batch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// TestListedObjects lists a folder, in which one file has two names and two files have one content.
func TestListedObjects(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"shop/2026/a.jfr", "shop/2026/a.jfr.gz", "shop/b.jfr.zst", "cart/copy.jfr", "cart/notes.txt", "cart/x.jfr.tmp"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
	}
	names := func(named ...string) (list []string) {
		for i := range named {
			named[i] = filepath.Join(dir, named[i])
		}
		objects := listed(t, named...)
		for _, o := range objects {
			name, err := filepath.Rel(dir, o.Name)
			require.NoError(t, err)
			list = append(list, filepath.ToSlash(name))
			assert.EqualValues(t, 7, o.Size)
			assert.NotEmpty(t, o.Version)
		}
		return list
	}
	all := []string{"cart/copy.jfr", "shop/2026/a.jfr", "shop/b.jfr.zst"}
	assert.Equal(t, all, names(""))
	assert.Equal(t, all, names("shop", "cart", "shop/2026/a.jfr", "./shop/b.jfr.zst"))
	assert.Equal(t, []string{"cart/notes.txt", "cart/x.jfr.tmp"}, names("cart/[nx]*"))
	require.NoError(t, os.Link(filepath.Join(dir, "cart/copy.jfr"), filepath.Join(dir, "cart/same.jfr")))
	assert.Equal(t, all, names(""))
	_, err := new(batch.Store).List(t.Context(), []string{filepath.Join(dir, "gone.jfr")})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestManifest(t *testing.T) {
	list, err := new(batch.Store).ReadManifest(t.Context(), strings.NewReader(`
# names, and objects of a store
b.jfr
{"uri": "c/a.jfr", "size": 12, "etag": "x", "labels": {"service": "shop"}}
b.jfr
`))
	require.NoError(t, err)
	assert.Equal(t, []batch.Object{{Name: "b.jfr"}, {Name: "c/a.jfr", Size: 12, Version: "x", Labels: map[string]string{"service": "shop"}}}, list)
	for text, want := range map[string]string{
		`{"uri": 1}`: "line 1",
		"a.jfr\n{}":  "line 2 has no uri",
		`{"uri":"a","etag":"1"}` + "\n" + `{"uri":"a","etag":"2"}`: "two versions",
	} {
		_, err := new(batch.Store).ReadManifest(t.Context(), strings.NewReader(text))
		require.ErrorContains(t, err, want)
	}
}

func TestLabels(t *testing.T) {
	l, err := batch.NewLabeler("{service}/{date}/{host}.jfr")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"service": "shop", "date": "2026-11-20", "host": "h1", "zone": "eu"},
		l.Labels(batch.Object{Name: "s3/zone=eu/shop/2026-11-20/h1.jfr.zst"}))
	assert.Equal(t, map[string]string{"service": "cart"}, l.Labels(batch.Object{Name: "x.jfr", Labels: map[string]string{"service": "cart"}}))
	_, err = batch.NewLabeler("a/b.jfr")
	require.ErrorContains(t, err, "has no label")

	items := batch.Plan(&batch.Profile{}, []batch.Object{{Name: "b/1.jfr", Size: 5}, {Name: "a/2.jfr", Size: 5}, {Name: "b/3.jfr", Size: 5}, {Name: "4.jfr", Size: 5}}, batch.PlanOptions{
		By: []string{"k"}, Labeler: labeler(t, "{k}/{n}.jfr"), Size: 8,
	})
	var text []string
	for _, item := range items {
		text = append(text, batch.KeyText(item.Key)+": "+item.Parts[0].Object)
	}
	assert.Equal(t, []string{"k=: 4.jfr", "k=a: a/2.jfr", "k=b: b/1.jfr", "k=b: b/3.jfr"}, text)
}

func labeler(t *testing.T, template string) *batch.Labeler {
	t.Helper()
	l, err := batch.NewLabeler(template)
	require.NoError(t, err)
	return l
}
