package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// TestTourOfTheReadme runs the commands of the README and compares what people would
// see on a terminal with what it shows. A line of three points stands for any lines.
func TestTourOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	t.Chdir("../..")
	tour := regexp.MustCompile("(?s)```console\n\\$ mjfr (.*?)\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.GreaterOrEqual(t, len(tour), 4)
	color := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, step := range tour {
		t.Run(step[1], func(t *testing.T) {
			code, out, told := mjfrCommand(t, append(words(t, step[1]), "--color", "always")...)
			require.Equal(t, cli.ExitOK, code, told)
			out = color.ReplaceAllString(out, "")
			var pattern strings.Builder
			for i, part := range strings.Split(step[2], "...\n") {
				if i > 0 {
					pattern.WriteString("(?s:.*)")
				}
				pattern.WriteString(regexp.QuoteMeta(part))
			}
			assert.Regexp(t, "^"+pattern.String()+"$", out)
		})
	}
}

// words takes a command line apart as a shell does.
func words(t *testing.T, line string) (list []string) {
	t.Helper()
	for _, w := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		list = append(list, strings.Trim(w, "'"))
	}
	return list
}
