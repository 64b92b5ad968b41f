package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/internal/s3test"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// store returns what reads a bucket, with short pauses.
func store(t *testing.T) *batch.Store {
	return &batch.Store{Remote: remote.New(remote.Options{TempDir: t.TempDir(), Pause: time.Millisecond})}
}

// machines is a number of machines that do a batch.
type machines struct {
	store    *batch.Store
	question batch.Question
	objects  []batch.Object
	plan     batch.PlanOptions
	n        int
	killed   bool // the first of them is stopped after an item, and started again
}

// answer returns what they find: answers and damage for each key, with names of objects below prefix.
func (m machines) answer(t *testing.T, prefix string) (list []string) {
	t.Helper()
	m.plan.CanDivide = m.store.CanDivide
	dir, items := t.TempDir(), batch.Plan(m.question, m.objects, m.plan)
	for _, shard := range rand.New(rand.NewPCG(3, uint64(m.n))).Perm(m.n) {
		w := &batch.Work{Question: m.question, Items: items, Shard: shard, Shards: m.n, Dir: dir, Workers: 3, Open: m.store.Open}
		if m.killed {
			m.killed = false
			ctx, stop := context.WithCancel(t.Context())
			w.Done, w.Workers = func(*batch.Partial) { stop() }, 1
			require.ErrorIs(t, w.Run(ctx), context.Canceled)
			w.Done, w.Workers = nil, 3
		}
		require.NoError(t, w.Run(t.Context()))
	}
	f, err := batch.OpenFolders([]string{dir})
	require.NoError(t, err)
	assert.Zero(t, f.Missing)
	sums, err := f.Merge(t.Context(), m.question)
	require.NoError(t, err)
	assert.Equal(t, len(m.objects), f.Objects)
	for _, p := range sums {
		damage := strings.ReplaceAll(fmt.Sprint(p.Damage()), prefix, "")
		list = append(list, fmt.Sprint(batch.KeyText(p.Key), p.Start, p.End, p.Zone), string(marshalled(t, p.Answer())), damage)
	}
	return list
}

// TestFleetInABucket reads a bucket whose server fails in many ways, by one machine and by several, in items of several
// objects and of parts of one, with a machine that is stopped, and with each object listed twice. The answers are those
// of files.
func TestFleetInABucket(t *testing.T) {
	n := max(longtest.Cases(12, 200), *fleetSize)
	s := s3test.Start(t, nil)
	dir := t.TempDir()
	s3test.Corpus(t, n, nil, func(key string, data []byte) {
		s.Put(t, key, data)
		path := filepath.Join(dir, filepath.FromSlash(key))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
	})
	files := listed(t, dir)
	s.Fail(1, 20)
	objects, err := store(t).List(t.Context(), []string{s3test.URL, s3test.URL + "service=shop/", s3test.URL + "service=*/*/0*.jfr*"})
	require.NoError(t, err)
	require.Len(t, objects, n)
	for i, o := range objects {
		require.Equal(t, s3test.URL+strings.TrimPrefix(files[i].Name, filepath.ToSlash(dir)+"/"), o.Name)
		require.Equal(t, files[i].Size, o.Size)
		require.Len(t, o.Version, 32, "the ETag")
	}
	failures := make(map[string]int)
	for i, q := range questions(t) {
		if !longtest.Every(i, 4) {
			continue
		}
		byService := batch.PlanOptions{Size: 1 << 20, By: []string{"service"}}
		want := machines{store: store(t), question: q, objects: files, n: 1}.answer(t, filepath.ToSlash(dir)+"/")
		wantBy := machines{store: store(t), question: q, objects: files, plan: byService, n: 1}.answer(t, filepath.ToSlash(dir)+"/")
		require.Len(t, wantBy, 9)
		for j, m := range []machines{
			{n: 1},
			{n: 7, plan: batch.PlanOptions{Size: 100_000}, killed: true},
			{n: 3, plan: byService, killed: true},
		} {
			s.Fail(uint64(10*i+j), 20)
			m.store, m.question, m.objects = store(t), q, objects
			got := m.answer(t, s3test.URL)
			if m.plan.By != nil {
				assert.Equal(t, wantBy, got, q.Text())
			} else {
				assert.Equal(t, want, got, q.Text())
			}
			maps.Copy(failures, s.Failures())
		}
	}
	assert.Len(t, failures, 5, "every kind of failure")
	requests, sent := s.Seen()
	t.Logf("%d objects, %d requests, %d bytes", n, requests, sent)
}

// TestObjectsThatCannotBeFetched has objects that are gone, changed, forbidden and on a server that has enough: they are
// listed, count for nothing, and those that may come back are read again.
func TestObjectsThatCannotBeFetched(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	all := make(map[string][]byte)
	for _, key := range []string{"a.jfr", "busy.jfr", "busy.jfr.zst", "changed.jfr", "early.jfr", "forbidden.jfr", "gone.jfr", "z.jfr"} {
		all[key] = data
	}
	all["busy.jfr.zst"] = s3test.Packed(t, data, false)
	s := s3test.Start(t, all)
	objects, err := store(t).List(t.Context(), []string{s3test.URL, s3test.URL + "busy.jfr.zst"})
	require.NoError(t, err)
	require.Len(t, objects, 8)
	s.Put(t, "early.jfr", slices.Concat(data, data))
	s.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		isFirst := strings.HasPrefix(r.Header.Get("Range"), "bytes=0-")
		switch name := strings.TrimPrefix(r.URL.Path, "/recordings/"); {
		case name == "busy.jfr.zst", name == "busy.jfr" && !isFirst:
			w.WriteHeader(http.StatusServiceUnavailable)
		case name == "changed.jfr" && !isFirst:
			w.Header().Set("ETag", `"other"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		case name == "forbidden.jfr":
			w.WriteHeader(http.StatusForbidden)
		case name == "gone.jfr":
			w.WriteHeader(http.StatusNotFound)
		default:
			return false
		}
		return true
	})
	for _, size := range []int64{1 << 30, 100_000} {
		w := &batch.Work{Question: &batch.Profile{}, Dir: t.TempDir(), Open: store(t).Open,
			Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{Size: size, CanDivide: store(t).CanDivide})}
		require.NoError(t, w.Run(t.Context()))
		p := partialOf(t, w.Dir)
		found := make(map[string]batch.Damage)
		for _, d := range wrong(p.Damage()) {
			found[strings.TrimPrefix(d.Object, s3test.URL)] = d
			assert.True(t, d.Unread)
			assert.NotContains(t, d.Error, d.Object)
		}
		for name, want := range map[string]string{
			"busy.jfr": "503 Service Unavailable", "busy.jfr.zst": "503 Service Unavailable", "changed.jfr": "changed while it was read",
			"early.jfr": "changed since it was listed", "forbidden.jfr": "403 Forbidden", "gone.jfr": "404 Not Found",
		} {
			assert.Contains(t, found[name].Error, want, name)
			assert.Equal(t, strings.HasPrefix(name, "busy") || name == "forbidden.jfr", found[name].Again, name)
		}
		assert.Len(t, found, 6)
		assert.Equal(t, answerOf(t, data, data), marshalled(t, p.Answer()), "the others")
	}

	w := &batch.Work{Question: &batch.Profile{}, Dir: t.TempDir(), Open: store(t).Open, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{})}
	s.Hook(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	require.NoError(t, w.Run(t.Context()))
	p := partialOf(t, w.Dir)
	assert.Len(t, wrong(p.Damage()), len(all))
	s.Hook(nil)
	require.NoError(t, w.Run(t.Context()))
	p = partialOf(t, w.Dir)
	require.Len(t, wrong(p.Damage()), 1, "it is done again")
	assert.Equal(t, s3test.URL+"early.jfr", wrong(p.Damage())[0].Object)
	s.Seen()
	require.NoError(t, w.Run(t.Context()))
	requests, _ := s.Seen()
	assert.Zero(t, requests, "and not again, as nothing else is to be expected")
}

// TestNamesOfABucketThatLeadToNothing has an object without bytes, of which servers give no range, and folders.
func TestNamesOfABucketThatLeadToNothing(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	s3test.Start(t, map[string][]byte{"day/shop/a.jfr": data, "day/shop/empty.jfr": nil})
	objects, err := store(t).List(t.Context(), []string{s3test.URL})
	require.NoError(t, err)
	require.Len(t, objects, 2)
	w := &batch.Work{Question: &batch.Profile{}, Dir: t.TempDir(), Open: store(t).Open, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{})}
	require.NoError(t, w.Run(t.Context()))
	p := partialOf(t, w.Dir)
	require.Len(t, p.Damage(), 1)
	assert.Contains(t, p.Damage()[0].Error, "the file is empty")
	assert.True(t, p.Damage()[0].Unread)
	assert.False(t, p.Damage()[0].Again)

	_, err = store(t).List(t.Context(), []string{s3test.URL + "day/shop/a.jfr", s3test.URL + "day"})
	require.ErrorContains(t, err, s3test.URL+"day: the server answers 404")
	require.ErrorContains(t, err, "the name of a folder must end in /")
	list, err := store(t).List(t.Context(), []string{s3test.URL + "day/shop/a.jfr", s3test.URL + "day/gone.jfr"})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.ErrorIs(t, list[0].Err(), os.ErrNotExist)
	require.NoError(t, list[1].Err())
	_, _, err = store(t).Remote.List(t.Context(), s3test.URL+"day/", false)
	require.ErrorContains(t, err, "no object is directly below it; for those in its folders, give a pattern such as s3://recordings/day/*/*.jfr")
}

// partialOf returns what all machines have found.
func partialOf(t *testing.T, dir string) *batch.Partial {
	t.Helper()
	f, err := batch.OpenFolders([]string{dir})
	require.NoError(t, err)
	list, err := f.Merge(t.Context(), &batch.Profile{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// answerOf returns the profile of recordings.
func answerOf(t *testing.T, recordings ...[]byte) []byte {
	t.Helper()
	var recs []*mmapjfr.Recording
	for _, data := range recordings {
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		recs = append(recs, rec)
	}
	sum, err := profile.Read(t.Context(), recs, profile.Options{})
	require.NoError(t, err)
	return marshalled(t, sum)
}

// TestManifestOfURLs has signed URLs, servers without ranges of bytes, and ones that need another name than that of a
// file: results have no secrets, and ranges of objects that have none are read once.
func TestManifestOfURLs(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	var heads atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			heads.Add(1)
			w.WriteHeader(http.StatusForbidden) // as for a signed URL
			return
		}
		content := data
		switch r.URL.Path {
		case "/gone.jfr":
			w.WriteHeader(http.StatusNotFound)
			return
		case "/packed.jfr":
			content = s3test.Packed(t, data, true)
		case "/encoded.jfr":
			content = s3test.Packed(t, data, true)
			w.Header().Set("Content-Encoding", "gzip")
		case "/whole.jfr":
			r.Header.Del("Range")
		}
		w.Header().Set("ETag", `"`+r.URL.Path+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	defer s.Close()
	var lines strings.Builder
	for _, name := range []string{"service=shop/a.jfr?sig=hush&id=1", "service=shop/a.jfr?sig=hush&id=2", "whole.jfr", "packed.jfr", "encoded.jfr", "gone.jfr?sig=hush"} {
		fmt.Fprintf(&lines, "%s/%s\n", s.URL, name)
	}
	objects, err := store(t).ReadManifest(t.Context(), strings.NewReader(lines.String()))
	require.NoError(t, err)
	require.Len(t, objects, 6)
	assert.Equal(t, "shop", labeler(t, "{n}.jfr").Labels(objects[4])["service"])
	assert.Equal(t, "a", labeler(t, "{n}.jfr").Labels(objects[4])["n"])
	var manifest bytes.Buffer
	require.NoError(t, batch.WriteManifest(&manifest, objects))
	again, err := store(t).ReadManifest(t.Context(), &manifest)
	require.NoError(t, err)
	assert.Equal(t, objects, again)
	for _, size := range []int64{1 << 30, 30_000} {
		w := &batch.Work{Question: &batch.Profile{}, Dir: t.TempDir(), Open: store(t).Open, Workers: 2,
			Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{Size: size, CanDivide: store(t).CanDivide})}
		require.NoError(t, w.Run(t.Context()))
		p := partialOf(t, w.Dir)
		require.Len(t, wrong(p.Damage()), 1)
		assert.Contains(t, wrong(p.Damage())[0].Error, "404 Not Found")
		assert.Equal(t, answerOf(t, data, data, data, data, data), marshalled(t, p.Answer()))
		paths, err := filepath.Glob(filepath.Join(w.Dir, "*"))
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "hush")
		}
	}
	assert.Zero(t, heads.Load())
	_, err = store(t).List(t.Context(), []string{s.URL + "/gone.jfr"})
	require.ErrorIs(t, err, os.ErrNotExist, "somebody has named it")
	_, err = store(t).List(t.Context(), []string{"http://127.0.0.1:1/a.jfr"})
	require.Error(t, err, "another machine may find another version")
}
