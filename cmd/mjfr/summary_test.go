package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// damagedFile is a recording whose second chunk is broken.
func damagedFile(t *testing.T) string {
	data, err := os.ReadFile(clitest.File("jdk25-chunks.jfr"))
	require.NoError(t, err)
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	data[rec.Chunks[1].Events[1].Offset] = 1 // a size that does not hold the event's own head
	path := filepath.Join(t.TempDir(), "broken.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestSummaryIsThatOfTheJDK(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-chunks.jfr"} {
		code, out, told := mjfrCommand(t, "summary", clitest.File(name))
		assert.Equal(t, cli.ExitOK, code)
		assert.Empty(t, told)
		said.Same(t, said.Of(t, name, "summary").Out, []byte(out))
	}
}

func TestSummaryExtendedText(t *testing.T) {
	for _, c := range []struct {
		color string
		want  []string
	}{
		{"never", []string{
			"Version: 2.1\nChunks: 1\nStart: 2026-11-21T00:49:16.166413117Z\nEnd: 2026-11-21T00:49:24.354224627Z\nDuration: 8187811510 ns\n", "\nSize: 573690 bytes\nEvents: 4459\n",
			"\nEvent types\nEvent Type\tCount\tPer Second (events)\tSize (bytes)\tShare (of 1)\tFirst\tLast\njdk.ClassLoad\t539\t65.8296\t8893\t0.0155014\t2026-11-21T00:49:16.177608294Z\t2026-11-21T00:49:22.995393239Z\n",
			"\nChunks\nChunk\tOffset (bytes)\tSize (bytes)\tStart\tDuration (ns)\tEvents\t", "\nLargest constant pools\nType\tPools\tConstants\tSize (bytes)\tShare (of 1)\njdk.types.StackTrace\t24\t664\t116866\t",
			"\nSpace\nWhat\tSize (bytes)\tShare (of 1)\nEvents: Java Virtual Machine\t", "\nOther\t0\t0\n",
		}},
		{"always", []string{
			"Start: 2026-11-21 00:49:16.166\n", "\nSize: 560.2 kB\nEvents: 4,459\n",
			"\njdk.ClassLoad                        539       65.83     8.7 kB   1.55%  2026-11-21 00:49:16.177  2026-11-21 00:49:22.995\n",
			"\nConstant pools ", "\nChunk headers ", "100.00%\n",
		}},
	} {
		code, out, told := mjfrCommand(t, "summary", "--extended", "--color", c.color, clitest.File("jdk25-profile.jfr"))
		require.Equal(t, cli.ExitOK, code, told)
		for _, want := range c.want {
			assert.Contains(t, out, want)
		}
		pools, _, _ := strings.Cut(out[strings.Index(out, "Largest constant pools"):], "\n\n")
		assert.Len(t, strings.Split(pools, "\n"), 2+10)
	}
}

func TestSummaryTellsOfDamage(t *testing.T) {
	file := damagedFile(t)
	for _, args := range [][]string{
		{"summary"}, {"summary", "--json"}, {"summary", "--extended"}, {"summary", "--extended", "--json"},
		{"types"}, {"types", "--json"}, {"chunks"}, {"chunks", "--json"},
	} {
		code, out, told := mjfrCommand(t, append(args, file)...)
		assert.Equal(t, cli.ExitData, code, args)
		assert.Equal(t, 1, strings.Count(told, "\n"), "%s: %s", args, told)
		assert.Contains(t, told, "mjfr "+args[0]+": "+file+": ", args)
		assert.NotEmpty(t, out, args)
		if args[len(args)-1] == "--json" {
			var d struct{ Errors []summary.FaultDocument }
			require.NoError(t, json.Unmarshal([]byte(out), &d))
			require.Len(t, d.Errors, 1)
			assert.Equal(t, file, d.Errors[0].File)
			assert.Equal(t, 1, *d.Errors[0].Chunk)
		}
	}
}

// documentOf runs mjfr with --json, and reads what it writes.
func documentOf[T any](t *testing.T, args ...string) T {
	t.Helper()
	code, out, told := mjfrCommand(t, append(args, "--json")...)
	require.Equal(t, cli.ExitOK, code, told)
	require.Empty(t, told)
	return clitest.Document[T](t, out)
}
