package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// indexable copies a recording to a folder of its own.
func indexable(t *testing.T, name string) (file string) {
	t.Helper()
	data, err := os.ReadFile(clitest.File(name))
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	return file
}

// indexed runs mjfr index, which must succeed, and returns the lines it prints.
func indexed(t *testing.T, args ...string) (lines []string) {
	t.Helper()
	code, out, told := mjfrCommand(t, append([]string{"index"}, args...)...)
	require.Equal(t, cli.ExitOK, code, told)
	assert.Empty(t, told)
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestIndexIsSavedBeside(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	for _, args := range [][]string{{file}, {"--beside", file}} {
		lines := indexed(t, args...)
		info, err := os.Stat(file + ".mjfri")
		require.NoError(t, err)
		require.Len(t, lines, 2)
		assert.Equal(t, "File\tIndex\tSize (bytes)\tShare (of 1)\tChunks\tLeft Out", lines[0])
		row := strings.Split(lines[1], "\t")
		assert.Equal(t, []string{file, file + ".mjfri", strconv.FormatInt(info.Size(), 10)}, row[:3])
		assert.Equal(t, []string{"3", "0"}, row[4:])
		rec, err := mmapjfr.Open(file, mmapjfr.ReadSavedIndex(mmapjfr.IndexBeside))
		require.NoError(t, err)
		assert.True(t, rec.IndexState().Used)
		require.NoError(t, rec.Close())
		require.NoError(t, os.Remove(file+".mjfri"))
	}
}

func TestIndexIsSavedInTheCache(t *testing.T) {
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	file := indexable(t, "jdk25-chunks.jfr")
	path, err := mmapjfr.IndexPath(file, mmapjfr.IndexInCache)
	require.NoError(t, err)
	assert.Contains(t, indexed(t, "--cache", file)[1], "\t"+path+"\t")
	assert.FileExists(t, path)
	assert.Equal(t, []string{"a.jfr"}, names(t, filepath.Dir(file)))
	assert.Contains(t, indexed(t, "--cache", "--check", file)[1], path)
	indexed(t, "--cache", "--remove", file)
	assert.NoFileExists(t, path)
}

func TestIndexIsChecked(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	check := func(want string) {
		t.Helper()
		code, out, told := mjfrCommand(t, "index", "--check", file)
		assert.Equal(t, cli.ExitData, code)
		assert.Empty(t, out)
		assert.Contains(t, told, want)
	}
	check(file + ": there is no saved index; mjfr index makes one")
	indexed(t, file)
	assert.Contains(t, indexed(t, "--check", file)[1], file+".mjfri")

	saved, err := os.ReadFile(file + ".mjfri")
	require.NoError(t, err)
	saved[len(saved)/2] ^= 1
	require.NoError(t, os.WriteFile(file+".mjfri", saved, 0o600))
	check("mjfr index makes it anew")
	indexed(t, file)
	indexed(t, "--check", file)

	require.NoError(t, os.Chtimes(file, time.Time{}, time.Unix(1, 0)))
	check("it is of a recording that was written at ")
	assert.Equal(t, []string{"a.jfr", "a.jfr.mjfri"}, names(t, filepath.Dir(file)))
}

func TestIndexIsShown(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	indexed(t, file)
	before, err := os.ReadFile(file + ".mjfri")
	require.NoError(t, err)
	lines := indexed(t, "--show", file)
	require.Len(t, lines, 5)
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	defer rec.Close()
	sum := uint64(0)
	for i, c := range rec.Chunks() {
		row := strings.Split(lines[i+1], "\t")
		n := uint64(0)
		types, err := c.Types()
		require.NoError(t, err)
		for _, typ := range types {
			for range c.Constants(typ) {
				n++
			}
		}
		b := c.Index().Blocks()
		assert.Equal(t, []string{file, strconv.Itoa(i), strconv.FormatUint(c.Size(), 10), strconv.FormatUint(b.Events(), 10), strconv.Itoa(b.Len())}, row[:5])
		assert.Equal(t, strconv.FormatUint(n, 10), row[6])
		for _, j := range []int{5, 7} {
			bytes, err := strconv.ParseUint(row[j], 10, 64)
			require.NoError(t, err)
			sum += bytes
		}
	}
	all := strings.Split(lines[4], "\t")
	assert.Equal(t, []string{file, "all", strconv.FormatInt(rec.Size(), 10)}, all[:3])
	assert.Less(t, sum, uint64(len(before)))
	assert.Greater(t, sum, uint64(len(before))*9/10)
	after, err := os.ReadFile(file + ".mjfri")
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

func TestIndexStats(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	lines := indexed(t, "--stats", file)
	shown := indexed(t, "--show", file)
	require.Len(t, lines, len(shown)+3)
	assert.Equal(t, shown, lines[:len(shown)])
	assert.Equal(t, "File\tIndex Size (bytes)\tTook\tBytes/s", lines[len(shown)+1])
	row := strings.Split(lines[len(lines)-1], "\t")
	took, err := time.ParseDuration(row[2])
	require.NoError(t, err)
	assert.Positive(t, took)
}

func TestIndexIsRemoved(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	indexed(t, file)
	assert.Equal(t, []string{"File\tRemoved", file + "\t" + file + ".mjfri"}, indexed(t, "--remove", file))
	assert.Equal(t, []string{"a.jfr"}, names(t, filepath.Dir(file)))
	code, _, told := mjfrCommand(t, "index", "--remove", file)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, file+": there is no saved index")
}

func TestIndexJSON(t *testing.T) {
	file, live := indexable(t, "jdk25-chunks.jfr"), indexable(t, "jdk25-live.jfr")
	code, out, _ := mjfrCommand(t, "index", "--json", "--stats", file, live)
	assert.Equal(t, cli.ExitData, code)
	var got []struct {
		File, Index, Error, Made                                          string
		Saved, Usable, Removed                                            bool
		RecordingSize, Size, BlocksSize, ConstantsSize, Chunks, TookNanos int64
		ChunksInIndex                                                     int64
		Parts                                                             []struct{ Chunk, Events, Constants int }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got), out)
	require.Len(t, got, 2)
	info, err := os.Stat(file + ".mjfri")
	require.NoError(t, err)
	g := got[0]
	assert.Equal(t, []any{file, file + ".mjfri", "", true, true, false}, []any{g.File, g.Index, g.Error, g.Saved, g.Usable, g.Removed})
	assert.Equal(t, []int64{info.Size(), 3, 3}, []int64{g.Size, g.Chunks, g.ChunksInIndex})
	assert.Positive(t, g.TookNanos)
	assert.Equal(t, info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z"), g.Made)
	assert.Len(t, g.Parts, 3)
	assert.Contains(t, got[1].Error, "it has no finished chunk yet")
	assert.False(t, got[1].Saved)
}

func TestIndexOfSeveralFiles(t *testing.T) {
	good, live := indexable(t, "jdk25-chunks.jfr"), indexable(t, "jdk25-live.jfr")
	code, out, told := mjfrCommand(t, "index", live, good)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, live+": it has no finished chunk yet; end the recording, or dump it with jcmd PID JFR.dump, and take that")
	assert.Contains(t, out, good)
	assert.FileExists(t, good+".mjfri")
	assert.NoFileExists(t, live+".mjfri")
	// A pattern is not that of indexes.
	assert.Len(t, indexed(t, "--check", filepath.Join(filepath.Dir(good), "*.jfr*")), 2)
}

func TestOnlyPlainFilesHaveAnIndex(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	packed := file + ".gz"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(packed, b.Bytes(), 0o600))
	for name, want := range map[string]string{
		"-":                "standard input has no index; save it to a file first",
		packed:             "packed by gzip; unpack it first",
		filepath.Dir(file): "it is a folder; name the recordings in it, as in mjfr index ",
		file + ".none":     "no such file; check the path",
	} {
		code, out, told := mjfrCommand(t, "index", name)
		assert.Equal(t, cli.ExitData, code, name)
		assert.Empty(t, out)
		assert.Contains(t, told, want)
	}
	assert.Equal(t, []string{"a.jfr", "a.jfr.gz"}, names(t, filepath.Dir(file)))
}

func TestIndexMisused(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--beside", "--cache", "a"}, {"--show", "--check", "a"}, {"--show", "--remove", "a"}, {"--check", "--stats", "a"},
		{"--stats", "--remove", "a"}, {"--show", "--stats", "a"},
	} {
		code, _, told := mjfrCommand(t, append([]string{"index"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, "%q: %s", args, told)
	}
}

func TestInterruptedIndexLeavesNothing(t *testing.T) {
	file := indexable(t, "jdk25-chunks.jfr")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, told bytes.Buffer
	a := &cli.App{Root: newMjfr, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &told}
	assert.Equal(t, cli.ExitInterrupted, a.Run(ctx, []string{"index", file}))
	assert.Equal(t, []string{"a.jfr"}, names(t, filepath.Dir(file)))
}

// TestUnwritableIndex: where the index cannot be written nothing is said against the
// recording.
func TestUnwritableIndex(t *testing.T) {
	file := clitest.File("jdk25-empty.jfr")
	path := filepath.Join(t.TempDir(), "a.jfr")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	require.NoError(t, os.Mkdir(path+mmapjfr.IndexSuffix, 0o700))
	code, _, errs := mjfrCommand(t, "index", path)
	assert.Equal(t, cli.ExitData, code)
	assert.Regexp(t, "^mjfr index: "+regexp.QuoteMeta(path)+": the index "+regexp.QuoteMeta(path+mmapjfr.IndexSuffix)+" cannot be written: ", errs)
	assert.NotContains(t, errs, "permission denied")
}
