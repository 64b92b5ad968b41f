package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
)

func TestHelp(t *testing.T) {
	code, help, stderr := mjfrCommand(t)
	assert.Equal(t, cli.ExitOK, code, "as the JDK's jfr")
	assert.Empty(t, stderr)
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}, {"-?"}} {
		code, stdout, stderr := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitOK, code)
		assert.Equal(t, help, stdout, args)
		assert.Empty(t, stderr)
	}
	assert.Less(t, strings.Count(help, "\n"), 45, "it fits on a screen")
	_, all, _ := mjfrCommand(t, "help", "--all")
	_, flags, _ := mjfrCommand(t, "help", "flags")
	_, recordings, _ := mjfrCommand(t, "help", "recordings")
	for text, parts := range map[string][]string{
		help:       {"Usage:", "\nLook:\n", "\n  summary ", "Examples:", "mjfr help --all"},
		all:        {"\nLook:\n", "\n  constants ", "\nMore:\n", "Topics of mjfr help:", "\n  recordings ", "--color"},
		flags:      {"--color", "--no-progress", "\n  130  interrupted"},
		recordings: {"standard input", "gzip"},
	} {
		for _, part := range parts {
			assert.Contains(t, text, part)
		}
		assertFits(t, text)
	}
}

// TestHelpOfFields: all names in it are valid.
func TestHelpOfFields(t *testing.T) {
	code, help, stderr := mjfrCommand(t, "help", "fields")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, stderr)
	assertFits(t, help)
	rec := opentest.File(t, clitest.File("jdk25-profile.jfr"))
	types, err := rec.Types()
	require.NoError(t, err)
	for _, typ := range types {
		for _, f := range engine.TypeComputed(typ) {
			assert.Contains(t, help, f.Name())
		}
	}
	for _, field := range regexp.MustCompile(`\n  (@\w+) `).FindAllStringSubmatch(help, -1) {
		name := field[1]
		if name == "@raw" {
			name = "objectClass.@raw"
		}
		code, stdout, stderr := mjfrCommand(t, "print", "--events", "ObjectAllocationSample", "--limit", "1", "--csv", "--fields", name, clitest.File("jdk25-profile.jfr"))
		assert.Equal(t, cli.ExitOK, code, stderr)
		assert.Equal(t, 2, strings.Count(stdout, "\n"), stdout)
	}
}

func assertFits(t *testing.T, help string) {
	t.Helper()
	for line := range strings.SplitSeq(help, "\n") {
		assert.LessOrEqual(t, len([]rune(line)), helpWidth, line)
		assert.Equal(t, strings.TrimRight(line, " "), line)
	}
}

// TestHelpOfVerbs asks each of them in both ways.
func TestHelpOfVerbs(t *testing.T) {
	_, all, _ := mjfrCommand(t, "help", "--all")
	for _, verb := range newMjfr(&cli.App{}).Commands() {
		if verb.Hidden {
			continue
		}
		t.Run(verb.Name(), func(t *testing.T) {
			code, help, stderr := mjfrCommand(t, verb.Name(), "--help")
			assert.Equal(t, cli.ExitOK, code)
			assert.Empty(t, stderr)
			_, same, _ := mjfrCommand(t, "help", verb.Name())
			assert.Equal(t, help, same)
			assert.Equal(t, 1, strings.Count(all, "\n  "+verb.Name()+" "), "listed once")
			assert.Contains(t, all, verb.Short)
			require.NotEmpty(t, verb.Example)
			assert.Contains(t, help, verb.Example)
			assert.Contains(t, strings.Join(strings.Fields(help), " "), strings.Join(strings.Fields(verb.Long), " "))
			assert.Contains(t, help, "\nUsage:\n  mjfr "+verb.Name())
			assert.Contains(t, help, "--help")
			assert.Contains(t, help, "mjfr help flags")
			assert.NotContains(t, help, "\n\n\n")
		})
	}
}

func TestHelpOfCompletion(t *testing.T) {
	code, stdout, _ := mjfrCommand(t, "help", "completion")
	assert.Equal(t, cli.ExitOK, code)
	for _, want := range []string{"mjfr completion SHELL", `eval "$(mjfr completion bash)"`, "completions/mjfr.fish", "$PROFILE"} {
		assert.Contains(t, stdout, want)
	}
}

func TestHelpOfWhatThereIsNot(t *testing.T) {
	code, stdout, stderr := mjfrCommand(t, "help", "sumary")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Empty(t, stdout)
	assert.Equal(t, "mjfr help: unknown verb sumary; did you mean summary?\nTry mjfr help --help.\n", stderr)
}

func TestVersionFlag(t *testing.T) {
	code, want, _ := mjfrCommand(t, "version")
	assert.Equal(t, cli.ExitOK, code)
	require.NotEmpty(t, want)
	for _, flag := range []string{"--version", "-v"} {
		code, got, stderr := mjfrCommand(t, flag)
		assert.Equal(t, cli.ExitOK, code)
		assert.Equal(t, want, got)
		assert.Empty(t, stderr)
	}
}

func TestHelpInColour(t *testing.T) {
	_, plain, _ := mjfrCommand(t, "types", "--help")
	assert.NotContains(t, plain, "\x1b")
	_, coloured, _ := mjfrCommand(t, "types", "--help", "--color=always")
	assert.Contains(t, coloured, "\x1b[1mUsage:\x1b[")
}

func TestHelpSaysWhatBecomesOfSeveralRecordings(t *testing.T) {
	for verb, want := range map[string]string{
		"summary": "Several files are read as one recording", "print": "Several files are read as one recording", "verify": "Each is checked by itself",
	} {
		code, out, _ := mjfrCommand(t, verb, "--help")
		assert.Equal(t, cli.ExitOK, code)
		assert.Contains(t, out, want, verb)
	}
	for _, verb := range []string{"version", "man"} {
		_, out, _ := mjfrCommand(t, verb, "--help")
		assert.NotContains(t, out, "Recordings:", verb)
	}
}

func TestUsageOfFlagsIsOneLine(t *testing.T) {
	for _, cmd := range newMjfr(new(cli.App)).Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { assert.NotContains(t, f.Usage, "\n", "%s --%s", cmd.Name(), f.Name) })
	}
}
