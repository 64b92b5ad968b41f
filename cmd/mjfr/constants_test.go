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

func TestConstantsListAsJSON(t *testing.T) {
	d := constantsJSON(t, constantsFile(t, 2), "Word")
	require.Len(t, d.Constants, 10)
	assert.Equal(t, constantDocument{
		Chunk: 1, Type: "test.Word", Key: 4, Offset: d.Constants[9].Offset, Bytes: 16, Value: "{word: tab\tand\nline, n: 7}",
	}, d.Constants[9])
	assert.Equal(t, "{\n  \"constants\": []\n}\n", constantsOf(t, constantsFile(t, 1), "Word", "--search", "nothing", "--json"))
	out := constantsOf(t, constantsFile(t, 1), "Word", "--max", "2", "--json")
	assert.True(t, strings.HasPrefix(out, "{\n  \"constants\": [\n    {\n      \"chunk\": 0,\n      \"type\": \"test.Word\",\n      \"key\": 0,\n"), out)
	assert.Contains(t, out, "\n    },\n    {\n")
	assert.True(t, strings.HasSuffix(out, "\n    }\n  ]\n}\n"), out)
}

// Lists are written in parts.
func TestConstantsOfLongLists(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Number", jfrtest.Of("n", "int"))
	const n = 2*512 + 1 // more than two parts
	for key := range n {
		b.Constant("test.Number", key, key)
	}
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	for i, line := range constantLines(constantsOf(t, path, "Number")) {
		require.Equal(t, fmt.Sprintf("{n: %d}", i), line[4])
	}
	assert.Len(t, constantLines(constantsOf(t, path, "Number")), n)
	aligned := strings.Split(constantsOf(t, "--color", "always", path, "Number"), "\n")
	require.Len(t, aligned, n+2)
	assert.Equal(t, strings.Index(aligned[1001], "{n:"), strings.Index(aligned[601], "{n:"), "lines of one part are aligned together")
	assert.Len(t, constantsJSON(t, path, "Number").Constants, n)
}

func TestConstantsUnused(t *testing.T) {
	file := constantsFile(t, 2)
	assert.Equal(t, "Type\tUnused\tConstants\tBytes\ntest.Word\t6\t10\t44\ntest.Other\t2\t2\t4\n", constantsOf(t, "--unused", file))
	lines := constantLines(constantsOf(t, "--unused", file, "Word"))
	require.Len(t, lines, 6)
	for i, key := range []string{"0", "2", "3", "0", "2", "3"} {
		assert.Equal(t, key, lines[i][2])
	}
	assert.Len(t, constantLines(constantsOf(t, "--unused", file, "Word", "--search", "two")), 2)
	d := constantsJSON(t, "--unused", file)
	require.Len(t, d.Pools, 2)
	assert.Equal(t, 6, d.Pools[0].Unused)
	assert.Equal(t, 44, d.Pools[0].Bytes)
	assert.Len(t, constantsJSON(t, "--unused", file, "*").Constants, 8)
	assert.Len(t, constantsJSON(t, "--unused", "--max", "1", file).Pools, 1)
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
		{[]string{"--unused", "--duplicates", file}, "cannot both"},
		{[]string{"--max", "-1", file}, "negative"},
		{[]string{"--search", "", file}, "--search needs a text"},
	} {
		code, out, told := mjfrCommand(t, append([]string{"constants"}, c.args...)...)
		assert.Equal(t, cli.ExitUsage, code, c.args)
		assert.Empty(t, out)
		assert.Contains(t, told, c.told)
	}
}

// Damage is reported once, and the rest is shown.
func TestConstantsOfDamagedRecordings(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.A", jfrtest.Of("n", "int"))
	b.Checkpoint(0).Add("test.A", 1, 1)
	bad := b.Checkpoint(0)
	bad.Add("test.A", 2, 2)
	b.Checkpoint(0).Add("test.A", 3, 3)
	b.Emit(b.Event("test.Event", jfrtest.Const("a", "test.A")), int64(0), int64(3))
	data, layout := b.Build()
	pool := layout.Checkpoint(bad).Pools[0].Of(data)
	for i := range pool {
		pool[i] = 0xff
	}
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for _, args := range [][]string{{path}, {path, "A"}, {"--unused", path}, {"--unused", path, "A"}, {"--duplicates", path}} {
		code, out, told := mjfrCommand(t, append([]string{"constants"}, args...)...)
		assert.Equal(t, cli.ExitData, code, args)
		assert.Equal(t, 1, strings.Count(told, "corrupt"), "%v: %s", args, told)
		if args[0] != "--duplicates" {
			assert.Contains(t, out, "test.A\t", args)
		}
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
