package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// manPage returns the text of a man page, without what is only for its looks.
func manPage(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	text := strings.NewReplacer(`\&`, "", `\-`, "-", `\\`, `\`, `\e`, `\`, `\(aq`, "'", `\(ga`, "`").Replace(string(data))
	return strings.ReplaceAll(text, "\n.", "\n .")
}

func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	code, stdout, stderr := mjfrCommand(t, "man", dir)
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Empty(t, stdout)
	for _, verb := range newMjfr(&cli.App{}).Commands() {
		if !verb.IsAvailableCommand() || verb.Name() == "help" {
			continue
		}
		text := manPage(t, filepath.Join(dir, "mjfr-"+verb.Name()+".1"))
		assert.Contains(t, text, verb.Short)
		for line := range strings.Lines(verb.Example) {
			assert.Contains(t, text, strings.TrimSpace(line), verb.Name())
		}
		assert.Contains(t, text, "EXAMPLE")
		assert.NotContains(t, text, "cobra")
	}
	all := manPage(t, filepath.Join(dir, "mjfr.1"))
	assert.Contains(t, all, "mjfr-summary(1)")
	assert.Contains(t, all, "a directory with recordings")
	assert.Contains(t, all, "EXIT STATUS")
	assert.Contains(t, all, "130  interrupted")
	assert.NotContains(t, manPage(t, filepath.Join(dir, "mjfr-version.1")), "RECORDINGS")
	assert.FileExists(t, filepath.Join(dir, "mjfr-completion.1"))
	_, one, _ := mjfrCommand(t, "man")
	written, err := os.ReadFile(filepath.Join(dir, "mjfr.1"))
	require.NoError(t, err)
	assert.Equal(t, string(written), one)
}

// TestManPagesShowOptionsAsHelpDoes takes each option from the help.
func TestManPagesShowOptionsAsHelpDoes(t *testing.T) {
	dir := t.TempDir()
	code, _, stderr := mjfrCommand(t, "man", dir)
	require.Equal(t, cli.ExitOK, code, stderr)
	pages, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(dir, page.Name()))
		require.NoError(t, err)
		assert.NotRegexp(t, `--[a-z-]+\\fP\[?=`, string(data), page.Name())
	}
	plain := strings.NewReplacer(`\fB`, "", `\fI`, "", `\fP`, "", `\fR`, "")
	text := plain.Replace(manPage(t, filepath.Join(dir, "mjfr-print.1")))
	for _, want := range []string{
		"--events TYPES\n", "--json\n", "-h, --help\n", "--color WHEN\n", "--limit N\n", "(default 5)\n", `(default "time")` + "\n",
		"only events that meet CONDITION",
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 1, strings.Count(text, "--no-progress"))
	_, help, _ := mjfrCommand(t, "help", "print")
	assert.Contains(t, help, "--events TYPES", "is not hidden for good")
}

func TestManPagesHaveAFixedDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	_, one, _ := mjfrCommand(t, "man")
	assert.Contains(t, one, `"Sep 2001"`)
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	code, _, stderr := mjfrCommand(t, "man")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, `SOURCE_DATE_EPOCH must be seconds since 1970, not "yesterday"`)
}
