package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
		filepath.Join(dir, "missing.jfr"):               "no such file; check the path; it is left out",
		write("empty.jfr", nil):                         "; it is left out",
		write("text.jfr", []byte("no recording")):       "; it is left out",
		write("header.jfr", whole[:40]):                 "; it is left out",
		write("cut.jfr", whole[:len(whole)-3000]):       "; the events of 2 of its 3 chunks count; ",
		write("first.jfr", whole[:4000]):                "; none of its events can be read, ",
		write("packed.jfr", []byte("\x1f\x8b\x08\x00")): "; it is left out",
	}
	for i, line := range readingSeveral {
		verb := strings.Fields(line)[0]
		alone := answerOf(t, line, good)
		require.Equal(t, cli.ExitOK, alone.code, "%s: %s", line, alone.told)
		for file, counts := range bad {
			if name := filepath.Base(file); !longtest.Enabled() && name != []string{"missing.jfr", "cut.jfr"}[i%2] {
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

// TestAFileThatIsNoneGetsOneMessage gives files of which nothing can be read to every verb that takes one: each
// says the same, and names the verb and the file once.
func TestAFileThatIsNoneGetsOneMessage(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile(clitest.File("jdk25-chunks.jfr"))
	require.NoError(t, err)
	want := map[string]string{
		"missing.jfr": "no such file; check the path",
		"empty.jfr":   "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording",
		"text.jfr":    "it is not a Flight Recorder file, but text; check that it is the .jfr file itself",
		"zeros.jfr":   "it is not a Flight Recorder file, but something else; check that it is the .jfr file itself",
		"header.jfr":  "truncated: the file has 40 bytes, a chunk header 68; copy it again, its end is missing",
		"first.jfr": "truncated: the chunk says it has 120882 bytes, and 4000 are there; copy it again, its end is missing; " +
			"none of its events can be read, since its metadata is lost; mjfr repair FILE OUT.jfr may recover them",
		"types.jfr": "chunk 0, offset 0x5: event: corrupt: offset is outside the chunk of 120882 bytes; " +
			"none of its events can be read, since its metadata is lost; mjfr repair FILE OUT.jfr may recover them",
		"dir.jfr": "this directory has no recordings; directories inside it are not searched, so name the one that holds them",
	}
	for name, data := range map[string][]byte{
		"empty.jfr": nil, "text.jfr": []byte("no recording, but as long as the header of a chunk is, which has 68 bytes"),
		"zeros.jfr": make([]byte, 5000), "types.jfr": slices.Concat(whole[:24], []byte{0, 0, 0, 0, 0, 0, 0, 5}, whole[32:120882]), "header.jfr": whole[:40], "first.jfr": whole[:4000],
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.jfr"), 0o700))
	lines := append([]string{
		"at FILES 1000", "constants FILES", "disassemble --output OUT FILES", "scrub --exclude-events X FILES OUT/a.jfr",
		"print --json FILES", "query --json select|*|from|ThreadPark FILES", "profile -t alloc FILES", "view all-views FILES",
	}, readingSeveral...)
	names := slices.Sorted(maps.Keys(want))
	for i, line := range lines {
		verb := strings.Fields(line)[0]
		for j, name := range names {
			reason := want[name]
			switch {
			case !longtest.Every(i+j, 3):
				continue
			case name == "first.jfr" && verb == "at", name == "types.jfr" && slices.Contains([]string{"at", "chunks", "repair"}, verb):
				continue // need no metadata, or say what is wrong at the position
			}
			file := filepath.Join(dir, name)
			got := answerOf(t, line, file)
			assert.Equal(t, cli.ExitData, got.code, "%s %s: %s", line, name, got.told)
			told := got.told
			if name == "first.jfr" && verb == "repair" { // has no advice to repair
				told = strings.Replace(strings.Replace(told, "it has no whole chunk: ", "", 1), "\n", reason[strings.Index(reason, "; none"):]+"\n", 1)
			}
			assert.Equal(t, "mjfr "+verb+": "+file+": "+reason+"\n", told, line)
		}
	}
}

// TestRecordingsThatMayNotBeRead follows a file and directories of which the user may read nothing. Root may.
func TestRecordingsThatMayNotBeRead(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "2026_11_21_12_00_00_4711")
	file := filepath.Join(folder, "2026_11_21_12_00_00.jfr")
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.WriteFile(file, nil, 0))
	if f, err := os.Open(file); err == nil {
		_ = f.Close() // only opened
		t.Skip("this user may read everything")
	}
	for _, line := range []string{"watch --once SOURCE", "tail SOURCE", "tail -f SOURCE", "query --live SOURCE select|*|from|CPULoad", "open --no-browser SOURCE"} {
		for _, source := range []string{file, folder, base} {
			if source != folder && line[0] != 't' && line[0] != 'w' {
				continue // they follow directories of JVMs alone
			}
			args := strings.Fields(strings.ReplaceAll(line, "SOURCE", source))
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "|", " ")
			}
			code, _, told := mjfrCommand(t, args...)
			assert.Equal(t, cli.ExitData, code, line)
			assert.Contains(t, told, "mjfr "+args[0]+": "+file+": permission denied; read it as its owner, or get a copy that you may read\n", line)
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
