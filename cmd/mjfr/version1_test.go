package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestEveryVerbReadsVersion1 has the verbs read a recording of format 1.0, and one that
// goes on with 2.1.
func TestEveryVerbReadsVersion1(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk17-chunks.jfr"))
	require.NoError(t, err)
	more, err := os.ReadFile(clitest.File("jdk25-empty.jfr"))
	require.NoError(t, err)
	old := jfrtest.Version1(data)
	for i, data := range [][]byte{old, slices.Concat(old, more)} {
		file := filepath.Join(t.TempDir(), "old.jfr")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		for j, c := range []struct{ words, want string }{
			{"summary FILE", " com.oracle.jdk.Checkpoint "},
			{"summary --extended FILE", "com.oracle.jfr.types.Symbol"},
			{"summary --json FILE", `"version": "1.0`},
			{"metadata --events CPULoad FILE", `@Name("com.oracle.jdk.CPULoad")`},
			{"print FILE", " line: 78\n"},
			{"print --exact FILE", `eventThread = "lasting" (javaThreadId = 15)`},
			{"print --json FILE", `"type": "gen.Chunks$Always"`},
			{"print --xml FILE", `<event type="gen.Chunks$Always">`},
			{"print --ndjson FILE", `"eventThread":{"name":"lasting"`},
			{"print --where stackTrace~Thread.run FILE", "java.lang.Thread.run()"},
			{"types --all FILE", "com.oracle.jdk.CPULoad\t"},
			{"chunks FILE", "\t1.0\n"},
			{"events FILE", "gen.Chunks$Always\tlasting\t"},
			{"constants FILE", "com.oracle.jfr.types.Method\t"},
			{"constants FILE Method", "gen.Chunks.always(ILjava/lang/String;)V"},
			{"at FILE #5", "gen.Chunks"},
			{"at --hex FILE 0", "major"},
			{"verify FILE", "sound"},
			{"tail FILE", " line: 78\n"},
			{"repair FILE FILE.again", "copied"},
			{"verify FILE.again", "sound"},
		} {
			// The last four go together.
			if !longtest.Every(i+min(j, 19), 4) {
				continue
			}
			code, out, told := mjfrCommand(t, strings.Fields(strings.ReplaceAll(c.words, "FILE", file))...)
			assert.Equal(t, cli.ExitOK, code, "%s: %s", c.words, told)
			assert.Empty(t, told, c.words)
			if !strings.Contains(out, strings.ReplaceAll(c.want, "FILE", file)) {
				t.Errorf("%s: no %q in %.300s", c.words, c.want, out)
			}
		}
	}
}

// TestSliceOfVersion1IsSound: the part of a recording of format 1.0 is one that verify takes for sound, and FROM finds its
// types by either name.
func TestSliceOfVersion1IsSound(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk17-profile.jfr"))
	require.NoError(t, err)
	in, out := filepath.Join(t.TempDir(), "old.jfr"), filepath.Join(t.TempDir(), "part.jfr")
	require.NoError(t, os.WriteFile(in, jfrtest.Version1(data), 0o600))
	code, _, told := mjfrCommand(t, "slice", "--from", "20%", "--to", "60%", in, out)
	require.Zero(t, code, told)
	code, said, _ := mjfrCommand(t, "verify", out)
	require.Zero(t, code, said)
	for _, name := range []string{"CPULoad", "jdk.CPULoad", "com.oracle.jdk.CPULoad"} {
		_, said, _ := mjfrCommand(t, "query", "--csv", "select count(*) from "+name, out)
		require.Equal(t, "count(*)\n1\n", said, name)
	}
}

// TestStandardInput reads a recording of format 1.0 there, as it is read from a file, and that nothing comes is an error.
func TestStandardInput(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk17-profile.jfr"))
	require.NoError(t, err)
	old := filepath.Join(t.TempDir(), "old.jfr")
	require.NoError(t, os.WriteFile(old, jfrtest.Version1(data), 0o600))
	for _, verb := range []string{"watch --once", "tail --csv --events CPULoad", "tail -f --csv --events CPULoad", "view gc", "summary", "profile --format top", "print --events CPULoad"} {
		read := func(in []byte) (code int, out, told string) {
			var o, e bytes.Buffer
			a := &cli.App{Root: newMjfr, Stdin: bytes.NewReader(in), Stdout: &o, Stderr: &e}
			code = a.Run(t.Context(), append(strings.Fields(verb), "-"))
			return code, o.String(), e.String()
		}
		_, want, _ := mjfrCommand(t, append(strings.Fields(verb), old)...)
		code, out, told := read(jfrtest.Version1(data))
		assert.Equal(t, cli.ExitOK, code, "%s: %s", verb, told)
		assert.NotEmpty(t, out, verb)
		if verb == "watch --once" { // has rates until now
			assert.Regexp(t, `(?m)jdk.LongFlag .* 198$`, out)
		} else {
			assert.Equal(t, want, out, verb)
		}
		code, _, told = read(nil)
		assert.Equal(t, cli.ExitData, code, verb)
		assert.Contains(t, told, ": standard input: the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording\n", verb)
	}
}
