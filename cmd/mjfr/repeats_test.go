package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
)

// chunksOf returns the chunks of a recording of testdata.
func chunksOf(t *testing.T, name string) (chunks [][]byte) {
	t.Helper()
	data, err := os.ReadFile(clitest.File(name))
	require.NoError(t, err)
	rec := opentest.Bytes(t, data)
	for _, c := range rec.Chunks() {
		chunks = append(chunks, data[c.Offset():][:c.Size()])
	}
	return chunks
}

// layout is files that chunks lie in, and what names all of them.
type layout struct {
	name  string
	files map[string][]int // chunks by file
}

// TestRepeatedChunksCountOnceInAllVerbs asks verbs about chunks, and about files that have them several times: the answers,
// and the recordings that are written, are the same, with a note.
func TestRepeatedChunksCountOnceInAllVerbs(t *testing.T) {
	chunks := chunksOf(t, "jdk17-chunks.jfr")
	require.Len(t, chunks, 3)
	askOfRepeated(t, chunks, []layout{
		{"a.jfr", map[string][]int{"a.jfr": {0, 1, 2}}},
		{"a.jfr", map[string][]int{"a.jfr": {0, 1, 2, 0, 1, 2}}}, // joined with itself
		{"a.jfr", map[string][]int{"a.jfr": {0, 1, 1, 2, 0}}},
		{"*.jfr", map[string][]int{"a.jfr": {0, 1}, "b.jfr": {1, 2}}}, // overlapping dumps
		{".", map[string][]int{"a.jfr": {0}, "b.jfr": {0, 1}, "c.jfr": {1, 2}}},
	},
		"print FILE",
		"print --json FILE",
		"events FILE",
		"types FILE",
		"view all-views FILE",
		"view all-events FILE",
		"query select+count(*)+from+* FILE",
		"query select+@type,count(*),max(duration)+from+jdk.*+group+by+@type FILE",
		"profile FILE",
		"profile -t alloc FILE",
		"profile --gc-pauses out FILE",
		"constants FILE",
		"constants --unused FILE",
		"constants --duplicates FILE",
		"metadata FILE",
		"at FILE 0.3s",
		"export --csv OUT FILE",
		"slice --from 0.1s FILE OUT",
		"slice --events gen.* FILE OUT",
		"merge FILE OUT",
		"compact FILE OUT",
		"convert FILE OUT",
		"redact --key-file KEY FILE OUT",
	)
	askOfRepeated(t, chunksOf(t, "jdk25-oldobjects.jfr"), []layout{
		{"a.jfr", map[string][]int{"a.jfr": {0}}}, {"a.jfr", map[string][]int{"a.jfr": {0, 0}}}, {"*.jfr", map[string][]int{"a.jfr": {0}, "b.jfr": {0}}},
	}, "profile -t live FILE", "view memory-leaks-by-site FILE", "query select+count(*),count(allocationTime)+from+OldObjectSample FILE")
}

// askOfRepeated asks about chunks in several layouts, the first of which has each once.
func askOfRepeated(t *testing.T, chunks [][]byte, layouts []layout, lines ...string) {
	t.Helper()
	var inputs []string
	for _, l := range layouts {
		dir := t.TempDir()
		for name, list := range l.files {
			var data []byte
			for _, n := range list {
				data = append(data, chunks[n]...)
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
		inputs = append(inputs, filepath.Join(dir, l.name))
	}
	key := filepath.Join(t.TempDir(), "key")
	once := regexp.MustCompile(`counts? once`)
	recording := regexp.MustCompile(`,[0-9a-f]{16}\r?\n`)
	for i, words := range lines {
		if !longtest.Every(i, 2) {
			continue
		}
		var want string
		for j, input := range inputs {
			if j > 0 && !longtest.Enabled() && j != 1+i/2%(len(inputs)-1) {
				continue
			}
			out := filepath.Join(t.TempDir(), "out")
			var args []string
			for _, w := range strings.Fields(words) {
				w = map[string]string{"FILE": input, "OUT": out, "KEY": key}[w] + w
				for _, name := range []string{"FILE", "OUT", "KEY"} {
					if path, is := strings.CutSuffix(w, name); is && path != "" {
						w = path
					}
				}
				args = append(args, strings.ReplaceAll(w, "+", " "))
			}
			code, text, told := mjfrCommand(t, args...)
			require.Equal(t, cli.ExitOK, code, "%s: %s", words, told)
			notes := 0
			if j > 0 {
				notes = 1
			}
			assert.Equal(t, notes, len(once.FindAllString(told+text, -1))+strings.Count(text, " twice)"), "%s: %s", args, told)
			written, err := filepath.Glob(filepath.Join(out, "[^_]*"))
			require.NoError(t, err)
			if len(written) == 0 && strings.Contains(words, "OUT") {
				written = []string{out}
			}
			if len(written) > 0 {
				text = ""
			}
			for _, file := range written {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				text += filepath.Base(file) + "\n" + string(data)
			}
			text = recording.ReplaceAllString(text, "\n")
			if before, after, ok := strings.Cut(text, " of "+filepath.Dir(input)); ok && args[0] == "at" {
				text = before + after[strings.Index(after, ".jfr")+4:]
			}
			if j == 0 {
				want = text
			} else if text != want {
				t.Errorf("%s: %.600s\nwant %.600s", args, text, want)
			}
		}
	}
}

// TestRepeatedChunksAreSeenByOffset has verbs see chunks that repeat others that show what is in a
// file.
func TestRepeatedChunksAreSeenByOffset(t *testing.T) {
	data := slices.Concat(chunksOf(t, "jdk17-chunks.jfr")...)
	dir := t.TempDir()
	file := filepath.Join(dir, "a.jfr")
	require.NoError(t, os.WriteFile(file, slices.Concat(data, data), 0o600))
	code, text, told := mjfrCommand(t, "verify", file)
	assert.Equal(t, cli.ExitOK, code, told)
	assert.Contains(t, text, "6 chunks, 138 events")
	assert.Contains(t, told, "3 of 6 chunks are copies of others and count once")
	code, text, told = mjfrCommand(t, "repair", file, filepath.Join(dir, "repaired"))
	assert.Equal(t, cli.ExitOK, code, told)
	assert.Contains(t, told, "3 of 6 chunks are copies of others and count once")
	assert.Contains(t, text+told, "138 events") // each chunk is written, as it may be damaged
	code, text, told = mjfrCommand(t, "at", file, "#100")
	assert.Equal(t, cli.ExitOK, code, told)
	assert.Contains(t, text, "in chunk 3")
	code, _, told = mjfrCommand(t, "disassemble", "--max-chunks", "1", "--output", dir, file)
	assert.Equal(t, cli.ExitOK, code, told)
	parts, err := filepath.Glob(filepath.Join(dir, "a_*.jfr"))
	require.NoError(t, err)
	var joined []byte
	for _, part := range parts {
		bytes, err := os.ReadFile(part)
		require.NoError(t, err)
		joined = append(joined, bytes...)
	}
	assert.Len(t, parts, 6)
	assert.Equal(t, slices.Concat(data, data), joined)
}
