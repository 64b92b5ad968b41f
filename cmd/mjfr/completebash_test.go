package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// separators are those that bash has by default.
const separators = " \t\n\"'><=;|&(:"

// forBash returns what the script for bash is answered, without the line's beginning.
func forBash(t *testing.T, kind, line string) []string {
	t.Helper()
	var out bytes.Buffer
	a := &cli.App{Root: newMjfr, Stdout: &out, Stderr: &out}
	require.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{"__bash", kind, separators, line}), out.String())
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestCompletionInBash has lines as they are typed, and what stands in place of the last
// word, or of what follows its last separator, afterwards.
func TestCompletionInBash(t *testing.T) {
	print := "mjfr print " + clitest.File("jdk25-kinds.jfr") + " "
	for line, want := range map[string]string{
		"mjfr summ":                 "summary",
		print + "--events jdk.CPUL": "jdk.CPULoad",
		print + "--events jdk.GCHeapSummary,jdk.CPUL":                                  "jdk.GCHeapSummary,jdk.CPULoad",
		print + "--events=jdk.GCHeapSummary,jdk.CPUL":                                  "jdk.GCHeapSummary,jdk.CPULoad",
		"'mjfr' \t pr\"int\" ../../test'data'/jdk\\25\"-kinds\".jfr --events jdk.CPUL": "jdk.CPULoad",
		print + "--events \"jdk.GCHeapSummary,jdk.CPUL":                                "jdk.GCHeapSummary,jdk.CPULoad",
		print + "--events='jdk.CPUL":                                                   "jdk.CPULoad",
		print + `--events gen.KindEvents\$Prim`:                                        `gen.KindEvents\$Primitives`,
		print + `--events "gen.KindEvents\$Prim`:                                       `gen.KindEvents\$Primitives`,
		print + `--events 'gen.KindEvents$Prim`:                                        `gen.KindEvents$Primitives`,
		print + `--categories Java\ V`:                                                 `Java\ Virtual\ Machine`,
		print + `--categories "Java V`:                                                 `Java Virtual Machine`,
		print + `--categories Java" V`:                                                 ` Virtual Machine`, // after the quote
		print + "--fields startTime,machineT":                                          "startTime,machineTotal",
		print + "--events CPULoad --where 'jvmUser > 0.5 && jvmS":                      "jvmUser > 0.5 && jvmSystem > ",
		"mjfr summary ../../testdata/jdk25-kin":                                        clitest.File("jdk25-kinds.jfr"),
		"mjfr man ../../testda":                                                        "../../testdata",
		"mjfr metadata --diff=../../testdata/jdk25-kin":                                clitest.File("jdk25-kinds.jfr"),
	} {
		got := forBash(t, "9", line)
		require.GreaterOrEqual(t, len(got), 2, line)
		assert.Equal(t, want, got[1], line)
	}
	assert.Equal(t, "files", forBash(t, "9", "mjfr summary ../../testd")[0])
	assert.Equal(t, "nospace", forBash(t, "9", print+"--where dur")[0])
	assert.Equal(t, []string{""}, forBash(t, "9", print+"--events nosuch.Type"))
	assert.Equal(t, "jdk.CPULoad  (CPU Load)", forBash(t, "63", print+"--events jdk.CPULoad")[1])
}
