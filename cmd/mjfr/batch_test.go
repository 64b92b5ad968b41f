package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// batchFiles are recordings of two JDKs.
func batchFiles() (files []string) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-kinds.jfr", "jdk25-chunks.jfr", "jdk25-cputime.jfr"} {
		files = append(files, clitest.File(name))
	}
	return files
}

// TestBatchWritesWhatTheVerbWrites compares the outputs of verbs, for shards, with those of the verb alone.
func TestBatchWritesWhatTheVerbWrites(t *testing.T) {
	for i, args := range [][]string{
		{"profile", "--format", "collapsed", "-t", "cpu"},
		{"profile", "--rows", "5", "--by", "class", "--from", "2001-01-01", "--thread", "*"},
		{"profile", "--format", "heatmap", "--title", "some"},
		{"profile", "--format", "pprof"},
		{"profile", "--format", "speedscope", "--title", "some"},
		{"profile", "--format", "otlp"},
		{"profile", "--format", "cpuprofile", "-t", "alloc"},
		{"profile", "--format", "flamegraph", "--title", "some"},
		{"query", "select eventType.name, count(*), p99(duration) from jdk.* where duration > 1us group by 1"},
		{"query", "--csv", "--events", "CPULoad", "select max(jvmUser), rate() from *"},
		{"profile", "-t", "lock", "--from", "2001-01-01", "--to", "2001-01-02", "--format", "collapsed"},
		{"view", "hot-methods"},
		{"view", "--json", "gc-pauses"},
		{"view", "--markdown", "--verbose", "latencies-by-type"},
		{"view", "memory-leaks-by-class"},
	} {
		if !longtest.Every(i, 4) {
			continue
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			code, want, _ := mjfrCommand(t, append(args, batchFiles()...)...)
			require.Equal(t, cli.ExitOK, code)
			dir := t.TempDir()
			for _, shard := range []string{"1/2", "0/2"} {
				own := append([]string{"batch", args[0], "--out", dir, "--shard", shard, "--item-size", "1"}, args[1:]...)
				code, _, stderr := mjfrCommand(t, append(own, batchFiles()...)...)
				require.Equal(t, cli.ExitOK, code, stderr)
			}
			code, got, stderr := mjfrCommand(t, "batch", "merge", dir)
			assert.Equal(t, cli.ExitOK, code, stderr)
			assert.Equal(t, want, got)
		})
	}
}

func TestBatchMakesAResultForEachKey(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "{service}.collapsed")
	manifest := filepath.Join(dir, "list")
	var lines string
	for i, file := range batchFiles() {
		lines += `{"uri":"` + filepath.ToSlash(file) + `","labels":{"service":"` + []string{"shop", "../cart"}[i%2] + "\"}}\n"
	}
	require.NoError(t, os.WriteFile(manifest, []byte(lines), 0o600))
	work := filepath.Join(dir, "work")
	code, _, stderr := mjfrCommand(t, "batch", "profile", "--out", work, "--manifest", manifest, "--key", "service")
	require.Equal(t, cli.ExitOK, code, stderr)
	code, _, stderr = mjfrCommand(t, "batch", "merge", "-o", out, work)
	require.Equal(t, cli.ExitOK, code, stderr)
	for name, first := range map[string]int{"shop": 0, "%2E%2E%2Fcart": 1} {
		_, want, _ := mjfrCommand(t, "profile", "--format", "collapsed", batchFiles()[first], batchFiles()[first+2])
		got, err := os.ReadFile(filepath.Join(filepath.Dir(out), name+".collapsed"))
		require.NoError(t, err)
		assert.NotEmpty(t, got)
		assert.Equal(t, want, string(got))
	}
	some := filepath.Join(dir, "some")
	require.NoError(t, os.WriteFile(manifest, []byte(lines+filepath.ToSlash(clitest.File("jdk17-profile.jfr"))+"\n"), 0o600))
	code, _, stderr = mjfrCommand(t, "batch", "profile", "--out", some, "--manifest", manifest, "--key", "service")
	require.Equal(t, cli.ExitOK, code, stderr)
	code, _, stderr = mjfrCommand(t, "batch", "merge", "--force", "-o", out, some)
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.FileExists(t, filepath.Join(filepath.Dir(out), "%none.collapsed"), "of recordings without the label")
	code, _, stderr = mjfrCommand(t, "batch", "merge", "-o", filepath.Join(dir, "one.collapsed"), work)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "several results would have the name")
	code, _, stderr = mjfrCommand(t, "batch", "merge", "-o", filepath.Join(dir, "{host}.collapsed"), work)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "no label {host}")
	code, _, stderr = mjfrCommand(t, "batch", "merge", "-t", "cpu", work)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "these flags change the question")
}

// TestBatchListsWhatItCannotRead has a file that is none, one that is gone, and one that was cut.
func TestBatchListsWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(clitest.File("jdk17-chunks.jfr"))
	require.NoError(t, err)
	for name, content := range map[string][]byte{"none.jfr": []byte("text"), "cut.jfr": data[:len(data)-1000], "list": []byte("none.jfr\ncut.jfr\ngone.jfr\n")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	t.Chdir(dir)
	code, _, stderr := mjfrCommand(t, "batch", "query", "--out", "work", "--manifest", "list", "select count(*) from jdk.*")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, stderr, "1 item done; 2 files not counted, 1 in part")
	code, out, stderr := mjfrCommand(t, "batch", "merge", "-o", "-", "work")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, out, "Count")
	assert.Contains(t, stderr, "2 of 3 files not counted, 1 in part")
	assert.Contains(t, stderr, "gone.jfr: no such file")
}

// TestBatchFailsIfNothingCanBeFetched has a server that refuses all, before work is divided and after that.
func TestBatchFailsIfNothingCanBeFetched(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer s.Close()
	t.Chdir(t.TempDir())
	lines := fmt.Sprintf("{\"uri\":\"%[1]s/a.jfr\",\"etag\":\"1\"}\n{\"uri\":\"%[1]s/b.jfr\",\"etag\":\"1\"}\n", s.URL)
	require.NoError(t, os.WriteFile("list", []byte(lines), 0o600))
	code, _, stderr := mjfrCommand(t, "batch", "query", "--out", "listed", "--manifest", "list", "select count(*) from jdk.*")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "2 files could not be fetched, which the same command tries again")
	assert.Contains(t, stderr, "no recording could be fetched: "+s.URL)
	code, _, stderr = mjfrCommand(t, "batch", "merge", "listed")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "b.jfr: the server answers 403 Forbidden")
	code, _, stderr = mjfrCommand(t, "batch", "query", "--out", "named", "select count(*) from jdk.*", s.URL+"/a.jfr", s.URL+"/b.jfr")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "none of 2 recordings can be read: "+s.URL+"/a.jfr: the server answers 403 Forbidden")
}

// TestBatchGoesOnWithoutWhatIsMissing names recordings that are gone, of a server and of this machine, and a page.
func TestBatchGoesOnWithoutWhatIsMissing(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		switch r.URL.Path {
		case "/app.jfr":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		case "/", "/login.jfr":
			_, _ = io.WriteString(w, "<!DOCTYPE html><title>Listing</title>")
		case "/ranges.jfr":
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader("<html>"))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	t.Chdir(t.TempDir())
	names := []string{s.URL + "/app.jfr", s.URL + "/gone.jfr?sig=hush", s.URL + "/login.jfr", s.URL + "/ranges.jfr", "gone.jfr"}
	code, _, stderr := mjfrCommand(t, slices.Concat([]string{"batch", "query", "--out", "work", "select count(*) from jdk.*"}, names)...)
	assert.Equal(t, cli.ExitOK, code, stderr)
	assert.Contains(t, stderr, "1 item done; 4 files not counted")
	code, out, stderr := mjfrCommand(t, "batch", "merge", "work")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, out, "Count")
	for _, want := range []string{": the server answers 404", "login.jfr: it is not a Flight Recorder file, but a web page", "ranges.jfr: it is not", "gone.jfr: no such file"} {
		assert.Contains(t, stderr, want)
	}
	assert.NotContains(t, stderr, "hush")

	code, out, stderr = mjfrCommand(t, slices.Concat([]string{"batch", "list", s.URL + "/"}, names)...)
	assert.Equal(t, cli.ExitData, code)
	assert.Equal(t, 1, strings.Count(out, "\n"), out)
	assert.Contains(t, out, "app.jfr")
	assert.Equal(t, 5, strings.Count(stderr, "it is left out"), stderr)
	assert.Contains(t, stderr, s.URL+"/: it is not a Flight Recorder file, but a web page")
	assert.Contains(t, stderr, "no folder of a web server can be listed")
	assert.NotContains(t, out+stderr, "hush")
	for _, name := range []string{s.URL + "/", names[1], "gone.jfr"} {
		code, out, stderr = mjfrCommand(t, "batch", "list", name)
		assert.Equal(t, cli.ExitData, code, stderr)
		assert.Empty(t, out)
		assert.NotContains(t, stderr, "hush")
	}
}

// TestBatchRefusesNamesThatNoRecordingHas misspells names: a run that reads everything says so at its end, and merge says it again, with
// similar names.
func TestBatchRefusesNamesThatNoRecordingHas(t *testing.T) {
	for i, c := range []struct{ args, says string }{
		{"query|select startTme, count(*) from ThreadStart group by startTme", "no event type of the statement has a field startTme; did you mean startTime?"},
		{"query|select count(*) from FileRaed", "no event type is called FileRaed; did you mean jdk.FileRead?"},
		{"query|--events|FileRaed|select count(*) from *", "no event type of the recordings matches --events FileRaed; did you mean jdk.FileRead?"},
		{"query|--where|pth ~ x|select count(*) from FileRead", "no event type that is selected has a field pth; did you mean"},
		{"view|--where|pth ~ x|gc-pauses", "no event type that is selected has a field pth; did you mean"},
		{"profile|--events|CPUTimeSampel", "no event type of the recordings matches --events CPUTimeSampel; did you mean jdk.CPUTimeSample?"},
		{"profile|--event|FileRaed", "the recording has no event type \"FileRaed\"; did you mean jdk.FileRead?"},
		{"export|--csv|LAKE|--events|FileRaed", "no event type of the recordings matches --events FileRaed; did you mean jdk.FileRead?"},
	} {
		if !longtest.Every(i, 2) {
			continue
		}
		dir := t.TempDir()
		args := strings.Split("batch|"+strings.ReplaceAll(c.args, "LAKE", filepath.Join(dir, "lake")), "|")
		ask := func(more ...string) (int, string) {
			code, _, stderr := mjfrCommand(t, slices.Concat(args, more, batchFiles())...)
			return code, stderr
		}
		code, stderr := ask("--out", filepath.Join(dir, "all"))
		assert.Equal(t, cli.ExitUsage, code, c.args)
		assert.Contains(t, stderr, c.says)
		assert.LessOrEqual(t, strings.Count(stderr, "mjfr batch merge fails"), 1, stderr)
		for _, shard := range []string{"0/2", "1/2"} {
			code, stderr := ask("--out", filepath.Join(dir, "halves"), "--item-size", "1", "--shard", shard)
			assert.Equal(t, cli.ExitOK, code, "others may have it: %s", stderr)
			if shard == "0/2" && !strings.HasPrefix(c.args, "export") {
				code, _, stderr = mjfrCommand(t, "batch", "merge", "-o", "-", filepath.Join(dir, "halves"))
				assert.Equal(t, cli.ExitData, code, stderr)
			}
		}
		for _, name := range []string{"all", "halves"} {
			code, _, stderr = mjfrCommand(t, "batch", "merge", filepath.Join(dir, name))
			assert.Equal(t, cli.ExitUsage, code, c.args)
			assert.Contains(t, stderr, c.says, c.args)
		}
	}
}

// TestBatchAcceptsNamesThatSomeRecordingsLack asks for types and fields of JDK 25 alone, of each recording by itself.
func TestBatchAcceptsNamesThatSomeRecordingsLack(t *testing.T) {
	for _, c := range []struct{ args, rows string }{
		{"query|--csv|select count(*) from CPUTimeSample", "0\n"},
		{"query|--csv|select count(*), first(biased) from CPUTimeSample", "0,"},
		{"query|--csv|--events|CPUTimeSample|select count(*) from *", "0\n"},
		{"query|--csv|--where|biased = false|select count(*) from *", "0\n"},
		{"profile|--format|collapsed|--events|CPUTimeSample", ""},
		{"profile|--format|collapsed|--event|CPUTimeSample", ""},
		{"view|--csv|cpu-time-hot-methods", ""},
	} {
		dir := t.TempDir()
		args := slices.Concat(strings.Split("batch|"+c.args, "|"), []string{"--out", dir, "--key", "name", "--labels", "{name}.jfr"}, []string{clitest.File("jdk17-kinds.jfr"), clitest.File("jdk25-cputime.jfr")})
		code, _, stderr := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitOK, code, stderr)
		code, out, stderr := mjfrCommand(t, "batch", "merge", "-o", "-", dir)
		assert.Equal(t, cli.ExitOK, code, "%s: %s", c.args, stderr)
		assert.Contains(t, out, c.rows, c.args)
	}
}

// TestBatchRefusesASecondQuestion asks another one into the same folder, and has a manifest that is none.
func TestBatchRefusesASecondQuestion(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(bad, []byte("{bad"), 0o600))
	code, _, stderr := mjfrCommand(t, "batch", "profile", "--out", "x", "--manifest", bad)
	assert.NotEqual(t, cli.ExitOK, code)
	assert.Contains(t, stderr, bad+": line 1: ")

	work := filepath.Join(t.TempDir(), "work")
	ask := func(args ...string) (int, string) {
		code, _, stderr := mjfrCommand(t, slices.Concat([]string{"batch"}, args, []string{"--out", work, clitest.File("jdk25-kinds.jfr")})...)
		return code, stderr
	}
	code, stderr = ask("query", "select count(*) from jdk.*")
	require.Equal(t, cli.ExitOK, code, stderr)
	for _, args := range [][]string{{"query", "select count(*) from jdk.CPULoad"}, {"query", "--csv", "select count(*) from jdk.*"}, {"profile"}, {"view", "gc-pauses"}} {
		code, stderr = ask(args...)
		assert.NotEqual(t, cli.ExitOK, code, args)
		assert.Contains(t, stderr, work+": it has answers to another question; use a folder for each, or remove this one")
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	code, stderr = ask("query", "select count(*) from jdk.*")
	assert.Equal(t, cli.ExitOK, code, stderr)
	code, stderr = ask("query", "select count(*) from jdk.*", clitest.File("jdk17-kinds.jfr"))
	assert.NotEqual(t, cli.ExitOK, code)
	assert.Contains(t, stderr, work+": it has answers about another list of recordings, or by other labels, and ")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
}

// TestBatchExport compares the rows of a data set, made by two machines, with those of mjfr export.
func TestBatchExport(t *testing.T) {
	lake, one := filepath.Join(t.TempDir(), "lake"), t.TempDir()
	args := []string{"batch", "export", "--ndjson", lake, "--key", "jdk,kind", "--labels", "{jdk}-{kind}.jfr", "--item-size", "1", "--events", "GC*,CPULoad,ExecutionSample"}
	for _, shard := range []string{"1/2", "0/2"} {
		code, _, stderr := mjfrCommand(t, slices.Concat(args, []string{"--shard", shard}, batchFiles())...)
		require.Equal(t, cli.ExitOK, code, stderr)
	}
	code, out, stderr := mjfrCommand(t, "batch", "merge", filepath.Join(lake, "_batch"))
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Contains(t, out, " events of ")
	code, _, stderr = mjfrCommand(t, append([]string{"export", "--ndjson", one, "--events", "GC*,CPULoad,ExecutionSample"}, batchFiles()...)...)
	require.Equal(t, cli.ExitOK, code, stderr)
	rows := func(pattern string) (n int) {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			n += strings.Count(string(data), "\n")
		}
		return n
	}
	tables, err := filepath.Glob(filepath.Join(one, "jdk.*.ndjson"))
	require.NoError(t, err)
	require.Greater(t, len(tables), 5)
	for _, path := range tables {
		assert.Equal(t, rows(path), rows(filepath.Join(lake, strings.TrimSuffix(filepath.Base(path), ".ndjson"), "jdk=jdk*", "kind=*", "*.ndjson")), path)
	}
	code, out, stderr = mjfrCommand(t, "batch", "merge", "--json", filepath.Join(lake, "_batch"))
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Contains(t, out, `"path": "jdk.CPULoad"`)
	manifest, err := os.ReadFile(filepath.Join(lake, "_manifest.json"))
	require.NoError(t, err)
	assert.Contains(t, string(manifest), `"missing": 0`)
	require.NoError(t, os.WriteFile(filepath.Join(lake, "jdk.CPULoad", "other.ndjson"), nil, 0o600))
	_, _, stderr = mjfrCommand(t, "batch", "merge", filepath.Join(lake, "_batch"))
	assert.Contains(t, stderr, "1 file of other work, such as jdk.CPULoad/other.ndjson")
}

// TestBatchExportKeepsAllLabels compares the table of recordings with that of one export, by a key and without.
func TestBatchExportKeepsAllLabels(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for path, name := range map[string]string{"jdk17-kinds.jfr": "zone=eu/shop/1/h1.jfr", "jdk25-cputime.jfr": "zone=eu/shop/2/h2.jfr", "jdk25-chunks.jfr": "cart/2/h2.jfr", "jdk17-empty.jfr": "h3.jfr"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", path))
		require.NoError(t, err)
		to := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
		require.NoError(t, os.WriteFile(to, data, 0o600))
		files = append(files, to)
	}
	recordings := func(pattern string) (rows []map[string]any) {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			for d := json.NewDecoder(f); d.More(); {
				row := make(map[string]any)
				require.NoError(t, d.Decode(&row))
				maps.DeleteFunc(row, func(_ string, value any) bool { return value == nil })
				rows = append(rows, row)
			}
		}
		return rows
	}
	labels := []string{"--labels", "{service}/{version}/{host}.jfr"}
	one := t.TempDir()
	code, _, stderr := mjfrCommand(t, slices.Concat([]string{"export", "--ndjson", one}, labels, files)...)
	require.Equal(t, cli.ExitOK, code, stderr)
	want := recordings(filepath.Join(one, "_recording.ndjson"))
	require.Len(t, want, 4)
	for key, pattern := range map[string]string{"": "*", "zone,host": "zone=*/host=*/*"} {
		lake := filepath.Join(t.TempDir(), "lake")
		code, _, stderr := mjfrCommand(t, slices.Concat([]string{"batch", "export", "--ndjson", lake, "--key=" + key}, labels, files)...)
		require.Equal(t, cli.ExitOK, code, stderr)
		have := recordings(filepath.Join(lake, "_recording", pattern+".ndjson"))
		assert.ElementsMatch(t, want, have, key)
		tables, err := filepath.Glob(filepath.Join(lake, "jdk.ActiveSetting", pattern+".ndjson"))
		require.NoError(t, err)
		assert.NotEmpty(t, tables, "partitions are by the key alone")
	}
}

func TestBatchMisuse(t *testing.T) {
	file := batchFiles()[0]
	for _, c := range [][]string{
		{"--out is missing", "profile", file},
		{"--shard takes I/N", "profile", "--out", "x", "--shard", "3/3", file},
		{"--jobs must be 1 or more", "profile", "--out", "x", "--jobs", "-1", file},
		{"--item-size must be 1 or more", "profile", "--out", "x", "--item-size", "0", file},
		{"--key has the label service twice", "profile", "--out", "x", "--key", "service,host,service", file},
		{"--key takes names of labels", "profile", "--out", "x", "--key", "=", file},
		{"depends on the recording", "profile", "--out", "x", "--from", "-10s", file},
		{"-o is for mjfr batch merge", "profile", "--out", "x", "-o", "a.html", file},
		{"has all events", "profile", "--out", "x", "--format", "perfetto", file},
		{"they depend on other events", "profile", "--out", "x", "--latency", "10ms", file},
		{"the rows are events", "query", "--out", "x", "select * from CPULoad", file},
		{"startTime is a point in time", "query", "--out", "x", "select count(*) from FileRead where startTime > '16:00'", file},
		{"duration is a length of time", "query", "--out", "x", "select count(*) from FileRead f where path = 'a' or not f.duration > 5", file},
		{"startTime is a point in time", "profile", "--out", "x", "--where", "startTime > 16:00", file},
		{"the columns are numbered from 1 to 1", "query", "--out", "x", "select count(*) from FileRead order by 2", file},
		{"no view or event type", "view", "--out", "x", "all-views", file},
		{"no recording given", "view", "--out", "x", "hot-methods"},
		{"name no others", "view", "--out", "x", "--manifest", "y", "hot-methods", file},
		{"name the folder", "merge"},
		{"say what to write, and where", "export", file},
		{"give one of", "export", "--csv", "x", "--parquet", "y", file},
		{"--spreadsheet-safe is for --csv", "export", "--parquet", "y", "--spreadsheet-safe", file},
	} {
		code, _, stderr := mjfrCommand(t, append([]string{"batch"}, c[1:]...)...)
		assert.Equal(t, cli.ExitUsage, code, c)
		assert.Contains(t, stderr, c[0])
		assert.NotContains(t, stderr, " done")
	}
}

// TestBatchProfileSaysOfWhichKey has the same of profiles, and refuses formats that hold one.
func TestBatchProfileSaysOfWhichKey(t *testing.T) {
	work := filepath.Join(t.TempDir(), "work")
	code, _, stderr := mjfrCommand(t, "batch", "profile", "--out", work, "--key", "pod", "--labels", "{pod}.jfr", clitest.File("jdk17-profile.jfr"), clitest.File("jdk25-profile.jfr"))
	require.Equal(t, cli.ExitOK, code, stderr)
	for flags, c := range map[string]struct{ begins, block string }{
		"":                    {"pod\tSelf (", "(?m)^%s\t[0-9]"},
		"--csv":               {"pod,method,self,total\n", "(?m)^%s,.*,[0-9]+,[0-9]+$"},
		"--csv --by thread":   {"pod,thread,self,total\n", "(?m)^%s,.*,[0-9]+,[0-9]+$"},
		"--json":              {"{\n  \"key\": {", `"pod": "%s"`},
		"--color=always":      {"", "(?s)\npod=%s\n\n.*Method"},
		"--format collapsed":  {"pod=", "(?m)^pod=%s;.* [0-9]+$"},
		"--format tree":       {"\npod=", "pod=%s\n\n100"},
		"--format pprof":      {}, // hold one
		"--format html":       {},
		"--format speedscope": {},
		"--format cpuprofile": {},
	} {
		for _, out := range [][]string{nil, {"-o", "-"}} {
			args := slices.Concat([]string{"batch", "merge"}, out, strings.Fields(flags), []string{work})
			code, text, stderr := mjfrCommand(t, args...)
			if c.block == "" {
				assert.Equal(t, cli.ExitUsage, code, args)
				assert.Contains(t, stderr, "there are 2 results, and this format holds one", args)
				continue
			}
			require.Equal(t, cli.ExitOK, code, "%s: %s", args, stderr)
			assert.True(t, strings.HasPrefix(text, c.begins), args)
			for _, pod := range []string{"jdk17-profile", "jdk25-profile"} {
				assert.Regexp(t, strings.ReplaceAll(c.block, "%s", pod), text, args)
			}
			assert.LessOrEqual(t, strings.Count(text, "self,total")+strings.Count(text, "pod\tSelf"), 1, "one line of titles: %s", args)
			if flags == "--format collapsed" {
				assert.NotRegexp(t, "(?m)^[^p]", text)
			}
		}
	}
}

// TestBatchSaysOfWhichKey has the labels in each row for programs, and in each title for people; the name of a file says its format.
func TestBatchSaysOfWhichKey(t *testing.T) {
	work := filepath.Join(t.TempDir(), "work")
	code, _, stderr := mjfrCommand(t, "batch", "view", "--out", work, "--key", "pod", "--labels", "{pod}.jfr", "gc-pauses", clitest.File("jdk17-profile.jfr"), clitest.File("jdk25-profile.jfr"))
	require.Equal(t, cli.ExitOK, code, stderr)
	merged := func(args ...string) string {
		t.Helper()
		code, out, stderr := mjfrCommand(t, slices.Concat([]string{"batch", "merge"}, args, []string{work})...)
		require.Equal(t, cli.ExitOK, code, stderr)
		return out
	}
	for flag, rows := range map[string][2]string{
		"--csv": {"\njdk17-profile,386444183,", "\njdk25-profile,865729110,"}, "--tsv": {"\njdk17-profile\t386444183", "\njdk25-profile\t865729110"},
		"--ndjson":   {`{"pod":"jdk17-profile","sum(duration)":386444183`, `{"pod":"jdk25-profile","sum(duration)":865729110`},
		"--json":     {`{"pod":"jdk17-profile","sum(duration)":386444183`, `{"pod":"jdk25-profile","sum(duration)":865729110`},
		"--markdown": {"### pod=jdk17-profile: GC Pauses\n", "### pod=jdk25-profile: GC Pauses\n"},
		"--html":     {"<h2>pod=jdk17-profile: GC Pauses</h2>", "<h2>pod=jdk25-profile: GC Pauses</h2>"},
		"--utc":      {"\npod=jdk17-profile: GC Pauses\n", "\npod=jdk25-profile: GC Pauses\n"}, // text
	} {
		for _, row := range rows {
			assert.Contains(t, merged(flag), row)
			assert.Contains(t, merged(flag, "-o", "-"), row)
		}
	}
	assert.Equal(t, 1, strings.Count(merged("--csv"), "count(duration)"), "one line of names")
	assert.True(t, json.Valid([]byte(merged("--json"))))
	dir := t.TempDir()
	for ending, begins := range map[string]string{
		"csv": "sum(duration),", "tsv": "sum(duration)\t", "json": "{\n\"title\"", "ndjson": `{"sum(duration)"`, "md": "### GC Pauses", "html": "<!DOCTYPE html>", "txt": "\nGC Pauses",
	} {
		merged("-o", filepath.Join(dir, "{pod}."+ending))
		written, err := os.ReadFile(filepath.Join(dir, "jdk17-profile."+ending))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(written), begins), "%s: %s", ending, written[:30])
	}
	for says, args := range map[string][]string{
		"the name does not say in which format to write; give a flag such as --csv": {"-o", filepath.Join(dir, "{pod}.log")},
		"--json asks for another format than the name does":                         {"--json", "-o", filepath.Join(dir, "{pod}.csv")},
	} {
		code, _, stderr := mjfrCommand(t, slices.Concat([]string{"batch", "merge"}, args, []string{work})...)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, stderr, says)
	}
}

// TestBatchRefusesAShortNameOfTwoTypes has one recording of each type, or both in one: the statement is wrong, and no recording
// is damaged.
func TestBatchRefusesAShortNameOfTwoTypes(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, names := range [][]string{{"com.a.E", "com.b.E"}, {"com.a.E"}, {"com.b.E"}} {
		b := jfrtest.NewChunk()
		for _, name := range names {
			b.Emit(b.Event(name, jfrtest.Of("x", "int")), int64(i), i)
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.jfr", i)))
		require.NoError(t, os.WriteFile(files[i], b.Bytes(), 0o600))
	}
	const statement, wrong = "select count(*) from E", "E is the name of 2 event types; write one of them with its package: com.a.E, com.b.E"
	for i, list := range [][]string{files[:1], files[:2], files[1:], files} {
		code, _, stderr := mjfrCommand(t, append([]string{"query", statement}, list...)...)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, stderr, wrong)
		out := filepath.Join(dir, fmt.Sprint(i))
		code, _, stderr = mjfrCommand(t, append([]string{"batch", "query", "--out", out, statement}, list...)...)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, stderr, wrong)
		assert.NotContains(t, stderr, "could not be read")
	}
	code, stdout, stderr := mjfrCommand(t, "batch", "query", "--out", filepath.Join(dir, "full"), "select count(*) from com.a.E", files[0], files[1])
	assert.Equal(t, cli.ExitOK, code, stdout+stderr)
}

// TestBatchAnswersAsQuery asks random statements, many of which are wrong, of random recordings: batch says what query
// says, and calls no recording damaged. Some recordings are so large that they are divided, if the statement can be.
func TestBatchAnswersAsQuery(t *testing.T) {
	answered, divided, whole := 0, 0, 0
	for seed := range uint64(longtest.Cases(30, 2000)) {
		random := rand.New(rand.NewPCG(10, seed))
		pick := func(words ...string) string { return words[random.IntN(len(words))] }
		dir, isLarge := t.TempDir(), seed%3 == 0
		var files []string
		for i := range 1 + random.IntN(3) {
			data := chunkOf(random, i, 0, 0)
			for n := 1; isLarge && n < 3; n++ {
				data = append(data, chunkOf(random, i, n, 700_000)...)
			}
			files = append(files, filepath.Join(dir, fmt.Sprintf("%d.jfr", i)))
			require.NoError(t, os.WriteFile(files[i], data, 0o600))
		}
		field := func() string { return pick("x", "x", "y", "z", "X", "w", "startTime", "E.x", "eventType.name", "gcId") }
		statement := "select " + pick("count(*)", "sum(x)", "max(y)", "sum(@weight)", "sum(weight)", "p90(duration), max(startTime), list(x)", "min("+field()+")", "sum(z)", "avg("+field()+")", "x, count(*)")
		statement += " from " + pick("E", "com.a.E", "F", "G", "jdk.G", "com.b.E", "H", "*", "com.*", "E, F", "com.a.E, G", "ThreadPark", "ObjectAllocationSample", "ThreadPark, E")
		isJoined := random.IntN(5) == 0
		if isJoined {
			statement = "select " + pick("count(*)", "max(j.x)", "sum(x), last(j.x)", "first(j.y)", "sum(@weight)") + " from " + pick("E", "com.a.E", "*", "com.*")
			statement += pick(" during ", " within ", " asof ") + pick("G", "com.a.F", "jdk.G", "jdk.ThreadPark") + " as j"
		}
		if random.IntN(2) > 0 {
			statement += " where " + field() + pick(" = 1", " > 0", " = 'a'", " ~ a")
		}
		if strings.HasPrefix(statement, "select x") || random.IntN(3) == 0 {
			statement += " group by " + field()
		}
		code, out, says := mjfrCommand(t, slices.Concat([]string{"query", "--csv", statement}, files)...)
		work := filepath.Join(dir, "work")
		batchCode, batchOut, batchSays := mjfrCommand(t, slices.Concat([]string{"batch", "query", "--csv", "--item-size", "1", "--out", work, statement}, files)...)
		if items, err := filepath.Glob(filepath.Join(work, "*.partial")); isLarge && len(items) > len(files) {
			require.NoError(t, err)
			divided++
			assert.NotRegexp(t, "group by gcId| as j", statement)
		} else if isLarge && batchCode == cli.ExitOK {
			whole++
		}
		if batchCode == cli.ExitOK {
			batchCode, batchOut, batchSays = mjfrCommand(t, "batch", "merge", "-o", "-", work)
		}
		switch {
		case code != batchCode && batchCode == cli.ExitData: // the answer is that of the others
			assert.Contains(t, batchSays, "the statement does not fit its event types")
			continue
		case strings.Contains(batchSays, "are in different recordings"): // query decides for all at once
			continue
		}
		if assert.Equal(t, code, batchCode, "%d: %s: %s\n%s", seed, statement, says, batchSays); code == cli.ExitOK {
			assert.Equal(t, out, batchOut, "%d: %s", seed, statement)
			answered++
		}
		assert.NotContains(t, says+batchSays, "could not be read", statement)
		require.NoError(t, os.RemoveAll(dir))
	}
	assert.Greater(t, answered, 5)
	assert.Positive(t, divided)
	assert.Positive(t, whole)
	t.Logf("%d answered, %d divided, %d not", answered, divided, whole)
}

// chunkOf returns the n-th chunk of the i-th recording, with random events of some types, and one that is large.
func chunkOf(random *rand.Rand, i, n, large int) []byte {
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	b := jfrtest.NewChunk()
	b.Header.StartNanos += int64(10*i+2*n) * 1e9
	at := func() int64 { return b.Header.StartTicks + random.Int64N(100) }
	for _, name := range []string{"com.a.E", "com.b.E", "com.a.F", "G", "jdk.G", "jdk.ThreadPark", "jdk.ObjectAllocationSample"} {
		if random.IntN(2) > 0 {
			continue
		}
		class := b.Event(name, jfrtest.Of("duration", "long"), jfrtest.Of("x", pick("int", "long", "byte")), jfrtest.Of(pick("y", "z"), "java.lang.String"),
			jfrtest.Of("gcId", "int"), jfrtest.Of("weight", "long"))
		for k := range random.IntN(4) {
			b.Emit(class, at(), random.Int64N(60), k, pick("a", "b"), k%2, int64(10*k))
		}
	}
	if large > 0 {
		b.Emit(b.Event("test.Large", jfrtest.Of("blob", "java.lang.String")), at(), strings.Repeat("x", large))
	}
	return b.Bytes()
}
