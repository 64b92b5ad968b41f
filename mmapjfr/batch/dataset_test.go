package batch_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/s3test"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// hashes returns the hashes of the files of a data set, by their paths.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		list[filepath.ToSlash(rel)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	}))
	return list
}

// lines returns the sorted rows of the tables of NDJSON below a folder.
func lines(t *testing.T, dir string) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	for path := range hashes(t, dir) {
		table, _, found := strings.Cut(path, "/")
		if !found {
			table = strings.TrimSuffix(path, ".ndjson")
		}
		if strings.HasSuffix(path, ".ndjson") {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
			require.NoError(t, err)
			for line := range strings.Lines(string(data)) {
				rows[table] = append(rows[table], withoutNulls(t, line))
			}
		}
	}
	for _, list := range rows {
		slices.Sort(list)
	}
	return rows
}

// withoutNulls returns a row without columns that only other versions of the type have.
func withoutNulls(t *testing.T, line string) string {
	t.Helper()
	var row map[string]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	require.NoError(t, d.Decode(&row))
	maps.DeleteFunc(row, func(_ string, value any) bool { return value == nil })
	data, err := json.Marshal(row)
	require.NoError(t, err)
	return string(data)
}

// TestDataSet exports recordings of a bucket that fails, in items of several and in parts of one, by machines of which
// one is stopped: the files are the same, and their rows are those of one export of files.
func TestDataSet(t *testing.T) {
	s := s3test.Start(t, nil)
	s3test.Corpus(t, longtest.Cases(15, 400), nil, func(key string, data []byte) { s.Put(t, key, data) })
	objects, err := store(t).List(t.Context(), []string{s3test.URL})
	require.NoError(t, err)
	run := func(format columns.Format, plan batch.PlanOptions, n int, killed bool) string {
		q := &batch.Export{Dir: t.TempDir(), Format: format}
		m := machines{store: store(t), question: q, objects: objects, plan: plan, n: n, killed: killed}
		m.answer(t, s3test.URL)
		return q.Dir
	}
	byService := batch.PlanOptions{By: []string{"service"}, Size: 100_000, Most: 20}
	s.Fail(5, 20)
	want := hashes(t, run(columns.Parquet, byService, 1, false))
	s.Fail(6, 20)
	have := hashes(t, run(columns.Parquet, byService, 3, true))
	assert.Len(t, have, len(want))
	for path, hash := range want {
		require.Equal(t, hash, have[path], path)
	}
	require.Greater(t, len(want), longtest.Cases(30, 60))
	for path := range want {
		assert.Regexp(t, `^[^/]+/service=(shop|cart|mail)/[0-9a-f]{32}\.parquet$`, path)
	}

	one := t.TempDir()
	var names []string
	for _, o := range objects {
		names = append(names, o.Name)
	}
	exportAll(t, one, names)
	rows := lines(t, one)
	require.Greater(t, len(rows), 10)
	divided := lines(t, run(columns.NDJSON, batch.PlanOptions{Size: 100_000}, 4, false))
	for _, name := range []string{"_stacks", "_frames", "_threads", "_classes"} { // each item has those that it needs
		assert.True(t, slices.Equal(different(rows[name]), different(divided[name])), name)
	}
	for name, list := range rows {
		if name[0] == '_' && name != "_recording" {
			continue
		}
		if name == "E" || name == "jdk.F" || name == "test.G" { // generated: columns of other kinds in each recording
			assert.Len(t, divided[name], len(list), name)
		} else if name == "_recording" { // copies have one row in one export, and one in each item of divided work
			assert.Equal(t, idsOf(list), idsOf(divided[name]))
		} else {
			assert.True(t, slices.Equal(list, divided[name]), name)
		}
	}
}

// idsOf returns the different ids of rows of recordings, sorted.
func idsOf(rows []string) (list []string) {
	for _, row := range rows {
		list = append(list, recordingID.FindString(row))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

var recordingID = regexp.MustCompile(`"recording_id":"[0-9a-f]{16}"`)

// firsts are what an export takes from the first recording: the ends of names of hidden classes, which do not tell stacks
// apart, and the modifiers of classes, which are known by name and loader.
var firsts = regexp.MustCompile(`0x[0-9a-f]{16}|"modifiers":[0-9]+`)

// different returns the rows that differ in more than that.
func different(rows []string) []string {
	var list []string
	for _, row := range rows {
		list = append(list, firsts.ReplaceAllString(row, ""))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// exportAll writes what one export of objects writes.
func exportAll(t *testing.T, dir string, names []string) {
	t.Helper()
	var recs []*mmapjfr.Recording
	named := make(map[*mmapjfr.Recording]string)
	for _, name := range names {
		set, err := store(t).Open(t.Context(), batch.Part{Object: name}, func(error) {})
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = set.Close() })
		recs = append(recs, set.Recordings...)
		named[set.Recordings[0]] = name
	}
	_, err := columns.Export(t.Context(), recs, columns.NDJSON, columns.Folder(dir, columns.NDJSON, false), columns.Options{
		Name: func(rec *mmapjfr.Recording) string { return named[rec] },
	})
	require.NoError(t, err)
}

// TestDataSetIsMadeAgain has an object that cannot be fetched at first, and files that are removed.
func TestDataSetIsMadeAgain(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	s := s3test.Start(t, map[string][]byte{"a.jfr": data, "b.jfr": data})
	objects, err := store(t).List(t.Context(), []string{s3test.URL})
	require.NoError(t, err)
	q := &batch.Export{Dir: t.TempDir(), Format: columns.CSV}
	w := &batch.Work{Question: q, Items: batch.Plan(q, objects, batch.PlanOptions{}), Dir: filepath.Join(q.Dir, "_batch"), Open: store(t).Open}
	complete := func() *batch.Manifest {
		f, err := batch.OpenFolders([]string{w.Dir})
		require.NoError(t, err)
		list, err := f.Merge(t.Context(), q)
		require.NoError(t, err)
		m, err := q.Complete(f, list)
		require.NoError(t, err)
		return m
	}
	rows := func(m *batch.Manifest) (n int64) {
		for _, f := range m.Files {
			n += f.Rows
		}
		return n
	}
	s.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		failed := strings.HasSuffix(r.URL.Path, "b.jfr") && !strings.HasPrefix(r.Header.Get("Range"), "bytes=0-")
		if failed {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return failed
	})
	require.NoError(t, w.Run(t.Context()))
	first := complete()
	s.Hook(nil)
	require.NoError(t, w.Run(t.Context()))
	second := complete()
	assert.Equal(t, len(first.Files), len(second.Files))
	assert.Greater(t, rows(second), rows(first))
	assert.Empty(t, second.Others)
	want := hashes(t, q.Dir)

	require.NoError(t, os.Remove(filepath.Join(q.Dir, filepath.FromSlash(second.Files[3].Path))))
	f, err := batch.OpenFolders([]string{w.Dir})
	require.NoError(t, err)
	list, err := f.Merge(t.Context(), q)
	require.NoError(t, err)
	_, err = q.Complete(f, list)
	require.ErrorContains(t, err, second.Files[3].Path+" is missing")
	require.NoError(t, w.Run(t.Context()))
	complete()
	assert.Equal(t, want, hashes(t, q.Dir))

	w.Items = batch.Plan(q, objects[:1], batch.PlanOptions{})
	w.Dir = t.TempDir()
	require.NoError(t, w.Run(t.Context()))
	assert.Len(t, complete().Others, len(second.Files))
}
