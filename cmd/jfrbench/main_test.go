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
	for says, args := range map[string][]string{
		"no file given: name at least one recording": nil,
		"-frobnicate": {"-frobnicate", "x.jfr"},
		"many":        {"-workers=many", "x.jfr"},
		"no file given: name a recording, as in jfrbench peers app":    {"peers"},
		`"b.jfr" is one too many`:                                      {"peers", "a.jfr", "b.jfr"},
		"flags go before it":                                           {"peers", "a.jfr", "-runs", "2"},
		"-workers":                                                     {"peers", "-workers", "2", "a.jfr"},
		"-runs is 0; at least one run is needed":                       {"peers", "-runs", "0", "a.jfr"},
		`-only names "reed", which is no work; there are summary, co`:  {"peers", "-only", "count,reed", "a.jfr"},
		`-readers names "jdc", which is no reader; there are jdk, jmc`: {"peers", "-readers", "jdc", "a.jfr"},
		`-work is ""; it must be one of summary, count, read, type`:    {"scan", "a.jfr"},
		`-work is "walk"`:                                              {"scan", "-work", "walk", "a.jfr"},
		"-work type needs -type NAME":                                  {"scan", "-work", "type", "a.jfr"},
		"-type goes with -work type, not with -work read":              {"scan", "-work", "read", "-type", "a.B", "a.jfr"},
		"as in jfrbench gen app.jfr":                                   {"gen", "-size", "1MB"},
		`-size is "", which is no size of a file; write it as in 4Gi`:  {"gen", "out.jfr"},
		`-size is "large"`:                                             {"gen", "-size", "large", "out.jfr"},
		`-size is "-1GB"`:                                              {"gen", "-size", "-1GB", "out.jfr"},
		`-size is "10EB"`:                                              {"gen", "-size", "10EB", "out.jfr"},
	} {
		t.Run(says, func(t *testing.T) {
			code, stdout, stderr := command(args...)
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, says)
			assert.Regexp(t, `\nTry jfrbench( peers| scan| gen)? -help\.\n$`, stderr)
		})
	}
	assert.NoFileExists(t, "out.jfr")
}

func TestHelpAndVersion(t *testing.T) {
	for verb, help := range map[string]string{"": usage, "peers": peersHelp, "scan": scanHelp, "gen": genHelp} {
		code, stdout, stderr := command(strings.Fields(verb + " -help")...)
		assert.Equal(t, exitOK, code)
		assert.Equal(t, help, stdout)
		assert.Empty(t, stderr)
		assert.Contains(t, usage, "jfrbench "+verb)
		for line := range strings.Lines(help) {
			assert.LessOrEqual(t, len(line), 83)
		}
	}
	code, stdout, stderr := command("-version")
	assert.Equal(t, exitOK, code)
	assert.Regexp(t, `^jfrbench \S+, go1\S* \w+/\w+\n$`, stdout)
	assert.Empty(t, stderr)
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for name, c := range map[string]struct{ path, says string }{
		"missing":   {filepath.Join(dir, "missing.jfr"), "no such file"},
		"folder":    {dir, "is a directory"},
		"empty":     {file("empty.jfr", ""), "file is empty"},
		"dangerous": {file("a\x1b[2Jb", "?"), `a\x1b[2Jb: not a Flight Recorder file`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{c.path}, {"scan", "-work", "read", c.path}} {
				code, stdout, stderr := command(args...)
				assert.Equal(t, exitDamaged, code)
				assert.Empty(t, stdout)
				assert.Contains(t, stderr, c.says)
				assert.Regexp(t, `^jfrbench: [^\x1b\n]+\n$`, stderr)
			}
		})
	}
}

func TestGoesOnAfterAFileThatIsNone(t *testing.T) {
	good := recordings(t)[0]
	code, stdout, stderr := command("nosuch.jfr", good)
	assert.Equal(t, exitDamaged, code)
	assert.Contains(t, stderr, "nosuch.jfr: no such file")
	assert.Contains(t, stdout, good)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestReportThatIsLost(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, exitDamaged, run(recordings(t)[:1], brokenWriter{}, &stderr))
	assert.Contains(t, stderr.String(), "the report could not be written: disk full")
}
