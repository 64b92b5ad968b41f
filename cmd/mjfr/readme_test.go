package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// TestCommandsOfTheDocs runs the commands of the README and the docs and compares what
// people would see on a terminal with what they show. A line of three points stands for
// any lines.
func TestCommandsOfTheDocs(t *testing.T) {
	t.Chdir("../..")
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	var text strings.Builder
	for _, page := range append(pages, "README.md") {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		text.Write(content)
	}
	tour := regexp.MustCompile("(?s)```console\n\\$ mjfr (.*?)\n(.*?)```").FindAllStringSubmatch(text.String(), -1)
	require.GreaterOrEqual(t, len(tour), 6)
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
