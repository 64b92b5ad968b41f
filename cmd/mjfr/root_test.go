package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// mjfrCommand runs mjfr.
var mjfrCommand = clitest.Rooted(newMjfr)

// output runs mjfr, which must succeed without a word on standard error.
var output = mjfrCommand.Output()

// tryVerb is a verb that does what a test wants.
func tryVerb(t *testing.T, do func(a *cli.App) error, flags ...func(*cobra.Command)) {
	all := groups
	t.Cleanup(func() { groups = all })
	groups = append(slices.Clone(all), group{"try", "Try", nil, []cli.Verb{func(a *cli.App) *cobra.Command {
		cmd := &cobra.Command{
			Use:   "try FILE...",
			Short: "Try something",
			RunE:  func(*cobra.Command, []string) error { return do(a) },
		}
		for _, f := range flags {
			f(cmd)
		}
		return cmd
	}}})
}

func TestMisuse(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"unknown verb":           {[]string{"frobnicate"}, "mjfr: unknown verb frobnicate; mjfr help --all lists all"},
		"a word for a verb":      {[]string{"flamegraph", "x.jfr"}, "mjfr: unknown verb flamegraph; use mjfr profile -o flame.html FILE"},
		"like a verb":            {[]string{"sumary", "x.jfr"}, "mjfr: unknown verb sumary; did you mean summary?"},
		"beginning of a verb":    {[]string{"sum"}, "mjfr: unknown verb sum; did you mean summary?"},
		"unknown verb and flag":  {[]string{"frobnicate", "--json", "x.jfr"}, "mjfr: unknown verb frobnicate; mjfr help --all lists all"},
		"no verb":                {[]string{"app.jfr"}, "mjfr: unknown verb app.jfr; put one before the recording, as in mjfr summary app.jfr"},
		"empty verb":             {[]string{""}, "mjfr: unknown verb ; mjfr help --all lists all"},
		"no file":                {[]string{"summary"}, "mjfr summary: no recording given: name at least one, as in mjfr summary app.jfr"},
		"unknown flag":           {[]string{"types", "--frobnicate", "x"}, "mjfr types: unknown flag: --frobnicate"},
		"like a flag":            {[]string{"types", "--jsn", "x"}, "mjfr types: unknown flag: --jsn; did you mean --json?"},
		"unknown short flag":     {[]string{"types", "-z", "x"}, "mjfr types: unknown shorthand flag: 'z' in -z"},
		"flag of no verb":        {[]string{"--frobnicate"}, "mjfr: unknown flag: --frobnicate"},
		"flag without its value": {[]string{"types", "--events"}, "mjfr types: flag needs an argument: --events"},
		"no number":              {[]string{"events", "--limit", "many", "x"}, `mjfr events: --limit cannot be "many": it must be a whole number`},
		"too large a number":     {[]string{"events", "--limit", "99999999999999999999", "x"}, `cannot be "99999999999999999999": that is too large, or too small`},
		"colour":                 {[]string{"types", "--color", "blue", "x"}, `mjfr types: --color cannot be "blue": it must be auto, always or never`},
		"too much help":          {[]string{"help", "a", "b", "c"}, "mjfr help: help takes one verb, not 3"},
		"too wide":               {[]string{"view", "--width", "1000001", "gc", "x"}, "mjfr view: --width takes up to 100000 characters"},
		"too wide for SQL":       {[]string{"sql", "--width", "100001", "x", "select 1"}, "mjfr sql: --width takes up to 100000 characters"},
		"too many directories":   {[]string{"man", "a", "b"}, "mjfr man: man takes one directory, not 2"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := mjfrCommand(t, c.args...)
			assert.Equal(t, cli.ExitUsage, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.says)
			lines := strings.Split(stderr, "\n")
			require.Len(t, lines, 3, "a sentence and a hint")
			assert.Regexp(t, `^Try mjfr( \w+)? --help\.$`, lines[1])
		})
	}
}

// TestMisuseThatCobraFinds has flags that exclude each other.
func TestMisuseThatCobraFinds(t *testing.T) {
	tryVerb(t, func(*cli.App) error { return nil }, func(cmd *cobra.Command) {
		cmd.Flags().Bool("json", false, "")
		cmd.Flags().Bool("xml", false, "")
		cmd.Flags().Duration("from", 0, "")
		cmd.MarkFlagsMutuallyExclusive("json", "xml")
	})
	code, _, stderr := mjfrCommand(t, "try", "--json", "--xml")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "[json xml] were all set")
	assert.Contains(t, stderr, "Try mjfr try --help.")
	_, _, stderr = mjfrCommand(t, "try", "--from", "noon")
	assert.Contains(t, stderr, `--from cannot be "noon": it must be a length of time, such as 20ms or 1m30s`)
}

func TestExitCodes(t *testing.T) {
	unfinished := &mmapjfr.FormatError{Err: mmapjfr.ErrUnfinished, Section: "chunk header", Chunk: 1, Offset: 0x44}
	corrupt := &mmapjfr.FormatError{Err: mmapjfr.ErrCorrupt, Section: "event", Chunk: 1, Offset: 0x44}
	for name, c := range map[string]struct {
		do   func(a *cli.App) error
		code int
		says string
	}{
		"all is well": {func(*cli.App) error { return nil }, cli.ExitOK, ""},
		"an error":    {func(*cli.App) error { return errors.New("wrong") }, cli.ExitData, "mjfr try: wrong\n"},
		"several":     {func(*cli.App) error { return errors.Join(errors.New("a"), errors.New("b")) }, cli.ExitData, "mjfr try: a\nmjfr try: b\n"},
		"misuse":      {func(*cli.App) error { return cli.Usagef("no") }, cli.ExitUsage, "mjfr try: no\nTry mjfr try --help.\n"},
		"hostile":     {func(*cli.App) error { return errors.New("\x1b[2J\n") }, cli.ExitData, `mjfr try: \x1b[2J\n` + "\n"},
		"missing": {func(*cli.App) error { _, err := mmapjfr.Open("no.jfr"); return err },
			cli.ExitData, "mjfr try: no.jfr: no such file; check the path\n"},
		"damage": {func(a *cli.App) error { a.Damage("a.jfr", corrupt); return nil },
			cli.ExitData, "mjfr try: a.jfr: chunk 1, offset 0x44: event: corrupt\n"},
		"no damage":   {func(a *cli.App) error { a.Damage("a.jfr", nil); return nil }, cli.ExitOK, ""},
		"unfinished":  {func(a *cli.App) error { a.Damage("a.jfr", unfinished); return nil }, cli.ExitOK, "mjfr try: a.jfr: chunk 1, offset 0x44: chunk header: unfinished chunk\n"},
		"some of all": {func(a *cli.App) error { a.Damage("a.jfr", errors.Join(unfinished, corrupt)); return nil }, cli.ExitData, ": unfinished chunk\nmjfr try: a.jfr: "},
		"closed pipe": {func(*cli.App) error { return &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE} }, cli.ExitOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tryVerb(t, c.do)
			code, _, stderr := mjfrCommand(t, "try")
			assert.Equal(t, c.code, code)
			if c.says == "" {
				assert.Empty(t, stderr)
			}
			assert.Contains(t, stderr, c.says)
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tryVerb(t, func(a *cli.App) error { cancel(); return ctx.Err() })
	var out, errs bytes.Buffer
	a := &cli.App{Root: newMjfr, Stdout: &out, Stderr: &errs}
	assert.Equal(t, cli.ExitInterrupted, a.Run(ctx, []string{"try"}))
	assert.Equal(t, "mjfr: interrupted\n", errs.String())
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for name, c := range map[string]struct{ path, says string }{
		"missing":   {filepath.Join(dir, "missing.jfr"), "no such file; check the path"},
		"empty":     {file("empty.jfr", ""), "jcmd PID JFR.dump writes its recording"},
		"text":      {file("x.txt", "not a recording at all"), "check that it is the .jfr file itself"},
		"old":       {file("old.jfr", "FLR\x00\x00\x00\x00\x09"+strings.Repeat("\x00", 100)), "open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"},
		"dangerous": {file("a\x1b[2Jb", "what is this file made of?"), `a\x1b[2Jb: `},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := mjfrCommand(t, "summary", c.path)
			assert.Equal(t, cli.ExitData, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.says)
			assert.NotContains(t, stderr, "\x1b")
			assert.True(t, strings.HasPrefix(stderr, "mjfr summary: "+terminal.Printable(c.path)+": "), stderr)
			assert.Equal(t, 1, strings.Count(stderr, terminal.Printable(c.path)), "the name once")
			assert.Equal(t, 1, strings.Count(stderr, "\n"), "one sentence")
			assert.NotContains(t, stderr, "mmapjfr")
		})
	}
}

func TestColorFlag(t *testing.T) {
	text := "\x1b[2J\tx\n" // as of a recording
	for when, want := range map[string]string{
		"auto":   "plain\t" + text,
		"never":  "plain\t" + text,
		"always": "\x1b[31mred\x1b[0m\t" + `\x1b[2J` + "\tx\n",
	} {
		t.Run(when, func(t *testing.T) {
			tryVerb(t, func(a *cli.App) error {
				word := "plain"
				if a.Style.Color {
					word = a.Style.Paint(terminal.Red, "red")
				}
				_, err := fmt.Fprintf(a.Stdout, "%s\t%s", word, text)
				return err
			})
			_, stdout, _ := mjfrCommand(t, "try", "--color", when)
			assert.Equal(t, want, stdout)
		})
	}
}

// TestStyleThatIsGiven keeps what tests of verbs choose.
func TestStyleThatIsGiven(t *testing.T) {
	tryVerb(t, func(a *cli.App) error { assert.True(t, a.Style.Aligned); return nil })
	a := &cli.App{Root: newMjfr, Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Style: terminal.Style{Aligned: true}}
	assert.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{"try"}))
}

// TestDamageNamesTheFileOnce: the library names the file, and so does the command.
func TestDamageNamesTheFileOnce(t *testing.T) {
	sample := clitest.File("jdk25-profile.jfr")
	data, err := os.ReadFile(sample)
	require.NoError(t, err)
	dir := t.TempDir()
	path, packed := filepath.Join(dir, "cut.jfr"), filepath.Join(dir, "cut.jfr.gz")
	data = data[:len(data)/2]
	require.NoError(t, os.WriteFile(path, data, 0o600))
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(packed, z.Bytes(), 0o600))
	for _, name := range []string{path, packed} {
		for _, verb := range [][]string{{"print"}, {"summary"}, {"types"}, {"events"}, {"print", "--ndjson"}} {
			_, _, errs := mjfrCommand(t, append(verb, name)...)
			require.NotEmpty(t, errs, verb)
			for line := range strings.Lines(errs) {
				assert.True(t, strings.HasPrefix(line, "mjfr "+verb[0]+": "+name+": "), line)
				assert.Equal(t, 1, strings.Count(line, dir), line)
			}
		}
	}
}
