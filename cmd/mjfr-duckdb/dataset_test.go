package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDataSetOfThePage makes the data set of docs/BATCH.md of three services by the commands of the page, and runs the page's
// statements: no row counts twice, and columns are the labels.
func TestDataSetOfThePage(t *testing.T) {
	data, err := os.ReadFile("../../docs/BATCH.md")
	require.NoError(t, err)
	_, page, found := strings.Cut(string(data), "\n## Data sets\n")
	require.True(t, found)
	page, _, _ = strings.Cut(page, "\n## ")
	block := regexp.MustCompile("(?s)```sql\n(.*?)\n```").FindStringSubmatch(page)
	require.Len(t, block, 2)

	dir := t.TempDir()
	files := make(map[string]string)
	for service, name := range map[string]string{"a": "jdk25-profile.jfr", "b": "jdk17-profile.jfr", "c": "jdk25-profile.jfr"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name))
		require.NoError(t, err)
		files[service] = filepath.Join(dir, "recordings", service, "2026-11-20", "host", "12.jfr")
		require.NoError(t, os.MkdirAll(filepath.Dir(files[service]), 0o700))
		require.NoError(t, os.WriteFile(files[service], data, 0o600))
	}
	lake := filepath.ToSlash(dir) + "/lake/"
	commands := regexp.MustCompile(`(?m)^    mjfr (batch .*)$`).FindAllStringSubmatch(page, -1)
	require.Len(t, commands, 3)
	for _, c := range commands {
		var args []string
		for _, word := range strings.Fields(c[1]) {
			args = append(args, strings.NewReplacer("lake/", lake, "recordings/", filepath.ToSlash(dir)+"/recordings/", "'", "").Replace(word))
		}
		asks(t, args...)
	}

	want := make(map[string]string)
	for service, file := range files {
		want[service] = rowsOf(t, asks(t, "query", "--csv", "select count(*) from ExecutionSample where stackTrace != null", file), true)[0][0]
	}
	lines := strings.Split(block[1], "\n") // a statement in each; the last one has a result
	last := len(lines) - 1
	lines[last] = "select service, sum(n) from (" + strings.TrimSuffix(lines[last], ";") + ") as t(service, class, n) group by all"
	script := strings.ReplaceAll(strings.Join(lines, "\n"), "'lake/", "'"+lake)
	for name, program := range programs(t) {
		got := make(map[string]string)
		for _, row := range rowsOf(t, program(t, "--csv", profile, script), true) {
			require.Len(t, row, 2, name)
			got[row[0]] = row[1]
		}
		assert.Equal(t, want, got, name)
	}
}
