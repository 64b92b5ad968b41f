package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// constantsOf runs the verb, which must succeed without a word on standard error.
var constantsOf = mjfrCommand.Output("constants")

// constantsFile writes a recording whose constants have been chosen, chunk by chunk.
func constantsFile(t *testing.T, chunks int) string {
	t.Helper()
	var builders []*jfrtest.Builder
	for i := range chunks {
		b := jfrtest.NewChunk()
		b.Header.DurationNanos += int64(i) // so that none repeats another
		b.Class("test.Word", jfrtest.Of("word", jfrtest.StringClass), jfrtest.Of("n", "int"))
		b.Class("test.Other", jfrtest.Of("n", "int"))
		first, second := b.Checkpoint(0), b.Checkpoint(0)
		for key, word := range []string{"zero", "one", "two", "one", "tab\tand\nline"} {
			first.Add("test.Word", key, word, 7)
		}
		second.Add("test.Word", 1, "copy", 7)
		second.Add("test.Other", 1, 1)
		event := b.Event("test.Event", jfrtest.Const("word", "test.Word"))
		b.Emit(event, int64(0), int64(1))
		b.Emit(event, int64(0), int64(4))
		builders = append(builders, b)
	}
	data, _ := jfrtest.Concat(builders...)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// constantLines returns the lines of a list as fields, without the titles.
func constantLines(out string) (lines [][]string) {
	for line := range strings.Lines(out) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return lines[1:]
}

func TestConstantsTable(t *testing.T) {
	file := constantsFile(t, 2)
	assert.Equal(t, "Type\tConstants\tCopies\tBytes\tCheckpoints\ntest.Word\t10\t2\t106\t4\ntest.Other\t2\t0\t4\t2\n", constantsOf(t, file))
	assert.Equal(t, "Type\tConstants\tCopies\tBytes\tCheckpoints\ntest.Word\t10\t2\t106\t4\n", constantsOf(t, file, "--max", "1"))
	assert.Equal(t, `{
  "pools": [
    {
      "type": "test.Word",
      "constants": 10,
      "copies": 2,
      "bytes": 106,
      "checkpoints": 4
    }
  ]
}
`, constantsOf(t, file, "--max", "1", "--json"))
}

func TestConstantsList(t *testing.T) {
	file := constantsFile(t, 1)
	out := constantsOf(t, file, "Word")
	assert.True(t, strings.HasPrefix(out, "Type\tKey\tOffset\tBytes\tValue\n"))
	lines := constantLines(out)
	require.Len(t, lines, 5, "without the copy")
	assert.Equal(t, []string{"test.Word", "0"}, lines[0][:2])
	assert.Equal(t, "{word: zero, n: 7}", lines[0][4])
	assert.Equal(t, `{word: tab\tand\nline, n: 7}`, lines[4][4])
	first, err := strconv.ParseInt(lines[0][2], 0, 64)
	require.NoError(t, err)
	second, err := strconv.ParseInt(lines[1][2], 0, 64)
	require.NoError(t, err)
	assert.Equal(t, lines[0][3], strconv.FormatInt(second-first, 10), "one follows the other")

	assert.Equal(t, out, constantsOf(t, file, "test.W*"))
	assert.Len(t, constantLines(constantsOf(t, file, "W*,Other")), 6)
	assert.Len(t, constantLines(constantsOf(t, file, "W*,Other", "--max", "2")), 2)
	assert.Equal(t, [][]string{lines[1], lines[3]}, constantLines(constantsOf(t, file, "--search", "WORD: ONE")))
	assert.Empty(t, constantLines(constantsOf(t, file, "Other", "--search", "one")))

	two := constantLines(constantsOf(t, constantsFile(t, 2), "Other"))
	require.Len(t, two, 2)
	assert.Equal(t, []string{"0", "1"}, []string{two[0][0], two[1][0]}, "with their chunks")

	code, _, told := mjfrCommand(t, "constants", file, "Wrod")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, "the recording has no type Wrod; did you mean test.Word?")
	code, nothing, told := mjfrCommand(t, "constants", file, "NoSuch*")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, constantLines(nothing))
	assert.Contains(t, told, "no constants of that type")
}

type constantDocument struct {
	Chunk         int
	Type          string
	Key           int64
	Offset, Bytes uint64
	Value         string
}

type groupDocument struct {
	SpareBytes uint64
	Constants  []constantDocument
}

type constantsDocument struct {
	Constants []constantDocument
	Groups    []groupDocument
	Pools     []struct {
		Type                                                     string
		Unused, Constants, Bytes, Groups, Duplicates, SpareBytes int
	}
}

func constantsJSON(t *testing.T, args ...string) (d constantsDocument) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(constantsOf(t, append(args, "--json")...)), &d))
	return d
}

func TestConstantsDuplicates(t *testing.T) {
	file := constantsFile(t, 2)
	assert.Equal(t, "Type\tGroups\tDuplicates\tBytes\ntest.Word\t2\t2\t14\n", constantsOf(t, "--duplicates", file))
	out := constantsOf(t, "--duplicates", file, "Word")
	assert.True(t, strings.HasPrefix(out, "Group\tChunk\tType\tKey\tOffset\tBytes\tValue\n"), out)
	lines := constantLines(out)
	require.Len(t, lines, 4)
	for i, want := range [][]string{{"1", "0", "1"}, {"1", "0", "3"}, {"2", "1", "1"}, {"2", "1", "3"}} {
		assert.Equal(t, want, []string{lines[i][0], lines[i][1], lines[i][3]})
	}
	assert.Empty(t, constantLines(constantsOf(t, "--duplicates", file, "Other")))
	assert.Empty(t, constantLines(constantsOf(t, "--duplicates", file, "--search", "two")))
	d := constantsJSON(t, "--duplicates", file, "Word", "--max", "1")
	require.Len(t, d.Groups, 1)
	assert.EqualValues(t, 7, d.Groups[0].SpareBytes)
	assert.Len(t, d.Groups[0].Constants, 2)
	d = constantsJSON(t, "--duplicates", file)
	require.Len(t, d.Pools, 1)
	assert.Equal(t, []int{2, 2, 14}, []int{d.Pools[0].Groups, d.Pools[0].Duplicates, d.Pools[0].SpareBytes})
}

func TestConstantsMisused(t *testing.T) {
	file := clitest.File("jdk25-empty.jfr")
	for _, c := range []struct {
		args []string
		told string
	}{
		{nil, "no recording given"},
		{[]string{file, "A", "B"}, "too many arguments"},
		{[]string{file, ","}, "the type is empty"},
		{[]string{"--unused", "--duplicates", file}, "cannot be used together"},
		{[]string{"--max", "-1", file}, "negative"},
		{[]string{"--search", "", file}, "--search needs a text"},
	} {
		code, out, told := mjfrCommand(t, append([]string{"constants"}, c.args...)...)
		assert.Equal(t, cli.ExitUsage, code, c.args)
		assert.Empty(t, out)
		assert.Contains(t, told, c.told)
	}
}

// TestConstantsOfSelectedEvents has events that refer to constants, directly and through
// others.
func TestConstantsOfSelectedEvents(t *testing.T) {
	file := constantsFile(t, 2)
	// All events together refer to what is not unused.
	names := func(args ...string) (list []string) {
		for _, c := range constantsJSON(t, append(args, file, "*")...).Constants {
			list = append(list, fmt.Sprint(c.Chunk, " ", c.Type, " ", c.Key))
		}
		return list
	}
	all, unused := names(), names("--unused")
	require.NotEmpty(t, unused)
	used := names("--events", "*")
	assert.ElementsMatch(t, all, append(used, unused...))
	assert.Less(t, len(names("--limit", "1")), len(used), "of one event")
	assert.Equal(t, used, names("--to", "1h"))
	code, _, told := mjfrCommand(t, "constants", "--unused", "--events", "*", file)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, "--unused and --duplicates are about all events")
}
