package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// recordings returns the recordings of the repository.
func recordings(t testing.TB) []string {
	list := longtest.Recordings(t)
	return list[:min(len(list), longtest.Cases(3, len(list)))]
}

// command runs jfrbench.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestUsageErrors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no file":              {nil, "no file given: name at least one recording"},
		"only flags":           {[]string{"-json"}, "no file given"},
		"unknown flag":         {[]string{"-frobnicate", "x.jfr"}, "-frobnicate"},
		"flag after the files": {[]string{"x.jfr", "-json"}, "flags go before the files"},
		"value of a bool":      {[]string{"-json=perhaps", "x.jfr"}, "perhaps"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(c.args...)
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.says)
			assert.Contains(t, stderr, "Try jfrbench -help.")
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, flag := range []string{"-help", "--help", "-h"} {
		code, stdout, stderr := command(flag)
		assert.Equal(t, exitOK, code)
		assert.Equal(t, usage, stdout)
		assert.Empty(t, stderr)
	}
	for line := range strings.Lines(usage) {
		assert.LessOrEqual(t, len(line), 81)
	}
	code, stdout, stderr := command("-version")
	assert.Equal(t, exitOK, code)
	assert.Regexp(t, `^jfrbench \S+, go1\S* \w+/\w+\n$`, stdout)
	assert.Empty(t, stderr)
}

// TestHelpNamesAllFlags also refuses flags that are only in the help.
func TestHelpNamesAllFlags(t *testing.T) {
	o, err := parse([]string{"-all", "-json", "-no-progress", "-version", "-workers", "3"})
	require.NoError(t, err)
	assert.Equal(t, options{all: true, json: true, noProgress: true, version: true, workers: 3, files: []string{}}, o)
	for _, flag := range []string{"-all", "-json", "-no-progress", "-version", "-workers", "-help"} {
		assert.Contains(t, usage, "\n  "+flag+" ")
	}
	assert.Equal(t, 6, strings.Count(usage, "\n  -"))
}

func TestDashesMakeFlagsFiles(t *testing.T) {
	o, err := parse([]string{"--", "a.jfr", "-b.jfr"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.jfr", "-b.jfr"}, o.files)
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for name, c := range map[string]struct{ path, says string }{
		"missing":   {filepath.Join(dir, "missing.jfr"), "there is no such file; check the path"},
		"folder":    {dir, "it is a folder; name the recordings in it, as in jfrbench " + dir + "/*.jfr"},
		"empty":     {file("empty.jfr", ""), "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording"},
		"gzip":      {file("x.jfr.gz", "\x1f\x8b\x08 and so on"), "it is compressed with gzip; unpack it first"},
		"text":      {file("x.txt", "not a recording"), "check that it is the .jfr file itself"},
		"cut":       {file("cut.jfr", "FLR\x00\x00\x02\x00\x01"), "copy it again, its end is missing"},
		"old":       {file("old.jfr", "FLR\x00\x00\x00\x00\x09"+strings.Repeat("\x00", 100)), "open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"},
		"dangerous": {file("a\x1b[2Jb", "?"), `a\x1b[2Jb": not a Flight Recorder file`},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(c.path)
			assert.Equal(t, exitDamaged, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.says)
			assert.NotContains(t, stderr, "\x1b")
			assert.True(t, strings.HasPrefix(stderr, "jfrbench: "), stderr)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), "one sentence")
		})
	}
}

func TestGoesOnBehindAFileThatIsNone(t *testing.T) {
	good := recordings(t)[0]
	code, stdout, stderr := command("nosuch.jfr", good)
	assert.Equal(t, exitDamaged, code)
	assert.Contains(t, stderr, "nosuch.jfr: there is no such file")
	assert.Contains(t, stdout, good)
}

// TestNoProgressInAFile writes to a real one; it is no terminal.
func TestNoProgressInAFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, exitOK, run(recordings(t)[:1], new(bytes.Buffer), f))
	info, err := f.Stat()
	require.NoError(t, err)
	assert.Zero(t, info.Size())
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestTellsThatTheReportIsLost(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, exitDamaged, run(recordings(t)[:1], brokenWriter{}, &stderr))
	assert.Contains(t, stderr.String(), "the report could not be written: disk full")
}
