package batch_test

import (
	"bytes"
	"fmt"
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

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// cut writes the beginning of a recording, and returns the path.
func cut(t *testing.T, name string, size int) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(path, data[:size], 0o600))
	return path
}

// TestRowsOfACutRecordingCount cuts a recording whose newest metadata is at its end: types are those of older metadata, and all
// events that are there count, alone and besides those of the whole recording.
func TestRowsOfACutRecordingCount(t *testing.T) {
	name := cut(t, "jdk25-profile.jfr", 238_779)
	for _, names := range [][]string{{name}, {name, "../../testdata/jdk25-profile.jfr"}} {
		q := statement(t, "select name, count(*) as n from BooleanFlag group by name", query.Options{})
		objects := listed(t, names...)
		p := answers(t, q, mapped(t, q, batch.Plan(q, objects, batch.PlanOptions{Size: 100_000})), func([]*batch.Partial) {})
		require.NoError(t, batch.Misfit(q, p.Fits))
		result, err := p.Result()
		require.NoError(t, err)
		assert.Equal(t, 2+496, len(rows(t, result)), "two titles and the rows")
		require.Len(t, p.Damage(), 1)
		assert.Contains(t, p.Damage()[0].Error, "truncated")
		assertAnswer(t, q, p, objects)
	}
}

// wrong returns damage without notes, as those that objects are equal.
func wrong(list []batch.Damage) []batch.Damage {
	return slices.DeleteFunc(slices.Clone(list), func(d batch.Damage) bool { return d.Note })
}

// TestOverlappingDumpsAreNoted reads dumps that have a chunk in common, in ranges and whole: the partial result of both says so.
func TestOverlappingDumpsAreNoted(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	rec := opentest.Bytes(t, data)
	second, third := rec.Chunks()[1].Offset(), rec.Chunks()[2].Offset()
	dir := t.TempDir()
	for name, part := range map[string][]byte{"a.jfr": data[:third], "b.jfr": data[second:], "c.jfr": data[:second]} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), part, 0o600))
	}
	q := statement(t, "select count(*) from ThreadStart", query.Options{})
	for names, want := range map[string]int{"a.jfr b.jfr": 1, "b.jfr c.jfr": 0, "a.jfr": 0} {
		var paths []string
		for name := range strings.FieldsSeq(names) {
			paths = append(paths, filepath.Join(dir, name))
		}
		objects := listed(t, paths...)
		for _, size := range []int64{1 << 30, 20_000} {
			p := answers(t, q, mapped(t, q, batch.Plan(q, objects, batch.PlanOptions{Size: size})), func([]*batch.Partial) {})
			require.Len(t, p.Damage(), 2*want, names)
			for _, d := range p.Damage() {
				assert.True(t, d.Note)
				assert.Equal(t, "1 of its chunks are in other recordings, too, and count in each: name dumps that do not overlap, or join them with mjfr merge first", d.Error)
			}
		}
	}
}

// hostile is a server of which one recording is good.
type hostile struct {
	*httptest.Server
	healed atomic.Bool // it gives good.jfr under all paths
}

func newHostile(t *testing.T, data []byte) *hostile {
	s := &hostile{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		switch path := r.URL.Path; {
		case path == "/good.jfr" || s.healed.Load():
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		case path == "/huge.jfr":
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-65535/%d", int64(1)<<62))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(data[:65536])
		case path == "/loop.jfr":
			http.Redirect(w, r, "/loop.jfr?sig=hush", http.StatusFound)
		case path == "/expired.jfr":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// quickStore returns a store that repeats requests at once.
func quickStore(t *testing.T) *batch.Store {
	return &batch.Store{Remote: remote.New(remote.Options{TempDir: t.TempDir(), Pause: time.Microsecond})}
}

// TestWrongSizesOfAList has a list with sizes that objects do not have: they divide no work, and are in the list of what is wrong.
func TestWrongSizesOfAList(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	s := newHostile(t, data)
	const file = "../../testdata/jdk25-profile.jfr"
	lines := fmt.Sprintf(`{"uri":%q,"size":4611686018427387904,"etag":"abc"}
{"uri":"../../testdata/jdk25-kinds.jfr","size":46116860184,"etag":"abc"}
{"uri":"../../testdata/jdk17-chunks.jfr","size":-1,"etag":"abc"}
{"uri":"%[2]s/good.jfr","size":46116860184,"etag":"one"}
{"uri":"%[2]s/huge.jfr"}
`, file, s.URL)
	_, err = quickStore(t).ReadManifest(t.Context(), strings.NewReader(lines))
	require.ErrorIs(t, err, batch.ErrUnreadable)
	objects, err := quickStore(t).ReadManifest(t.Context(), strings.NewReader(lines+"../../testdata/jdk17-profile.jfr\n"))
	require.NoError(t, err)
	dir := t.TempDir()
	w := &batch.Work{Question: &batch.Profile{}, Dir: dir, Open: quickStore(t).Open, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{Size: 1 << 20, CanDivide: quickStore(t).CanDivide})}
	require.Len(t, w.Items, 6)
	require.NoError(t, w.Run(t.Context()))
	_, folder := merged(t, dir)
	assert.Equal(t, 6, folder.Objects)
	assert.Zero(t, folder.Missing)
	require.Len(t, folder.Damage, 5)
	for _, d := range folder.Damage {
		assert.True(t, d.Unread && d.Again)
		assert.Regexp(t, "^it has -?[0-9]+ bytes, (as the list or the server says, and recordings have at most 1099511627776 here|and 46116860184 as the list says: )", d.Error)
	}
}

// TestOneBadServerStopsNothing has a server that fails, one that leads nowhere and one that is away, besides a good one. What they have
// is read by the same work when they are there again.
func TestOneBadServerStopsNothing(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	s := newHostile(t, data)
	names := []string{"../../testdata/jdk25-chunks.jfr", s.URL + "/good.jfr", s.URL + "/fails.jfr?sig=hush", s.URL + "/loop.jfr", s.URL + "/expired.jfr", s.URL + "/huge.jfr"}
	dir := t.TempDir()
	run := func() *batch.Folder {
		objects, err := quickStore(t).List(t.Context(), names)
		require.NoError(t, err)
		apart, err := batch.Unlisted(dir)
		require.NoError(t, err)
		w := &batch.Work{Question: &batch.Profile{}, Dir: dir, Open: quickStore(t).Open, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{Apart: apart})}
		require.NoError(t, w.Run(t.Context()))
		_, folder := merged(t, dir)
		assert.Equal(t, len(names), folder.Objects)
		return folder
	}
	folder := run()
	require.Len(t, folder.Damage, 4)
	for i, want := range []string{"403 Forbidden", "500 Internal Server Error (tried 5 times)", "it has 4611686018427387904 bytes", "redirects too often"} {
		assert.Contains(t, folder.Damage[i].Error, want)
		assert.NotContains(t, folder.Damage[i].Object+folder.Damage[i].Error, "hush")
	}
	s.healed.Store(true)
	for range 2 {
		assert.Empty(t, wrong(run().Damage))
	}

	for _, away := range [][]string{{"http://127.0.0.1:1/a.jfr"}, {s.URL + "/expired.jfr"}, {"http://127.0.0.1:1/a.jfr", "http://127.0.0.1:1/b.jfr"}} {
		s.healed.Store(false)
		_, err = quickStore(t).List(t.Context(), away)
		require.ErrorIs(t, err, batch.ErrUnreadable, "nothing is there")
		require.ErrorContains(t, err, away[0])
	}
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("%s/fails%d.jfr", s.URL, i)
	}
	_, err = quickStore(t).List(t.Context(), many)
	require.ErrorContains(t, err, "none of 500 recordings can be read")
}

// TestARecordingWithoutMetadataIsDamage cuts a recording that was not finished before its metadata: none of its events can be read,
// also if the work is divided, and there is no answer, not even that there are none.
func TestARecordingWithoutMetadataIsDamage(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for i := range 100 {
		b.Emit(typ, b.Header.StartTicks+int64(i), i, strings.Repeat("x", 100))
	}
	b.Header.State = 1
	data := b.Bytes()
	path := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(path, data[:5000], 0o600))
	objects := listed(t, path)
	q := statement(t, "select count(*) from N", query.Options{})
	for _, q := range []batch.Question{q, &batch.Profile{}} {
		for _, size := range []int64{0, 1000} {
			p := answers(t, q, mapped(t, q, batch.Plan(q, objects, batch.PlanOptions{Size: size})), func([]*batch.Partial) {})
			require.Len(t, p.Damage(), 2, "%v", p.Damage())
			assert.True(t, slices.ContainsFunc(p.Damage(), func(d batch.Damage) bool { return d.Note && strings.Contains(d.Error, "unfinished") }))
			assert.True(t, slices.ContainsFunc(p.Damage(), func(d batch.Damage) bool { return !d.Note && strings.Contains(d.Error, "corrupt") }))
			if _, ok := q.(*batch.Query); ok {
				_, err := p.Result()
				require.ErrorIs(t, err, batch.ErrNoTypes)
			}
		}
	}
}

// TestAnObjectThatChangesIsDamage has an unfinished recording that is another one from the third request on, which is before its
// metadata is fetched: that it has changed is the only thing that is wrong, and it is left out.
func TestAnObjectThatChangesIsDamage(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for i := range 20_000 {
		b.Emit(typ, b.Header.StartTicks+int64(i), i, strings.Repeat("x", 100))
	}
	b.Header.State = 1
	data := b.Bytes()
	var requests, changes atomic.Int64
	changes.Store(1 << 40)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", fmt.Sprintf(`"%t"`, requests.Add(1) < changes.Load()))
		r.Header.Del("If-Range")
		r.Header.Del("If-Match")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer s.Close()
	for _, when := range []int64{1 << 40, 3} {
		requests.Store(0)
		changes.Store(when)
		objects, err := quickStore(t).List(t.Context(), []string{s.URL + "/a.jfr"})
		require.NoError(t, err)
		dir := t.TempDir()
		w := &batch.Work{Question: &batch.Profile{}, Dir: dir, Open: quickStore(t).Open, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{})}
		require.NoError(t, w.Run(t.Context()))
		_, folder := merged(t, dir)
		require.Len(t, folder.Damage, 1, "%v", folder.Damage)
		if when > 3 {
			assert.True(t, folder.Damage[0].Note)
			continue
		}
		assert.True(t, folder.Damage[0].Unread)
		assert.False(t, folder.Damage[0].Again, "the same list names the object that is gone")
		assert.Contains(t, folder.Damage[0].Error, "changed while it was read")
	}
}
