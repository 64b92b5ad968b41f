package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const profiled = "../../testdata/jdk25-profile.jfr"

func TestQueryShowsThePlaceOfAnError(t *testing.T) {
	code, _, stderr := mjfrCommand(t, "query", "select path,\n\tpth from FileRead", profiled)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "   pth from FileRead\n   ^\nmjfr query: query, line 2, character 2: ")
	_, _, stderr = mjfrCommand(t, "query", "select '東京', pth from FileRead", profiled)
	assert.Contains(t, stderr, "\n"+strings.Repeat(" ", len("  select 'wide', "))+"^\n", "two columns for each of them")
	assert.Contains(t, stderr, "did you mean path?")
}

func TestQuerySaysWhyNothingIsSelected(t *testing.T) {
	code, _, stderr := mjfrCommand(t, "query", "--where", "duration > 100h", "select path from FileRead", profiled)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "no event is selected: of 41 events of jdk.FileRead none matches --where 'duration > 100h'")
	_, _, stderr = mjfrCommand(t, "view", "--thread", "nosuch", "hot-methods", profiled)
	assert.Contains(t, stderr, "no thread matches --thread nosuch")
}

func TestViewsThatAreWrong(t *testing.T) {
	for _, args := range [][]string{
		{"view", "hotmethods", profiled}, {"view", "-p", "x", "hot-methods", profiled}, {"view", "-p", "x=1", "hot-methods", profiled},
		{"view", "--limit", "1", "hot-methods", profiled}, {"query", "--tail", "1", "select * from FileRead", profiled},
		{"view", "--live", "4711", "--from", "10s", "hot-methods"}, {"query", "select * from Nosuch", profiled},
		{"query", "--live", profiled, "select * from Nosuch"},
	} {
		code, out, stderr := mjfrCommand(t, args...)
		assert.Equal(t, 2, code, "%q: %s", args, stderr)
		assert.Empty(t, out, "%q", args)
	}
}

func TestViewWithoutItsTypes(t *testing.T) {
	code, out, stderr := mjfrCommand(t, "view", "finalizers", "../../testdata/jdk17-profile.jfr")
	assert.Zero(t, code)
	assert.Equal(t, "\nNo events found for 'Finalizers'.\n", out)
	assert.Contains(t, stderr, "mjfr view: finalizers: no event type is called jdk.FinalizerStatistics")
}

func TestQueryWindows(t *testing.T) {
	args := func(format string) []string {
		return []string{"query", "--utc", format, "--live", profiled, "--every", "2s", "select count(*) as n from FileRead"}
	}
	_, out, stderr := mjfrCommand(t, args("--csv")...)
	assert.Equal(t, 1, strings.Count(out, "windowStart,windowEnd,n\n"), "%s%s", out, stderr)
	_, out, _ = mjfrCommand(t, args("--json")...)
	var list []struct{ Rows []map[string]any }
	assert.NoError(t, json.Unmarshal([]byte(out), &list))
	assert.Contains(t, list[0].Rows[0], "windowStart")
	_, out, _ = mjfrCommand(t, args("--verbose")...)
	assert.Regexp(t, `\d\d:\d\d:\d\d to \d\d:\d\d:\d\d\n`, out)
}

// TestHelpWithoutRefusedFlags looks for flags that statements refuse.
func TestHelpWithoutRefusedFlags(t *testing.T) {
	for _, verb := range []string{"query", "view"} {
		_, out, _ := mjfrCommand(t, "help", verb)
		assert.NotContains(t, out, "--limit")
		assert.NotContains(t, out, "--tail")
		assert.Contains(t, out, "--where")
	}
}

// TestOwnViewsAreQueries shows a user's view, with and without a section, as mjfr query answers its statement.
func TestOwnViewsAreQueries(t *testing.T) {
	const statement = "from FileRead select path as p, count(*), max(bytesRead / duration) group by p order by 2 desc, 1 limit 5"
	views := filepath.Join(t.TempDir(), "own.views")
	assert.NoError(t, os.WriteFile(views, []byte("view: a\n"+statement+"\n\nview: b\nsection: mine\n"+statement+"\n"), 0o600))
	code, want, stderr := mjfrCommand(t, "query", "--csv", statement, profiled)
	assert.Zero(t, code, stderr)
	for _, name := range []string{"a", "b"} {
		_, out, _ := mjfrCommand(t, "view", "--csv", "-f", views, name, profiled)
		assert.Equal(t, want, out, name)
	}
}

// TestWhatPeopleType has command lines that are wrong, and what they should have been.
func TestWhatPeopleType(t *testing.T) {
	for want, args := range map[string][]string{
		"the statement comes first: mjfr query 'select ...' ":                      {"query", profiled, "select path from FileRead limit 1"},
		"the view comes first: mjfr view gc-pauses ":                               {"view", profiled, "gc-pauses"},
		"GC is a category: use --categories GC":                                    {"print", "--events", "GC", profiled},
		"the format top shows one type: use -t cpu or -t alloc; -o app.html shows": {"profile", "-t", "cpu,alloc", profiled},
		"unknown flag: --cpu; use -t cpu":                                          {"profile", "--cpu", profiled},
		"unknown flag: --flamegraph; use -o flame.html":                            {"profile", "--flamegraph", profiled},
		"unknown function date_trunc; use time(1m)":                                {"query", "select date_trunc('s', startTime), count(*) from FileRead group by 1", profiled},
		"WITH is not supported; mjfr sql has all of DuckDB's SQL":                  {"query", "with x as (select 1) select * from x", profiled},
	} {
		code, _, stderr := mjfrCommand(t, args...)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, want)
	}
	t.Run("a folder called as a view", func(t *testing.T) {
		pattern, err := filepath.Abs(profiled)
		require.NoError(t, err)
		t.Chdir(t.TempDir())
		require.NoError(t, os.Mkdir("gc-pauses", 0o700))
		code, _, stderr := mjfrCommand(t, "view", "gc-pauses", strings.Replace(pattern, "profile.jfr", "profile.*", 1))
		assert.Equal(t, 0, code, stderr)
	})
	_, want, _ := mjfrCommand(t, "print", "--where", "duration > 400ms", profiled)
	_, got, stderr := mjfrCommand(t, "print", "--where", "duration > 400 ms", profiled)
	assert.NotEmpty(t, want)
	assert.Equal(t, want, got, stderr)
}
