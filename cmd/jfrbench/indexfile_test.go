package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copied puts a recording of the repository into a folder of its own.
func copied(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name + ".jfr")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "app.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	return file
}

func TestIndexUsageErrors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no file":  {nil, "no file given"},
		"where":    {[]string{"-where", "there", "x.jfr"}, `-where is "there"; it must be beside or cache`},
		"both":     {[]string{"-check", "-remove", "x.jfr"}, "do not go together"},
		"unknown":  {[]string{"-frobnicate", "x.jfr"}, "-frobnicate"},
		"no place": {[]string{"-where"}, "-where"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(append([]string{"index"}, c.args...)...)
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.says)
			assert.Contains(t, stderr, "Try jfrbench index -help.")
		})
	}
	code, stdout, stderr := command("index", "-help")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, indexHelp, stdout)
	assert.Empty(t, stderr)
}

func TestIndexSavesChecksAndRemoves(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("LocalAppData", cache)
	file := copied(t, "jdk25-chunks")
	for _, where := range []string{"beside", "cache"} {
		t.Run(where, func(t *testing.T) {
			verb := func(args ...string) (int, string, string) {
				return command(append(append([]string{"index", "-where", where}, args...), file)...)
			}
			code, stdout, stderr := verb("-check")
			assert.Equal(t, exitDamaged, code)
			assert.Empty(t, stdout)
			assert.Equal(t, "jfrbench: "+file+": there is no saved index; jfrbench index makes one\n", stderr)

			code, stdout, stderr = verb()
			assert.Equal(t, exitOK, code, stderr)
			assert.Empty(t, stderr)
			path := file + ".mjfri"
			if where == "cache" {
				assert.NoFileExists(t, path)
				list, err := filepath.Glob(filepath.Join(cache, "*", "mmapjfr", "*.mjfri"))
				require.NoError(t, err)
				more, err := filepath.Glob(filepath.Join(cache, "mmapjfr", "*.mjfri"))
				require.NoError(t, err)
				list = append(list, more...)
				require.Len(t, list, 1)
				path = list[0]
			}
			assert.Contains(t, stdout, file+": 363 kB, index of 3 chunks saved in "+path+"\n")
			assert.Regexp(t, `(?m)^  blocks +1,424 +0\.39% +6 blocks +237$`, stdout)
			assert.Regexp(t, `(?m)^ +1,424 +0\.39% +69 events +20\.6$`, stdout)
			assert.Regexp(t, `(?m)^  constants +[0-9,]+ +[0-9.]+% +[0-9,]+ constants +[0-9.]+$`, stdout)
			assert.Regexp(t, `(?m)^  all +[0-9,]+ +[0-9.]+% +3 chunks `, stdout)
			assert.Regexp(t, `(?m)^  open +[0-9.]+ (µs|ms) +[0-9.]+ (µs|ms)$`, stdout)
			assert.Regexp(t, `(?m)^  ready +[0-9.]+ (µs|ms) +[0-9.]+ (µs|ms)$`, stdout)
			assert.NotContains(t, stdout, "note:")

			code, stdout, stderr = verb("-check")
			assert.Equal(t, exitOK, code, stderr)
			assert.Regexp(t, `: the index fits: [0-9]+ kB, [0-9.]+% of the file, with 3 of 3 chunks\n$`, stdout)

			require.NoError(t, os.Chtimes(file, time.Time{}, time.Unix(1e9+int64(len(where)), 0)))
			code, _, stderr = verb("-check")
			assert.Equal(t, exitDamaged, code)
			assert.Contains(t, stderr, "the saved index cannot be used: it is of a recording that was written at")
			assert.Contains(t, stderr, "jfrbench index makes it anew\n")
			code, _, _ = verb()
			assert.Equal(t, exitOK, code)
			code, _, _ = verb("-check")
			assert.Equal(t, exitOK, code)

			code, stdout, _ = verb("-remove")
			assert.Equal(t, exitOK, code)
			assert.Equal(t, file+": the index was removed\n", stdout)
			assert.NoFileExists(t, path)
			code, stdout, _ = verb("-remove")
			assert.Equal(t, exitOK, code)
			assert.Equal(t, file+": there is no saved index\n", stdout)
		})
	}
}

func TestIndexOfSeveralFiles(t *testing.T) {
	one, two, live := copied(t, "jdk25-kinds"), copied(t, "jdk17-kinds"), copied(t, "jdk25-live")
	code, stdout, stderr := command("index", one, "nosuch.jfr", live, two)
	assert.Equal(t, exitDamaged, code)
	assert.Equal(t, 2, strings.Count(stdout, "saved in"))
	assert.Contains(t, stderr, "nosuch.jfr: there is no such file")
	assert.Contains(t, stderr, live+": it has no finished chunk yet; end the recording")
	assert.NoFileExists(t, live+".mjfri")
	code, stdout, stderr = command("index", "-check", one, "nosuch.jfr", live, two)
	assert.Equal(t, exitDamaged, code)
	assert.Equal(t, 2, strings.Count(stdout, "the index fits"))
	assert.Equal(t, 2, strings.Count(stderr, "\n"))
}

func TestIndexTellsOfChunksThatAreNotInIt(t *testing.T) {
	file := copied(t, "jdk25-kinds")
	live, err := os.ReadFile("../../testdata/jdk25-live.jfr")
	require.NoError(t, err)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(live)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	code, stdout, stderr := command("index", file)
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "note: 1 chunk is not in the index, being unfinished or damaged\n")
}

func TestIndexThatCannotBeWritten(t *testing.T) {
	file := copied(t, "jdk25-kinds")
	require.NoError(t, os.MkdirAll(filepath.Join(file+".mjfri", "inside"), 0o700))
	code, stdout, stderr := command("index", file)
	assert.Equal(t, exitDamaged, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, file+": the index could not be saved: ")
	code, _, stderr = command("index", "-remove", file)
	assert.Equal(t, exitDamaged, code)
	assert.Contains(t, stderr, "the index could not be removed")
}
