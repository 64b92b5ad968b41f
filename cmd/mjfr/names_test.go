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
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestNamesOfVersion1AreThoseOfToday asks a recording with the names of JDK 9, alone and before
// a newer one, what is asked of the recording that it was made of: the answers are the same.
func TestNamesOfVersion1AreThoseOfToday(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk17-profile.jfr"))
	require.NoError(t, err)
	newer, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "names.jfr")
	differs := regexp.MustCompile(`(?m)Size</th><td>[^<]*|,[0-9a-f]{16}$`) // sizes, and numbers of recordings
	for i, after := range [][]byte{nil, newer} {
		for j, words := range []string{
			"view all-views FILE",
			"view types FILE",
			"view jdk.CPULoad FILE",
			"view hot-methods FILE",
			"profile FILE",
			"profile -t alloc FILE",
			"profile -t lock FILE",
			"profile -t gc FILE",
			"print --csv --events CPULoad FILE",
			"print --csv --events jdk.GCPhasePause FILE",
			"print --csv --where @type='jdk.CPULoad' FILE",
			"query select+count(*)+from+GarbageCollection FILE",
			"query select+@type,count(*)+from+jdk.*+group+by+@type+order+by+2,1 FILE",
			"query select+*+from+jdk.G1MMU FILE",
			"query select+*+from+com.oracle.jdk.CPULoad FILE",
			"query select+count(*)+from+jdk.GCPhasePauseLevel1+during+jdk.GarbageCollection FILE",
			"settings FILE",
			"export --csv OUT FILE",
			"report FILE",
		} {
			if !longtest.Every(i+j, 8) {
				continue
			}
			var answers [2]string
			for k, first := range [][]byte{data, jfrtest.Version1(data)} {
				require.NoError(t, os.WriteFile(file, slices.Concat(first, after), 0o600))
				out := filepath.Join(t.TempDir(), "out")
				var args []string
				for _, w := range strings.Fields(words) {
					switch w {
					case "FILE":
						w = file
					case "OUT":
						w = out
					}
					args = append(args, strings.ReplaceAll(w, "+", " "))
				}
				code, text, told := mjfrCommand(t, args...)
				require.Equal(t, cli.ExitOK, code, "%s: %s", words, told)
				tables, err := filepath.Glob(filepath.Join(out, "[^_]*.csv"))
				require.NoError(t, err)
				for _, table := range tables {
					rows, err := os.ReadFile(table)
					require.NoError(t, err)
					text += filepath.Base(table) + "\n" + string(rows)
				}
				answers[k] = differs.ReplaceAllString(strings.ReplaceAll(text, out, "OUT"), "")
			}
			assert.Positive(t, strings.Count(answers[0], "\n"), words)
			if answers[0] != answers[1] {
				t.Errorf("%s: with old names %.600s\nwith those of today %.600s", words, answers[1], answers[0])
			}
		}
	}
}

// TestNamesOfVersion1InBatch merges partial results of such a recording, for which its types are
// described by themselves.
func TestNamesOfVersion1InBatch(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk17-profile.jfr"))
	require.NoError(t, err)
	for _, words := range []string{"query select+count(*),sum(duration)+from+GarbageCollection", "profile"} {
		var answers [2]string
		for i, data := range [][]byte{data, jfrtest.Version1(data)} {
			dir := t.TempDir()
			file, parts, out := filepath.Join(dir, "a.jfr"), filepath.Join(dir, "parts"), filepath.Join(dir, "out.txt")
			require.NoError(t, os.WriteFile(file, data, 0o600))
			args := append([]string{"batch"}, strings.Fields(words)...)
			code, _, told := mjfrCommand(t, append(strings.Split(strings.ReplaceAll(strings.Join(args, "\n"), "+", " "), "\n"), "--out", parts, file)...)
			require.Equal(t, cli.ExitOK, code, told)
			code, _, told = mjfrCommand(t, "batch", "merge", "-o", out, parts)
			require.Equal(t, cli.ExitOK, code, told)
			text, err := os.ReadFile(out)
			require.NoError(t, err)
			answers[i] = string(text)
		}
		assert.Equal(t, answers[0], answers[1], words)
		assert.Greater(t, strings.Count(answers[0], "\n"), 1, words)
	}
}
