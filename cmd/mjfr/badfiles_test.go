package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// readingSeveral are verbs that take several recordings. FILES stands for those, OUT for what is written.
var readingSeveral = []string{
	"summary FILES", "types FILES", "chunks FILES", "chunks --headers FILES", "metadata FILES",
	"settings FILES", "events FILES", "print --events ThreadPark FILES", "query select|count(*)|from|ThreadPark FILES",
	"view hot-methods FILES", "profile FILES", "profile -o OUT/a.collapsed FILES",
	"report --markdown -o OUT/a.md FILES", "export --csv OUT/tables FILES", "slice --from 0s FILES OUT/a.jfr",
	"merge FILES OUT/a.jfr", "compact FILES OUT/a.jfr", "convert FILES OUT/a.jfr", "redact --key-file KEY FILES OUT/a.jfr",
	"repair FILES OUT/a.jfr",
}

// TestOneBadFileAmongSeveral gives verbs a recording with a file beside it that is none, or has lost its end.
// Exactly one message is about that file, and says what of it counts; the recording is answered as if it
// were alone.
func TestOneBadFileAmongSeveral(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	whole, err := os.ReadFile(clitest.File("jdk25-chunks.jfr"))
	require.NoError(t, err)
	sound, err := os.ReadFile(clitest.File("jdk25-cputime.jfr"))
	require.NoError(t, err)
	good := write("good.jfr", sound)
	bad := map[string]string{ // and what counts
		filepath.Join(dir, "missing.jfr"):               "there is no such file; check the path; nothing of it counts",
		write("empty.jfr", nil):                         "; nothing of it counts",
		write("text.jfr", []byte("no recording")):       "; nothing of it counts",
		write("header.jfr", whole[:40]):                 "; nothing of it counts",
		write("cut.jfr", whole[:len(whole)-3000]):       "; the events of 2 of its 3 chunks count; ",
		write("first.jfr", whole[:4000]):                "; none of its events can be read, ",
		write("packed.jfr", []byte("\x1f\x8b\x08\x00")): "; nothing of it counts",
	}
	for _, line := range readingSeveral {
		verb := strings.Fields(line)[0]
		alone := answerOf(t, line, good)
		require.Equal(t, cli.ExitOK, alone.code, "%s: %s", line, alone.told)
		for file, counts := range bad {
			if name := filepath.Base(file); name != "missing.jfr" && name != "cut.jfr" && longtest.Cases(0, 1) == 0 {
				continue
			}
			with := answerOf(t, line, good, file)
			what := line + " " + filepath.Base(file) + ": " + with.told
			assert.Equal(t, cli.ExitData, with.code, what)
			if verb == "repair" && strings.Contains(with.out, filepath.Base(file)) {
				continue // its table says what was done
			}
			assert.Equal(t, 1, strings.Count(with.told, file), what)
			assert.Contains(t, with.told, counts, what)
			if strings.Contains(counts, "nothing of it") {
				assert.Equal(t, alone.out, with.out, what)
				assert.Equal(t, alone.told, strings.Join(without(with.told, file), ""), what)
			}
			if verb != "repair" && longtest.Cases(0, 1) == 1 {
				only := answerOf(t, line, file, file+"2")
				assert.Equal(t, cli.ExitData, only.code, only.told)
				assert.GreaterOrEqual(t, strings.Count(only.told, file), 1, only.told)
			}
		}
	}
}

// answer is what a verb has said and written.
type answer struct {
	code      int
	out, told string
}

// answerOf runs a line of readingSeveral with recordings.
func answerOf(t *testing.T, line string, files ...string) (a answer) {
	t.Helper()
	out := t.TempDir()
	var args []string
	for _, word := range strings.Fields(line) {
		if word == "FILES" {
			args = append(args, files...)
			continue
		}
		if word == "KEY" {
			word = filepath.Join(filepath.Dir(files[0]), "key")
		}
		args = append(args, strings.ReplaceAll(strings.ReplaceAll(word, "|", " "), "OUT", out))
	}
	a.code, a.out, a.told = mjfrCommand(t, args...)
	require.NoError(t, filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		a.out += path + "\n" + string(data)
		return err
	}))
	a.out = strings.ReplaceAll(a.out, out, "OUT")
	a.told = strings.ReplaceAll(a.told, out, "OUT")
	return a
}

// without returns the lines that do not have a text.
func without(lines, text string) (left []string) {
	for line := range strings.Lines(lines) {
		if !strings.Contains(line, text) {
			left = append(left, line)
		}
	}
	return left
}
